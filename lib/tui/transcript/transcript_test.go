package transcript_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
	"github.com/dsh-toolkit/dsh/lib/tui/transcript"
)

func event(t *testing.T, typ, data string) session.Event {
	t.Helper()
	v, err := jstext.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return session.Event{Type: typ, Data: v}
}

// shown is the window's rows without styles.
func shown(tr *transcript.Transcript, height int) []string {
	rows, _ := tr.Window(height)
	for i, r := range rows {
		rows[i] = ansi.Strip(r)
	}
	return rows
}

func TestItems(t *testing.T) {
	envelope := `"envelope":{"displayContent":[{"type":"text","text":"Port from @retry bug"}],"prefixContexts":[{"source":{"kind":"plugin","plugin":"session-reference"},` +
		`"meta":{"kind":"session-reference","version":1,"references":[{"sessionId":"id-1","label":"retry bug"},{"sessionId":"id-2","label":"a\u001b[2J"}]}}]}`
	for _, c := range []struct {
		name   string
		events [][2]string
		want   []string
	}{
		{"prompt and answer", [][2]string{
			{"user/message", `{"content":[{"type":"text","text":"hello there, how are you?"}],"source":{"kind":"user"}}`},
			{"assistant/message", `{"content":[{"type":"text","text":"Fine.\n\n  code"}]}`},
		}, []string{"› hello there, how", "  are you?", "", "  Fine.", "", "    code"}},
		{"the display content, and one line of sources", [][2]string{
			{"user/message", `{"content":[{"type":"text","text":"<referenced-sessions>[{}]"}],"source":{"kind":"user"},` + envelope + `}`},
		}, []string{"› Port from @retry", "  bug", "  Referenced sessio…"}},
		{"newlines at an answer's end", [][2]string{
			{"assistant/message", `{"content":[{"type":"text","text":"a\n \n\n"}]}`},
			{"assistant/message", `{"content":[{"type":"text","text":"b"}]}`},
		}, []string{"  a", "", "  b"}},
		{"steering", [][2]string{
			{"steering/message", `{"turn":1,"content":[{"type":"text","text":"faster"}],"source":{"kind":"user"}}`},
		}, []string{"› faster"}},
		{"sources in a message of their own", [][2]string{
			{"user/message", `{"message":{"role":"user","content":[{"type":"text","text":"use @x"}],"source":{"kind":"user"}}}`},
			{"user/message", `{"source":{"kind":"session-reference","references":[{"sessionId":"i","label":"x"}]},"content":[{"type":"text","text":"[{}]"}]}`},
		}, []string{"› use @x", "  Referenced sessio…"}},
		{"tool calls are one line", [][2]string{
			{"assistant/message", `{"content":[{"type":"text","text":"Looking."},{"type":"tool-call","id":"1","name":"bash","arguments":"{\"command\":\"ls\"}"}]}`},
			{"tool/result", `{"content":[{"type":"text","text":"{\"files\":1}"}]}`},
			{"assistant/message", `{"content":[{"type":"tool-call","id":"2","name":"bash","arguments":"{}"},{"type":"tool-call","id":"3","name":"r\u001bd","arguments":"{}"}]}`},
			{"assistant/message", `{"content":[{"type":"text","text":"Done."}]}`},
		}, []string{"  Looking.", "· 3 tool calls · ba…", "", "  Done."}},
		{"a checkpoint", [][2]string{
			{"user/message", `{"content":[{"type":"text","text":"SUMMARY"}],"source":{"kind":"plugin","plugin":"compact"}}`},
		}, []string{"· earlier messages", "  were compacted", "  into a summary"}},
		{"what is not shown", [][2]string{
			{"context/message", `{"content":[{"type":"text","text":"ctx"}],"source":{"kind":"plugin","plugin":"x"}}`},
			{"system/message", `{"message":{"role":"system","content":[{"type":"text","text":"be nice"}]}}`},
			{"user/message", `{"content":[{"type":"text","text":"todo"}],"source":{"kind":"plugin","plugin":"todo"}}`},
		}, nil},
		{"control characters", [][2]string{
			{"assistant/message", `{"content":[{"type":"text","text":"a\u001b]0;x\u0007\u009b31m\u202eb"}]}`},
		}, []string{`  a\x1b]0;x\x07\x9b3`, `  1m\u202eb`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tr transcript.Transcript
			tr.SetSize(0, 20)
			for _, e := range c.events {
				tr.Add(event(t, e[0], e[1]))
			}
			if got := shown(&tr, 50); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestReferenceLine(t *testing.T) {
	var tr transcript.Transcript
	tr.SetSize(0, 96)
	tr.Add(event(t, "user/message", `{"content":[],"source":{"kind":"user"},"envelope":{"displayContent":[{"type":"text","text":"x"}],"prefixContexts":[`+
		`{"meta":{"kind":"session-reference","references":[{"sessionId":"id-1","label":"retry bug"},{"sessionId":"id-2","label":"a\u001b[2J"}]}}]}}`))
	want := []string{"› x", `  Referenced sessions · retry bug (id-1) · a\x1b[2J (id-2)`}
	if got := shown(&tr, 5); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStreaming(t *testing.T) {
	text := "One two three four five.\n\n    code 漢字\nlast line"
	for size := 1; size < 8; size++ {
		var tr transcript.Transcript
		tr.SetSize(0, 16)
		rest := []rune(text)
		for len(rest) > 0 {
			n := min(size, len(rest))
			tr.Stream(string(rest[:n]))
			rest = rest[n:]
			tr.Window(20)
		}
		streamed := shown(&tr, 20)
		var whole transcript.Transcript
		whole.SetSize(0, 16)
		end := event(t, "assistant/message", `{"content":[{"type":"text","text":`+jstext.Quote(text)+`}]}`)
		whole.Add(end)
		want := shown(&whole, 20)
		if !slices.Equal(streamed, want) {
			t.Errorf("by %d: got %q, want %q", size, streamed, want)
		}
		tr.Add(end)
		if got := shown(&tr, 20); !slices.Equal(got, want) || tr.Len() != 1 {
			t.Errorf("by %d, at its end: got %q in %d items, want %q in one", size, got, tr.Len(), want)
		}
		tr.SetSize(0, 30)
		whole.SetSize(0, 30)
		if got, want := shown(&tr, 20), shown(&whole, 20); !slices.Equal(got, want) {
			t.Errorf("by %d, wider: got %q, want %q", size, got, want)
		}
	}
}

func TestAnAnswerCutOffStays(t *testing.T) {
	var tr transcript.Transcript
	tr.SetSize(0, 20)
	tr.Stream("half an ")
	tr.Remark("cancelled")
	tr.Stream("another")
	want := []string{"  half an ", "", "· cancelled", "", "  another"}
	if got := shown(&tr, 9); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestScrolling compares windows with the rows of one window that is high enough
// for all, through any movements.
func TestScrolling(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var tr transcript.Transcript
	tr.SetSize(0, 20)
	for i := range 30 {
		tr.Prompt(fmt.Sprint("p", i, strings.Repeat(" word", rng.IntN(9))))
		tr.Stream(strings.Repeat(fmt.Sprint("a", i, "\n"), 1+rng.IntN(4)) + ".")
	}
	all := shown(&tr, 100_000)
	const height = 7
	at := len(all) - height // the first row in sight, by the plain reckoning
	shown(&tr, height)
	for range 2000 {
		switch n := rng.IntN(30) - 15; rng.IntN(8) {
		case 0:
			tr.ToEnd()
			at = len(all) - height
		case 1:
			tr.ToStart()
			at = 0
		default:
			tr.Scroll(n)
			at = min(max(at+n, 0), len(all)-height)
		}
		if got, want := tr.Below(), len(all)-height-at; got != want {
			t.Fatalf("%d rows below, want %d", got, want)
		}
		if got := shown(&tr, height); !slices.Equal(got, all[at:at+height]) {
			t.Fatalf("at %d: got %q, want %q", at, got, all[at:at+height])
		}
	}
}

func TestAWindowScrolledBackStaysWhereItIs(t *testing.T) {
	var tr transcript.Transcript
	tr.SetSize(0, 20)
	for i := range 10 {
		tr.Prompt(fmt.Sprint("p", i))
	}
	shown(&tr, 3)
	tr.Scroll(-4)
	before := shown(&tr, 3)
	tr.Stream("new\nrows\n")
	if got := shown(&tr, 3); !slices.Equal(got, before) {
		t.Errorf("got %q, want %q still", got, before)
	}
	if tr.Below() == 0 {
		t.Error("nothing below")
	}
	tr.Page(9)
	tr.Stream("last")
	if got := shown(&tr, 3); got[2] != "  last" {
		t.Errorf("at the end again: %q", got)
	}
}

func TestRowsFit(t *testing.T) {
	for width := 1; width < 30; width++ {
		var tr transcript.Transcript
		tr.SetSize(ansi.GraphemeWidth, width)
		tr.Prompt("漢字 and 👨‍👩‍👧 " + strings.Repeat("x", 40))
		tr.Failure("it\u202e broke")
		tr.Stream("漢字漢字\ttab")
		for _, r := range shown(&tr, 1000) {
			// Two cells of indent and one wide character are the least there can be.
			if w := cells.Width(ansi.GraphemeWidth, r); w > max(width, 4) {
				t.Errorf("width %d: row %q has %d", width, r, w)
			}
		}
	}
}

func BenchmarkLongConversation(b *testing.B) {
	var tr transcript.Transcript
	tr.SetSize(0, 96)
	for range 5000 {
		tr.Prompt(strings.Repeat("prompt ", 20))
		tr.Stream(strings.Repeat("answer ", 200))
	}
	b.ReportAllocs()
	for b.Loop() {
		tr.Stream("x ")
		tr.Window(24)
	}
}
