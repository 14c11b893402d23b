package editor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
	"github.com/dsh-toolkit/dsh/lib/tui/editor"
)

const family = "👨‍👩‍👧"

func mention(id, label string) string { return sessionuri.Mention(id, &label) }

func bracket(s string) string { return "⟦" + s + "⟧" }

// marked is the text as drawn in rows of width cells, chips in brackets and the
// cursor as a bar.
func marked(e *editor.Editor, width int) string {
	e.SetWidth(ansi.GraphemeWidth, width)
	f := e.View(100, bracket)
	for i, row := range f.Rows {
		if i != f.CursorY {
			continue
		}
		head, x := "", 0
		for c, w := range cells.Clusters(ansi.GraphemeWidth, row) {
			if x >= f.CursorX {
				break
			}
			if c != "⟦" && c != "⟧" {
				x += w
			}
			head += c
		}
		if strings.HasPrefix(row[len(head):], "⟧") {
			head += "⟧"
		}
		f.Rows[i] = head + "|" + row[len(head):]
	}
	return strings.Join(f.Rows, "\n")
}

type step = func(e *editor.Editor)

func typed(s string) step  { return func(e *editor.Editor) { e.Type(s) } }
func pasted(s string) step { return func(e *editor.Editor) { e.Paste(s) } }

func times(n int, f step) step {
	return func(e *editor.Editor) {
		for range n {
			f(e)
		}
	}
}

func TestEditing(t *testing.T) {
	left, right := (*editor.Editor).Left, (*editor.Editor).Right
	back, del, undo := (*editor.Editor).Backspace, (*editor.Editor).Delete, (*editor.Editor).Undo
	m := mention("id-1", "retry bug")
	for _, c := range []struct {
		name        string
		steps       []step
		text, shown string // shown: in 20 columns
	}{
		{"empty", nil, "", "|"},
		{"typed", []step{typed("a"), typed("b")}, "ab", "ab|"},
		{"in the middle", []step{typed("ac"), left, typed("b")}, "abc", "ab|c"},
		{"lines", []step{typed("ab"), left, (*editor.Editor).Newline}, "a\nb", "a\n|b"},
		{"line ends", []step{pasted("a\r\nb\rc")}, "a\nb\nc", "a\nb\nc|"},
		{"backspace joins lines", []step{pasted("a\nb"), left, back}, "ab", "a|b"},
		{"backspace at the start", []step{back}, "", "|"},
		{"delete at the end", []step{typed("a"), del}, "a", "a|"},
		{"delete joins lines", []step{pasted("a\nb"), left, left, del}, "ab", "a|b"},
		{"wide", []step{typed("漢字"), left}, "漢字", "漢|字"},
		{"a family is one", []step{typed("a" + family + "b"), left, back}, "ab", "a|b"},
		{"emoji typed in parts", []step{typed("👨"), typed("\u200d"), typed("👩"), back}, "", "|"},
		{"combining mark joins", []step{typed("e"), typed("\u0301"), typed("x"), back, back}, "", "|"},
		{"chip", []step{typed("see "), pasted(m)}, "see " + m, "see ⟦@retry bug⟧|"},
		{"chip goes whole", []step{typed("see "), pasted(m), back}, "see ", "see |"},
		{"chip goes whole by delete", []step{pasted(m + "x"), left, left, del}, "x", "|x"},
		{"cursor steps over a chip", []step{pasted("a" + m + "b"), left, left, typed("-")}, "a-" + m + "b", "a-|⟦@retry bug⟧b"},
		{"a bare URI stays text", []step{pasted("x " + sessionuri.Encode("1"))}, "x " + sessionuri.Encode("1"), "x dsh-session:IjEi|"},
		{"a bad mention makes no chip", []step{pasted(m + " @[x](dsh-session:!!)")}, m + " @[x](dsh-session:!!)", ""},
		{"a typed mention makes no chip", []step{typed("@[a](b)")}, "@[a](b)", "@[a](b)|"},
		{"control characters show", []step{pasted("a\x1b[2Jb\x00\u202e")}, "a\x1b[2Jb\x00\u202e", `a\x1b[2Jb\x00\u202e|`},
		{"tab", []step{pasted("a\tb")}, "a\tb", "a    b|"},
		{"bytes that are not UTF-8", []step{pasted("a\xffb")}, "a\uFFFDb", "a\uFFFDb|"},
		{"hostile label", []step{pasted(mention("1", "a\x1b]52;c;x\x07"))}, mention("1", "a\x1b]52;c;x\x07"), `⟦@a\x1b]52;c;x\x07⟧|`},
		{"word back", []step{typed("one two, three"), times(2, (*editor.Editor).WordLeft)}, "one two, three", "one |two, three"},
		{"word on", []step{typed("one two"), (*editor.Editor).LineStart, (*editor.Editor).WordRight}, "one two", "one| two"},
		{"delete a word", []step{typed("one two"), (*editor.Editor).DeleteWord}, "one ", "one |"},
		{"delete a word that is a chip", []step{pasted("x " + m), (*editor.Editor).DeleteWord}, "x ", "x |"},
		{"kill and yank", []step{pasted("one " + m), (*editor.Editor).DeleteToStart, typed("x"), (*editor.Editor).Yank}, "xone " + m, "xone ⟦@retry bug⟧|"},
		{"kill to the end", []step{typed("one two"), times(3, left), (*editor.Editor).DeleteToEnd}, "one ", "one |"},
		{"kill a line break", []step{pasted("a\nb"), left, left, (*editor.Editor).DeleteToEnd}, "ab", "a|b"},
		{"replace", []step{typed("see @re"), func(e *editor.Editor) { e.Replace(3, m) }}, "see " + m + " ", "see ⟦@retry bug⟧ |"},
		{"replace before a space", []step{typed("@re x"), times(2, left), func(e *editor.Editor) { e.Replace(3, "@a") }}, "@a x", "@a |x"},
		{"undo typing", []step{typed("a"), typed("b"), undo}, "", "|"},
		{"undo a word at a time", []step{typed("a"), typed(" "), typed("b"), undo}, "a ", "a |"},
		{"undo a chip's end", []step{pasted(m), back, undo}, m, "⟦@retry bug⟧|"},
		{"undo keeps the cursor", []step{typed("abc"), left, back, undo}, "abc", "ab|c"},
		{"undo a run of erasing", []step{typed("abc"), back, back, undo}, "abc", "abc|"},
		{"undo clear", []step{typed("abc"), (*editor.Editor).Clear, undo}, "abc", "abc|"},
		{"undo nothing", []step{undo}, "", "|"},
		{"right over the end", []step{pasted("a\nb"), (*editor.Editor).LineStart, left, right, typed("x")}, "a\nxb", "a\nx|b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := editor.New()
			for _, s := range c.steps {
				s(e)
			}
			if got := e.Text(); got != c.text {
				t.Errorf("text %q, want %q", got, c.text)
			}
			if got := marked(e, 20); c.shown != "" && got != c.shown {
				t.Errorf("shown %q, want %q", got, c.shown)
			}
		})
	}
}

func TestLayout(t *testing.T) {
	long := mention("1", strings.Repeat("L", 10_000))
	for _, c := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"at a space", "one two three", 9, "one two \nthree|"},
		{"space hangs over", "one two ", 8, "one two|"},
		{"long word", "abcdefgh", 5, "abcd\nefgh|"},
		{"wide at the edge", "abc漢", 5, "abc\n漢|"},
		{"chip moves whole", "abcd " + mention("1", "xy"), 7, "abcd \n⟦@xy⟧|"},
		{"chip wider than the row", long, 7, "⟦@LLLL…⟧|"},
		{"two lines", "a\n\nb", 7, "a\n\nb|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := editor.New()
			e.SetText(c.text)
			if got := marked(e, c.width); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestUpAndDownKeepTheColumn(t *testing.T) {
	e := editor.New()
	e.SetText("abcdef\nx\nabcdef")
	e.SetWidth(0, 20)
	e.Left()
	var got []string
	for _, move := range []func() bool{e.Up, e.Up, e.Up, e.Down, e.Down, e.Down} {
		ok := move()
		got = append(got, map[bool]string{true: marked(e, 20), false: "edge"}[ok])
	}
	want := []string{
		"abcdef\nx|\nabcdef", "abcde|f\nx\nabcdef", "edge",
		"abcdef\nx|\nabcdef", "abcdef\nx\nabcde|f", "edge",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUpAndDownInAWrappedLine(t *testing.T) {
	e := editor.New()
	e.SetText("one two three four")
	e.SetWidth(0, 10) // "one two ", "three ", "four"
	if !e.Up() || marked(e, 10) != "one two \nthre|e \nfour" {
		t.Errorf("up: %q", marked(e, 10))
	}
	if !e.Up() || marked(e, 10) != "one |two \nthree \nfour" {
		t.Errorf("up again: %q", marked(e, 10))
	}
}

func TestViewFollowsTheCursor(t *testing.T) {
	e := editor.New()
	e.SetText("1\n2\n3\n4\n5")
	e.SetWidth(0, 10)
	f := e.View(3, bracket)
	if !slices.Equal(f.Rows, []string{"3", "4", "5"}) || f.CursorY != 2 || f.Above != 2 || f.Below != 0 {
		t.Errorf("at the end: %+v", f)
	}
	for range 4 {
		e.Up()
	}
	f = e.View(3, bracket)
	if !slices.Equal(f.Rows, []string{"1", "2", "3"}) || f.CursorY != 0 || f.Above != 0 || f.Below != 2 {
		t.Errorf("at the top: %+v", f)
	}
	e.Down()
	if f = e.View(3, bracket); f.CursorY != 1 || f.Above != 0 {
		t.Errorf("one down: %+v", f)
	}
}

func TestSnapshotIsExact(t *testing.T) {
	e := editor.New()
	e.SetText("one\n" + mention("1", "x") + "\x1b two")
	e.Up()
	before, shown := e.Snapshot(), marked(e, 20)
	text := e.Text()
	e.Clear()
	e.Type("other")
	e.Restore(before)
	if e.Text() != text || marked(e, 20) != shown {
		t.Errorf("restored %q, want %q", marked(e, 20), shown)
	}
	e.Restore(editor.State{})
	if !e.Empty() {
		t.Errorf("the zero state is %q, want empty", e.Text())
	}
}

func TestHistory(t *testing.T) {
	e := editor.New()
	var h editor.History
	if h.Back(e) || h.Forward(e) {
		t.Error("an empty history moved")
	}
	for _, s := range []string{"one", "two " + mention("1", "x"), "two " + mention("1", "x")} {
		e.SetText(s)
		h.Add(e.Snapshot())
	}
	e.SetText("draft")
	var got []string
	for _, ok := range []bool{h.Back(e), h.Back(e), h.Back(e)} {
		got = append(got, map[bool]string{true: "moved", false: "stayed"}[ok])
	}
	got = append(got, e.Text())
	h.Forward(e)
	got = append(got, marked(e, 20))
	h.Forward(e)
	got = append(got, e.Text())
	want := []string{"moved", "moved", "stayed", "one", "two ⟦@x⟧|", "draft"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBefore(t *testing.T) {
	e := editor.New()
	e.SetText("x\na" + mention("1", "l") + "@é")
	if got, want := e.Before(), []string{"a", "", "@", "é"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzEditing does any steps on any text: nothing panics, the frame stays in its
// bounds, and undoing everything leads back to the start.
func FuzzEditing(f *testing.F) {
	f.Add("one two "+mention("a", "b"), []byte("abcdefghijklmnop"), 9)
	f.Add(family+"漢\u0301\n\n\tx", []byte("aaabbbhhhcccddd"), 3)
	f.Fuzz(func(t *testing.T, text string, steps []byte, width int) {
		width = 2 + (width&0xff)%60
		e := editor.New()
		e.SetWidth(ansi.GraphemeWidth, width)
		bare := func(s string) string { return s }
		moves := []func(){
			e.Left, e.Right, e.WordLeft, e.WordRight, e.LineStart, e.LineEnd, e.Backspace, e.Delete, e.DeleteWord,
			e.DeleteToStart, e.DeleteToEnd, e.Yank, e.Newline, func() { e.Up() }, func() { e.Down() }, e.End,
			func() { e.Paste(text) }, func() { e.Type("\u0301") }, func() { e.Type(" x") }, func() { e.Replace(2, "@p") },
		}
		for _, s := range steps[:min(len(steps), 40)] {
			moves[int(s)%len(moves)]()
			frame := e.View(5, bare)
			if len(frame.Rows) > 5 || frame.CursorY < 0 || frame.CursorY >= len(frame.Rows) || frame.CursorX < 0 || frame.CursorX >= width {
				t.Fatalf("frame out of bounds: %+v in width %d", frame, width)
			}
			for _, row := range frame.Rows {
				if w := cells.Width(ansi.GraphemeWidth, row); w > width {
					t.Fatalf("row %q is %d cells wide, over %d", row, w, width)
				}
			}
		}
		for range 100 {
			e.Undo()
		}
		if !e.Empty() {
			t.Errorf("after undoing all: %q", e.Text())
		}
	})
}
