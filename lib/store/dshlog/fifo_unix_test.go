//go:build unix

package dshlog_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
)

func fifo(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// feed writes into a pipe and leaves it open until the returned function is called.
func feed(t *testing.T, path, content string) func() {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = f.WriteString(content) // the reader may be gone
		<-done
		_ = f.Close()
	}()
	return func() { close(done); <-gone }
}

func TestPipe(t *testing.T) {
	for _, f := range fixtures(t)[:12] {
		content, err := os.ReadFile(f.log)
		if err != nil {
			t.Fatal(err)
		}
		path := fifo(t, t.TempDir(), "pipe")
		go feed(t, path, string(content))()
		r, err := dshlog.Format.ReadFile(ctx, path, store.ReadOptions{Hash: true})
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		f.check(t, r)
		sum := sha256.Sum256(content)
		if r.Receipt.SHA256 != hex.EncodeToString(sum[:]) || r.Receipt.BytesRead != int64(len(content)) {
			t.Errorf("%s: %+v", f.name, r.Receipt)
		}
	}
}

// Reading a pipe that does not deliver ends when the caller says so.
func TestPipeHangs(t *testing.T) {
	for name, content := range map[string]*string{
		"nobody opens it": nil, "nothing comes": new(string),
		"half a header comes": pointer(`{"type":"session",`), "half a log comes": pointer(header(0, "x", "") + user(0, "a")),
	} {
		t.Run(name, func(t *testing.T) {
			path := fifo(t, t.TempDir(), "pipe")
			if content != nil {
				stop := feed(t, path, *content)
				defer stop()
			} else {
				defer func() { // let the opener go
					if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
						_ = f.Close()
					}
				}()
			}
			short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := dshlog.Format.ReadFile(short, path, store.ReadOptions{})
			if fault.KindOf(err) != fault.Cancelled {
				t.Errorf("error %v", err)
			}
			if d := time.Since(start); d > 2*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func pointer(s string) *string { return &s }

// Pipes in a store are nobody's sessions, and nobody waits for them.
func TestPipesInAStore(t *testing.T) {
	root := t.TempDir()
	fifo(t, root, "_no-cwd/x.jsonl")
	fifo(t, root, "--a--/y/session.jsonl")
	fifo(t, root, "pipe")
	write(t, root, "_no-cwd/z.jsonl", header(0, "z", ""))
	s := open(t, root)
	entries, errs := list(t, s)
	if len(entries) != 1 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "not a regular file") {
		t.Errorf("listed %v, %v", entries, errs)
	}
	if refs, err := s.Lookup(ctx, "x"); err != nil || len(refs) > 0 {
		t.Errorf("x: %v, %v", refs, err)
	}
	if _, err := s.Title(ctx, store.Entry{Path: filepath.Join(root, "--a--/y/session.jsonl")}); fault.KindOf(err) != fault.Unreadable {
		t.Errorf("title: %v", err)
	}
}
