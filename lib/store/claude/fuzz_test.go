package claude_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/claude"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

// FuzzRead reads any bytes as a session. Whatever they are, the result is a fault
// or a conversation in order, the same when it is read again, and a record that is
// being appended changes nothing.
func FuzzRead(f *testing.F) {
	for _, c := range ruleCases {
		f.Add([]byte(strings.Join(c.lines, "\n") + "\n"))
	}
	files, err := filepath.Glob(fixtures + "/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, path := range files {
		f.Add([]byte(read(f, path)))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		path := filepath.Join(t.TempDir(), id1+".jsonl")
		get := func(content []byte) *store.Reading {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := claude.Format.ReadFile(context.Background(), path, store.ReadOptions{})
			var fe *fault.Error
			if err != nil && !errors.As(err, &fe) {
				t.Fatalf("%v is no fault", err)
			}
			return r
		}
		r := get(in)
		if r == nil {
			return
		}
		got := fmt.Sprint(conformance.Conversation(t, r.Surface))
		// Where the bytes end in a line end, half a record behind them is a torn tail.
		if len(in) > 0 && in[len(in)-1] == '\n' {
			torn := get(append(in[:len(in):len(in)], `{"type":"user","uu`...))
			if again := fmt.Sprint(conformance.Conversation(t, torn.Surface)); again != got || torn.Receipt.TornTail == 0 {
				t.Errorf("with a torn tail (%d)\n%s\nwithout\n%s", torn.Receipt.TornTail, again, got)
			}
		}
	})
}

// big writes a session of about size bytes, nearly all of it tool output, with n
// turns that say little.
func big(tb testing.TB, size, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	var messages []conformance.Message
	for i := range n {
		m := conformance.Assistant(fmt.Sprint("answer ", i))
		m.Output = size / n / 2 // it is written twice
		messages = append(messages, conformance.User(fmt.Sprint("question ", i)), m)
	}
	return lay(tb, dir, conformance.Session{ID: id1, Cwd: "/w", Messages: messages}).Path
}

// What is allocated follows what is shown, not the file.
func TestMemory(t *testing.T) {
	used := func(size int) uint64 {
		path := big(t, size, 200)
		var was, is runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&was)
		if got := len(readFile(t, path).Surface.Events); got != 400 {
			t.Errorf("%d messages", got)
		}
		runtime.ReadMemStats(&is)
		return is.TotalAlloc - was.TotalAlloc
	}
	small, large := used(4<<20), used(128<<20)
	if large > small+small/2+1<<20 {
		t.Errorf("allocated %d bytes for 4 MiB, %d for 128 MiB", small, large)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{16 << 20, 256 << 20} {
		b.Run(fmt.Sprintf("%dMiB", size>>20), func(b *testing.B) {
			path := big(b, size, 500)
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				readFile(b, path)
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	root := b.TempDir()
	for i := range 1000 {
		lay(b, root, conformance.Session{
			ID: fmt.Sprintf("0c0ffee0-0000-4000-8000-%012d", i), Cwd: "/w",
			Messages: []conformance.Message{conformance.User("question"), {Role: "assistant", Literal: `"answer"`, Output: 80_000}},
		})
	}
	st, err := claude.Format.Open(root, conformance.Env(b))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if entries, _ := listAll(st); len(entries) != 1000 {
			b.Fatal(len(entries))
		}
	}
}
