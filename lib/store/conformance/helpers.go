package conformance

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// ReadFile reads a bare file, which must succeed.
func ReadFile(t testing.TB, f store.Format, path string) *store.Reading {
	t.Helper()
	r, err := f.ReadFile(context.Background(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ReadText reads content as a file of the given name.
func ReadText(t testing.TB, f store.Format, name, content string) *store.Reading {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	mustWrite(t, path, []byte(content))
	return ReadFile(t, f, path)
}

// StoreOf lays files down below a new root, by their paths there, and opens it.
func StoreOf(t testing.TB, f store.Format, files map[string]string) store.Store {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, path, []byte(content))
	}
	return Open(t, f, root)
}

// Open opens a root, in surroundings without anything.
func Open(t testing.TB, f store.Format, root string) store.Store {
	t.Helper()
	st, err := f.Open(root, Env(t))
	if err != nil {
		t.Fatalf("open %q: %v", root, err)
	}
	return st
}

// ListAll is a whole listing.
func ListAll(st store.Store) (entries []store.Entry, errs []error) {
	for e, err := range st.List(context.Background()) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, e)
	}
	return entries, errs
}

// Fixtures runs every expected.json in dir as a test against the file of the same
// name with ext. There must be at least least of them.
func Fixtures(t *testing.T, f store.Format, dir, ext string, least int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.expected.json"))
	if err != nil || len(files) < least {
		t.Fatalf("%d fixtures in %q, want %d; %v", len(files), dir, least, err)
	}
	for _, expected := range files {
		name := strings.TrimSuffix(expected, ".expected.json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			Golden(t, ReadFile(t, f, name+ext), expected)
		})
	}
}

// Said checks a reading's conversation as it is projected. Each turn is "user: text", "assistant: text"
// or "summary: text".
func Said(t testing.TB, r *store.Reading, turns ...string) {
	t.Helper()
	want := []Turn{}
	for _, s := range turns {
		who, text, _ := strings.Cut(s, ": ")
		turn := Turn{session.User, text, who == "summary"}
		if who == "assistant" {
			turn.Role = session.Assistant
		}
		want = append(want, turn)
	}
	Conversation(t, r.Surface)
	wantTurns(t, projected(r), want)
}

// Marks are what a receipt says beside the conversation.
type Marks struct {
	Checkpoint, Sealed bool
	Dropped, Damaged   int64
	Notes              int // how many
}

// Marked checks a reading's marks.
func Marked(t testing.TB, r *store.Reading, want Marks) {
	t.Helper()
	rc := r.Receipt
	got := Marks{rc.Checkpoint, rc.SealedCheckpoint, rc.DroppedBranches, rc.DamagedRecords, len(rc.Notes)}
	if got != want {
		t.Errorf("marks %+v (notes %q), want %+v", got, rc.Notes, want)
	}
}

// Says reports whether anything that is printed of a reading holds text.
func Says(r *store.Reading, text string) bool {
	return strings.Contains(string(r.Surface.AppendJSON(nil)), text) ||
		slices.ContainsFunc(r.Receipt.Notes, func(n string) bool { return strings.Contains(n, text) })
}
