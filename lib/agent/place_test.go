package agent_test

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/vectors"
)

// The bytes are the reference's, not only the values.
func TestPlaceVectors(t *testing.T) {
	vectors.Each(t, "admission.json", func(t *testing.T, c jstext.Value) {
		p := agent.Place(c.Get("content"), c.Get("source"), c.Get("contexts"))
		if got, want := p.Data().Raw(), c.Get("result", "data").Raw(); got != want {
			t.Errorf("data\n got %s\nwant %s", got, want)
		}
		if got, want := array(p.Separate), c.Get("result", "separateContexts").Raw(); got != want {
			t.Errorf("separate contexts\n got %s\nwant %s", got, want)
		}
	})
}

func array(values []jstext.Value) string {
	var w jstext.Writer
	w.BeginArray()
	for _, v := range values {
		w.Raw(v)
	}
	w.EndArray()
	return w.String()
}

// Who takes one message and nothing beside it gets every context in front.
func TestBakeAll(t *testing.T) {
	content := session.TextContent("Hello")
	if got := agent.BakeAll(content, jstext.MustParse("[]")).Raw(); got != content.Raw() {
		t.Errorf("without contexts: %s", got)
	}
	got := agent.BakeAll(content, contexts(snapshot, note)).Raw()
	want := `[{"type":"text","text":"<snapshot>"},{"type":"text","text":"a note"},{"type":"text","text":"\n\n## My request:\n"},{"type":"text","text":"Hello"}]`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
