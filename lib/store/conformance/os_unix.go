//go:build unix

package conformance

import (
	"context"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// forbid takes all permissions from path until the test ends.
func forbid(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(path, info.Mode()) })
	if os.Geteuid() == 0 {
		dropOverride(t)
	}
	var denied bool
	if info.IsDir() {
		_, err = os.ReadDir(path)
		denied = err != nil
	} else {
		_, err = os.ReadFile(path)
		denied = err != nil
	}
	if !denied {
		t.Skip("this user may read everything")
	}
}

// checkFIFO puts a pipe where a session was. A listing passes it by; a reading
// waits for its writer, and for nothing once it is cancelled.
func checkFIFO(t *testing.T, r Reader) {
	root := t.TempDir()
	at := r.Lay(t, root, r.session(1))
	r.Lay(t, root, r.session(2))
	st := r.open(t, root)
	ref := find(t, st, r.ID(1))
	if err := os.Remove(at.Path); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(at.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	within(t, "the listing", func() {
		entries, _ := list(t, st)
		wantIDs(t, entries, r.full(r.ID(2)))
	})
	within(t, "the look-up", func() {
		if _, err := st.Lookup(context.Background(), r.ID(1)); err != nil {
			t.Error(err)
		}
	})
	within(t, "the reading", func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_, err := st.Read(ctx, ref, store.ReadOptions{})
		wantFault(t, err, fault.Cancelled, fault.Unreadable)
	})
}
