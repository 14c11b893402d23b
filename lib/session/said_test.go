package session_test

import (
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

var framed = frame.Write(frame.InPrompt, [][]byte{[]byte(`{"sessionId":"x","label":"x","cwd":null,"capturedThroughSeq":1,"conversation":[{"role":"user","text":"INNER"}]}`)})

// prompt is a user/message event of format 4 with text blocks.
func prompt(seq int64, kind string, blocks ...string) session.Event {
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text("user/message")
	w.Key("seq")
	w.Int(seq)
	w.Key("surfaceOp")
	w.Text("append")
	w.Key("data")
	w.BeginObject()
	w.Key("source")
	w.BeginObject()
	w.Key("kind")
	w.Text(kind)
	w.EndObject()
	w.Key("content")
	w.BeginArray()
	for _, b := range blocks {
		session.WriteTextBlock(&w, b)
	}
	w.EndArray()
	w.EndObject()
	w.EndObject()
	return session.ParseEvent(w.Value())
}

func TestSaid(t *testing.T) {
	look := strings.Replace(framed, "untrusted", "trusted", 1) + frame.RequestHeading + "go"
	tests := []struct {
		name      string
		blocks    []string
		text      string
		snapshots int
	}{
		{"plain", []string{" a", "b "}, " a\nb ", 0},
		{"one text", []string{framed + frame.RequestHeading + "go"}, "go", 1},
		{"baked blocks", []string{framed, frame.RequestHeading, "go", "on"}, "go\non", 1},
		{"alone", []string{framed}, "", 1},
		{"look-alike", []string{look}, look, 0},
	}
	for _, tt := range tests {
		text, n := session.MessageOf(prompt(0, "user", tt.blocks...)).Said()
		if text != tt.text || n != tt.snapshots {
			t.Errorf("%s: got %q of %d snapshots, want %q of %d", tt.name, text, n, tt.text, tt.snapshots)
		}
	}
}

// A title that a program made of a prompt with a frame is made of the request
// instead; one that somebody chose stays.
func TestTitleOfFramedPrompt(t *testing.T) {
	title := func(text, source, seqs string) session.Event {
		return session.ParseEvent(jstext.MustParse(`{"type":"session/title","seq":2,"data":{"title":` + jstext.Quote(text) +
			`,"messageSeqs":` + seqs + `,"source":{"kind":"` + source + `"}}}`))
	}
	const made = "## Referenced sessions The JSON"
	ask := framed + frame.RequestHeading
	tests := []struct {
		name   string
		first  []string
		second []string
		title  session.Event
		want   string // empty: none
	}{
		{"one text", []string{ask + "Port the retry fix to the worker now"}, []string{"x"}, title(made, "fallback", "[0,1]"), "Port the retry fix to"},
		{"blocks", []string{framed, frame.RequestHeading, "Port it"}, []string{"x"}, title(made, "fallback", "[0]"), "Port it"},
		{"a mention in it", []string{ask + "Port @[it](dsh-session:ImEi) now"}, []string{"x"}, title(made, "fallback", "[0]"), "Port @it now"},
		{"alone, then words", []string{framed}, []string{"Go on."}, title(made, "fallback", "[0,1]"), "Go on."},
		{"alone", []string{framed}, []string{"x"}, title(made, "fallback", "[0]"), ""},
		{"chosen", []string{ask + "Port it"}, []string{"x"}, title(made, "user", "[0]"), made},
		{"a heading of one's own", []string{"## Referenced sessions The JSON is bad"}, []string{"x"}, title(made, "fallback", "[0]"), made},
		{"of a prompt that is not there", []string{ask + "Port it"}, []string{"x"}, title(made, "fallback", "[7]"), made},
		{"a mention", []string{"x"}, []string{"x"}, title("Port @[it](dsh-session:ImEi) now", "provider", "[0]"), "Port @it now"},
		{"a mention cut off", []string{"x"}, []string{"x"}, title("Port @[it](dsh-session:Im", "fallback", "[0]"), "Port @[it](dsh-session:Im"},
	}
	for _, tt := range tests {
		f := session.NewFold(4)
		for _, ev := range []session.Event{prompt(0, "user", tt.first...), prompt(1, "user", tt.second...), tt.title} {
			if err := f.Add(ev); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
		}
		got := ""
		if f.Title() != nil {
			got = *f.Title()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTitleMessagesOfFramedPrompts(t *testing.T) {
	events := []session.Event{
		prompt(0, "user", framed), prompt(1, "user", framed+frame.RequestHeading+"see @[it](dsh-session:ImEi)"),
		prompt(2, "plugin", framed), prompt(3, "user", "dsh-session:bad"),
	}
	got := session.TitleMessages(events, nil)
	want := []session.TitleMessage{{Seq: 1, Text: "see @it"}, {Seq: 3, Text: "dsh-session:bad"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
