package agent_test

import (
	"os"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func vectors(t *testing.T, name string) jstext.Value {
	t.Helper()
	b, err := os.ReadFile("../../testdata/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jstext.Parse(jstext.Decode(b))
	if err != nil {
		t.Fatal(err)
	}
	if v.Get("cases").Len() == 0 {
		t.Fatalf("no cases in %s", name)
	}
	return v.Get("cases")
}

// The bytes are the reference's, not only the values.
func TestPlaceVectors(t *testing.T) {
	for c := range vectors(t, "admission.json").Elements() {
		name, _ := c.Get("case").Text()
		t.Run(name, func(t *testing.T) {
			p := agent.Place(c.Get("content"), c.Get("source"), c.Get("contexts"))
			if got, want := p.Data().Raw(), c.Get("result", "data").Raw(); got != want {
				t.Errorf("data\n got %s\nwant %s", got, want)
			}
			var w jstext.Writer
			w.BeginArray()
			for _, s := range p.Separate {
				w.Raw(s)
			}
			w.EndArray()
			if got, want := w.String(), c.Get("result", "separateContexts").Raw(); got != want {
				t.Errorf("separate contexts\n got %s\nwant %s", got, want)
			}
		})
	}
}
