package cells_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

const family = "👨‍👩‍👧"

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		s        string
		wc, seen int
	}{
		{"", 0, 0},
		{"abc", 3, 3},
		{"漢字", 4, 4},
		{"e\u0301", 1, 1},
		{"a\tb", 6, 6},
		{"🇯🇵", 2, 2},
		{family, 6, 2},
		{"👍🏽", 2, 2},
		{"🏽", 2, 2},
		{"❤️", 1, 2},
	} {
		if got := cells.Width(ansi.WcWidth, c.s); got != c.wc {
			t.Errorf("Width(wc, %q) = %d, want %d", c.s, got, c.wc)
		}
		if got := cells.Width(ansi.GraphemeWidth, c.s); got != c.seen {
			t.Errorf("Width(grapheme, %q) = %d, want %d", c.s, got, c.seen)
		}
	}
}

// On a terminal that sums code points what is drawn holds nothing that terminals
// disagree about, and is as wide as was reckoned.
func TestDrawn(t *testing.T) {
	for _, c := range []struct{ s, wc string }{
		{"plain", "plain"},
		{"a\tb", "a    b"},
		{"漢字", "漢字"},
		{"🇯🇵", "🇯🇵"},
		{family, "👨👩👧"},
		{"👍🏽!", "👍!"},
		{"❤️", "❤"},
		{"1️⃣", "1⃣"},
		{"🏽", "🏽"},
		{"क्\u200dष", "क्\u200dष"},
		{"🏳️‍🌈", "🏳🌈"},
	} {
		got := cells.Drawn(ansi.WcWidth, c.s)
		if got != c.wc {
			t.Errorf("Drawn(wc, %q) = %q, want %q", c.s, got, c.wc)
		}
		if w := ansi.StringWidthWc(got); !strings.Contains(c.s, "\t") && w != cells.Width(ansi.WcWidth, c.s) {
			t.Errorf("%q is drawn %d cells wide, reckoned %d", c.s, w, cells.Width(ansi.WcWidth, c.s))
		}
		if want := strings.ReplaceAll(c.s, "\t", "    "); cells.Drawn(ansi.GraphemeWidth, c.s) != want {
			t.Errorf("Drawn(grapheme, %q) = %q, want %q", c.s, cells.Drawn(ansi.GraphemeWidth, c.s), want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s           string
		width       int
		right, left string
	}{
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "…cd"},
		{"abcd", 1, "…", "…"},
		{"abcd", 0, "", ""},
		{"漢字漢字", 8, "漢字漢字", "漢字漢字"},
		{"漢字漢字", 7, "漢字漢…", "…字漢字"},
		{"漢字漢字", 6, "漢字…", "…漢字"},
		{"a" + family + "b", 3, "a…", "…b"},
		{"a\tb", 6, "a    b", "a    b"},
	} {
		if got := cells.Truncate(ansi.GraphemeWidth, c.s, c.width); got != c.right {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.s, c.width, got, c.right)
		}
		if got := cells.TruncateLeft(ansi.GraphemeWidth, c.s, c.width); got != c.left {
			t.Errorf("TruncateLeft(%q, %d) = %q, want %q", c.s, c.width, got, c.left)
		}
	}
}

func TestSides(t *testing.T) {
	for _, c := range []struct {
		left, right string
		width       int
		want        string
	}{
		{"left", "right", 14, "left     right"},
		{"left", "right", 11, "left  right"},
		{"left", "right", 10, "le…  right"},
		{"left", "right", 7, "  right"},
		{"left", "right", 4, "rig…"},
		{"left", "", 6, "left  "},
		{"漢字漢字", "r", 8, "漢字…  r"},
	} {
		if got := cells.Sides(0, c.left, c.right, c.width); got != c.want {
			t.Errorf("Sides(%q, %q, %d) = %q, want %q", c.left, c.right, c.width, got, c.want)
		}
	}
}

func TestSome(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{{20, "one · two · three"}, {16, "one · two"}, {8, "one"}, {2, ""}} {
		if got := cells.Some(0, c.width, "one", "two", "three"); got != c.want {
			t.Errorf("Some(%d) = %q, want %q", c.width, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, s string
		width   int
		want    []string
	}{
		{"empty", "", 5, []string{""}},
		{"fits", "a b", 3, []string{"a b"}},
		{"at a space", "one two three", 8, []string{"one two", "three"}},
		{"space at the edge", "one two", 3, []string{"one", "two"}},
		{"run of spaces goes", "one   two", 4, []string{"one", "two"}},
		{"trailing spaces", "one     ", 4, []string{"one"}},
		{"long word", "abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"long word after text", "ab cdefghij", 5, []string{"ab", "cdefg", "hij"}},
		{"indentation stays", "    if x {", 7, []string{"    if", "x {"}},
		{"only spaces", "        ", 3, []string{""}},
		{"ideographs", "漢字漢字", 5, []string{"漢字", "漢字"}},
		{"ideograph then word", "漢字 word", 6, []string{"漢字", "word"}},
		{"no stop at a row's start", "漢字。", 4, []string{"漢", "字。"}},
		{"lines", "a\n\nb", 5, []string{"a", "", "b"}},
		{"wider than the row", "漢字", 1, []string{"漢", "字"}},
		{"emoji in a word", "aaaa👍b", 5, []string{"aaaa", "👍b"}},
		{"tab", "\tx", 8, []string{"    x"}},
		{"width zero", "ab", 0, []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := cells.Wrap(ansi.GraphemeWidth, c.s, c.width); !slices.Equal(got, c.want) {
				t.Errorf("Wrap(%q, %d) = %q, want %q", c.s, c.width, got, c.want)
			}
		})
	}
}

// FuzzWrap holds two laws: rows fit, unless one cluster alone does not, and
// nothing but spaces is lost.
func FuzzWrap(f *testing.F) {
	for _, s := range []string{"one two  three", "漢字かな交じり文。word", family + family + " x", "    indented\tcode", "\n\n"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + (width&0xff)%100
		var all strings.Builder
		for _, row := range cells.Wrap(ansi.GraphemeWidth, s, width) {
			if w := cells.Width(ansi.GraphemeWidth, row); w > width {
				n := 0
				for range cells.Clusters(ansi.GraphemeWidth, row) {
					n++
				}
				if n > 1 && strings.TrimSpace(row) != "" {
					t.Errorf("row %q is %d cells wide, over %d", row, w, width)
				}
			}
			all.WriteString(row)
		}
		bare := strings.NewReplacer(" ", "", "\n", "", "\t", "")
		if got, want := bare.Replace(all.String()), bare.Replace(s); got != want {
			t.Errorf("rows of %q hold %q", want, got)
		}
	})
}
