package pi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/pi"
)

// What one program found in a body, the next one finds in the cache, until the file
// changes.
func TestTitlesOutliveTheProgram(t *testing.T) {
	env := conformance.Env(t)
	env.CacheDir = t.TempDir()
	root := t.TempDir()
	long := user("z", "null", strings.Repeat("x", 100_000))
	path := place(t, root, "t_x.jsonl", headOf("x", "")+long+name("Named")+long)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	title := func() string {
		st, err := pi.Format.Open(root, env)
		if err != nil {
			t.Fatal(err)
		}
		set := &store.Set{Stores: []store.Store{st}}
		entries, errs := set.List(t.Context())
		if len(entries) != 1 || len(errs) > 0 {
			t.Fatal(entries, errs)
		}
		set.FillTitles(t.Context(), entries)
		return optional(entries[0].Title)
	}
	if got := title(); got != "Named" {
		t.Errorf("title %q", got)
	}
	kept, err := filepath.Glob(filepath.Join(env.CacheDir, "heads", "pi-*"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v", kept, err)
	}
	place(t, root, "t_x.jsonl", headOf("x", "")+long+name("Renamed")+long)
	if got := title(); got != "Renamed" {
		t.Errorf("title %q", got)
	}
}
