package hook

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/inbox"
)

// Whatever a command prints is one of the three answers, whole, or an error.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", " \n", `{"kind":"allow"}`, `{"kind":"allow","content":[{"type":"text","text":"x"}],"additionalContexts":[]}`,
		`{"kind":"block","reason":"no"}`, `{"kind":"block"}`, `{"kind":"allow","kind":"block","reason":""}`, `{"kind":`, "[]",
		`{"kind":"allow","content":[{"type":"text"}]}`, `{"kind":"allow","content":[{"type":"x","n":-0}]}`, "\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parse(s)
		switch {
		case err != nil:
			return
		case a.kind == blocks && (a.content.Exists() || a.contexts.Exists()), a.kind == delegates && a != answer{}:
			t.Fatalf("%q means %+v", s, a)
		}
		if a.content.Exists() {
			if err := inbox.CheckContent("content", a.content); err != nil {
				t.Fatalf("%q has content %s: %v", s, a.content.Raw(), err)
			}
		}
		if a.contexts.Exists() {
			if err := inbox.CheckContexts(a.contexts); err != nil {
				t.Fatalf("%q has contexts %s: %v", s, a.contexts.Raw(), err)
			}
		}
	})
}
