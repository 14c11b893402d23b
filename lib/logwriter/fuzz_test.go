package logwriter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/logwriter"
)

// Whatever bytes are found in the place of a log: either it cannot be continued and
// is left as it is, or what is continued is its whole lines with closers behind
// them, and opening it again changes nothing.
func FuzzOpen(f *testing.F) {
	const head = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}` + "\n"
	for _, s := range []string{
		"", head, head[:30], head + `{"type":"note","seq":0,"time":1,"data":{}}` + "\n",
		head + `{"type":"turn/start","seq":0,"time":5,"data":{"turn":1}}` + "\n" + `{"type":"step/start","seq":1`,
		head + `{"type":"user/message","seq":0,"time":1,"data":{"content":[]},"surfaceOp":"append"}` + "\n\n",
		head + "\xff\xfe\n", head + strings.Repeat("[", 20000) + "\n", strings.Replace(head, "0,", "9,", 1),
		head + `{"type":"user/message","seq":0,"surfaceOp":{"op":"replace","start":0,"end":0}}` + "\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := openRoot(t, filepath.Join(t.TempDir(), "root"))
		l := open(t, r, "s", nil)
		l.Close()
		if err := os.WriteFile(l.Path(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		before := string(b)
		l, err := r.Open(logwriter.Options{ID: "s", Now: clock})
		if err != nil {
			if got := read(t, filepath.Join(r.Dir(), "_no-cwd", "s", "session.jsonl")); got != before {
				t.Fatalf("%q was refused (%v) and changed to %q", before, err, got)
			}
			return
		}
		next := l.Next()
		l.Close()
		after := read(t, l.Path())
		whole := before[:strings.LastIndexByte(before, '\n')+1]
		if !strings.HasPrefix(after, whole) || !strings.HasSuffix(after, "\n") {
			t.Fatalf("%q became %q", before, after)
		}
		again := open(t, r, "s", nil)
		if got := read(t, again.Path()); got != after || again.Next() != next {
			t.Fatalf("opened again: %q became %q", after, got)
		}
		again.Close()
	})
}
