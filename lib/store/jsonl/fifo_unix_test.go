//go:build unix

package jsonl

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo.jsonl")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPeek(path); fault.KindOf(err) != fault.Unreadable {
		t.Errorf("a listing looks into a pipe: %v", err)
	}
	t.Run("never delivers", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		if _, err := Open(ctx, path); fault.KindOf(err) != fault.Cancelled {
			t.Errorf("got %v, want a cancellation", err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
	})
	t.Run("delivers", func(t *testing.T) {
		// The reader that was given up above still waits for a writer; give it one of
		// its own, or the two share the bytes.
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		fresh := filepath.Join(t.TempDir(), "fifo.jsonl")
		if err := unix.Mkfifo(fresh, 0o600); err != nil {
			t.Fatal(err)
		}
		go os.WriteFile(fresh, []byte("{\"a\":1}\n{\"b\":2}\n"), 0o600)
		s := open(t, fresh)
		if recs := all(t, s, nil); len(recs) != 2 {
			t.Errorf("%d records, want 2", len(recs))
		}
	})
}
