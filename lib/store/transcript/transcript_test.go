package transcript

import (
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/session"
)

var block = frame.Write(frame.InPrompt, [][]byte{[]byte(`{"sessionId":"x","label":"x","cwd":null,"capturedThroughSeq":1,"conversation":[]}`)})

func TestRequest(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", " go on \n", "go on"},
		{"baked", "\n" + block + "\n\n## My request:\nplease\n\ncontinue\n", "please\n\ncontinue"},
		{"joined blocks", Join([]string{block, frame.RequestHeading, "please"}), "please"},
		{"no delimiter", block + "\n\nplease", "please"},
		{"nothing asked", block + "\n\n## My request:\n", ""},
		{"a warning of their own", "## Referenced sessions\n\nuntrusted\n\n<referenced-sessions>\n[]\n</referenced-sessions>", "## Referenced sessions\n\nuntrusted\n\n<referenced-sessions>\n[]\n</referenced-sessions>"},
	} {
		if got := Request(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTitle(t *testing.T) {
	long := strings.Repeat("日", 300)
	for _, c := range []struct{ in, want string }{
		{"two\n  lines\tand \x1b[31m", "two lines and \x1b[31m"},
		{block + "\n\n## My request:\nplease", "please"},
		{long, strings.Repeat("日", 200) + "…"},
		{strings.Repeat("日", 200), strings.Repeat("日", 200)},
		{strings.Repeat("\xed\xa0\xbd", 201), strings.Repeat("\xed\xa0\xbd", 200) + "…"},
	} {
		if got := Title(c.in); got == nil || *got != c.want {
			t.Errorf("%.40q: got %v, want %q", c.in, got, c.want)
		}
	}
	for _, in := range []string{"", " \n", block} {
		if got := Title(in); got != nil {
			t.Errorf("%.40q: got %q, want none", in, *got)
		}
	}
}

func TestBuilder(t *testing.T) {
	var b Builder
	if b.Checkpoint(5, 0, " \n") {
		t.Error("an empty summary was taken for a text")
	}
	b.Checkpoint(5, 1000, " summary ")
	b.User(2, 0, "kept from before")
	b.User(6, 0, "  ")
	b.Assistant(8, 0, "\nanswer\n", "p", "m")
	s := b.Surface("ant:1", -1, nil, nil, 10)
	want := []struct {
		seq        int64
		role       session.Role
		text       string
		checkpoint bool
	}{{5, session.User, "summary", true}, {6, session.User, "kept from before", false}, {8, session.Assistant, "answer", false}}
	if len(s.Events) != len(want) || *s.CapturedThroughSeq != 9 || s.Header.CreatedAt != 0 {
		t.Fatalf("%d events through %d, created %d", len(s.Events), *s.CapturedThroughSeq, s.Header.CreatedAt)
	}
	for i, w := range want {
		m := session.MessageOf(s.Events[i])
		if s.Events[i].Seq != w.seq || m.Role != w.role || session.Text(m.Content) != w.text || m.Checkpoint() != w.checkpoint {
			t.Errorf("event %d: %s", i, s.Events[i].JSON.Raw())
		}
	}
	if s := new(Builder).Surface("ant:1", 0, nil, nil, 0); s.CapturedThroughSeq != nil {
		t.Errorf("an empty log was captured through %d", *s.CapturedThroughSeq)
	}
}

func TestJoin(t *testing.T) {
	if got := Join([]string{"\na \n", "", " \n", "\n  b\n"}); got != "a\n\n  b" {
		t.Errorf("got %q", got)
	}
}
