package conformance

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// TornEverywhere cuts logs of lines at every byte, of longer ones at some hundreds that
// lie anywhere: what is read is what the whole records before the cut say, no more and no
// less. There must be at least least logs that the patterns match.
func TornEverywhere(t *testing.T, f store.Format, least int, patterns ...string) {
	t.Helper()
	n := 0
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			n++
			t.Run(filepath.Base(name), func(t *testing.T) { tornAnywhere(t, f, name) })
		}
	}
	if n < least {
		t.Errorf("%d logs, want %d", n, least)
	}
}

func tornAnywhere(t *testing.T, f store.Format, name string) {
	content := mustRead(t, name)
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	surface := func(content []byte) string {
		mustWrite(t, path, content)
		r, err := f.ReadFile(context.Background(), path, store.ReadOptions{})
		if err != nil {
			wantFault(t, err, fault.Damaged, fault.Unsupported)
			return "error"
		}
		return string(r.Surface.AppendJSON(nil))
	}
	whole, at := "", -1
	for cut := 1; cut < len(content); cut += 1 + len(content)/400 {
		start := bytes.LastIndexByte(content[:cut], '\n') + 1
		if at != start {
			whole, at = surface(content[:start]), start
		}
		if cut == start {
			continue
		}
		want := whole
		if v, err := jstext.Parse(jstext.Decode(content[start:cut])); err == nil && v.Kind() == jstext.Object {
			want = surface(append(content[:cut:cut], '\n'))
		}
		// Of what begins with an unfinished record it may be said that it is no log yet.
		if got := surface(content[:cut]); start > 0 && got != want {
			t.Fatalf("cut at %d of %d:\n%s\nwant\n%s", cut, len(content), got, want)
		}
	}
}

// checkReplaced reads and lists while the file is cut, written over and put in place of
// another, again and again. There is an answer or an error that says so each time, and
// once the file rests it is read.
func checkReplaced(t *testing.T, r Reader) {
	if !r.Lines {
		t.Skip("not a file of lines")
	}
	short := r.session(1)
	long := r.session(1, User("one"), Message{Role: session.Assistant, Literal: `"two"`, Output: 300_000}, User("three"), Assistant("four"))
	st, at := r.laid(t, long)
	contents := [][]byte{
		mustRead(t, at.Path), mustRead(t, r.Lay(t, t.TempDir(), short).Path), bytes.Repeat([]byte{0}, 100_000), []byte("{"),
		{},
		bytes.Repeat([]byte(`{"a":[`), 50_000), mustRead(t, at.Path)[:200_000],
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			c := contents[i%len(contents)]
			to := at.Path
			if i%3 == 0 {
				to = at.Path + ".tmp"
			}
			if err := os.WriteFile(to, c, 0o600); err != nil {
				t.Error(err)
				return
			}
			if to != at.Path {
				if err := os.Rename(to, at.Path); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for range 200 {
		if _, err := r.Format.ReadFile(context.Background(), at.Path, store.ReadOptions{Hash: true}); err != nil {
			wantFault(t, err, fault.Damaged, fault.Unreadable)
		}
		_, errs := list(t, st)
		for _, err := range errs {
			wantFault(t, err, fault.Damaged, fault.Unreadable)
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	<-done
	mustWrite(t, at.Path, contents[0])
	wantTurns(t, Conversation(t, read(t, st, long.ID).Surface), turns(long.Messages))
}
