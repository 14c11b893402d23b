package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// bulky is a session of about size bytes, nearly all of it the output of tools.
func (r Reader) bulky(size, turns int) Session {
	var messages []Message
	for i := range turns {
		messages = append(messages, User(fmt.Sprint("question ", i)),
			Message{Role: session.Assistant, Literal: fmt.Sprintf(`"answer %d"`, i), Output: size / turns})
	}
	return r.session(1, messages...)
}

// checkMemory wants what is allocated to follow what is shown, not the file.
func checkMemory(t *testing.T, r Reader) {
	used := func(size int) int64 {
		at := r.Lay(t, t.TempDir(), r.bulky(size, 100))
		var was, is runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&was)
		if n := len(ReadFile(t, r.Format, at.Path).Surface.Events); n != 200 {
			t.Errorf("%d messages, want 200", n)
		}
		runtime.ReadMemStats(&is)
		return int64(is.TotalAlloc - was.TotalAlloc)
	}
	small, large := used(2<<20), used(24<<20)
	if large > small+r.Slack {
		t.Errorf("allocated %d bytes for 2 MiB, %d for 24 MiB", small, large)
	}
}

// Bench measures a reader: readings of a small and a large log, and a listing.
func Bench(b *testing.B, r Reader) {
	for _, size := range []int{8 << 20, 128 << 20} {
		b.Run(fmt.Sprintf("read %dMiB", size>>20), func(b *testing.B) {
			at := r.Lay(b, b.TempDir(), r.bulky(size, 500))
			info, err := os.Stat(at.Path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				ReadFile(b, r.Format, at.Path)
			}
		})
	}
	b.Run("list 1000", func(b *testing.B) {
		root := b.TempDir()
		for i := range 1000 {
			r.Lay(b, root, Session{
				ID: r.ID(i), Cwd: "/w", Messages: []Message{User("question"), {Role: session.Assistant, Literal: `"answer"`, Output: 150_000}},
			})
		}
		st := Open(b, r.Format, root)
		b.ReportAllocs()
		for b.Loop() {
			if entries, errs := ListAll(st); len(entries) != 1000 || len(errs) > 0 {
				b.Fatal(len(entries), errs)
			}
		}
	})
}

// Fuzz lists and reads in as a file of the given name. Whatever it is, what is listed
// is found by its id and called alike by a reading, the reading is a fault or a
// conversation in order, and where in ends in a line end, half a record behind it is a
// torn tail that changes nothing.
func Fuzz(t *testing.T, r Reader, name string, in []byte, half string) {
	path := t.TempDir() + "/" + name
	got, ok := r.fuzzed(t, path, in)
	packed := bytes.HasPrefix(in, []byte("\x28\xB5\x2F\xFD"))
	if !ok || packed || !bytes.HasSuffix(in, []byte{'\n'}) {
		return
	}
	if again, ok := r.fuzzed(t, path, append(in[:len(in):len(in)], half...)); !ok || again != got {
		t.Errorf("with a torn tail\n%s\nwithout\n%s", again, got)
	}
}

func (r Reader) fuzzed(t *testing.T, path string, in []byte) (string, bool) {
	mustWrite(t, path, in)
	r.fuzzedList(t, filepath.Dir(path))
	reading, err := r.Format.ReadFile(t.Context(), path, store.ReadOptions{})
	if err != nil {
		wantFault(t, err, fault.Damaged, fault.Unsupported, fault.Unreadable)
		return "", false
	}
	return fmt.Sprint(Conversation(t, reading.Surface)), true
}

func (r Reader) fuzzedList(t *testing.T, root string) {
	st := r.open(t, root)
	entries, errs := ListAll(st)
	for _, err := range errs {
		wantFault(t, err, fault.Damaged, fault.Unreadable)
	}
	for _, e := range entries {
		title, err := st.Title(t.Context(), e)
		if err != nil {
			wantFault(t, err, fault.Damaged, fault.Unsupported, fault.Unreadable)
		}
		id, ok := strings.CutPrefix(e.ID, r.full(""))
		refs, err := st.Lookup(t.Context(), id)
		if !ok || err != nil || len(refs) != 1 || refs[0].ID != e.ID {
			t.Errorf("listed as %q, found %v, %v", e.ID, refs, err)
			continue
		}
		reading, err := st.Read(t.Context(), refs[0], store.ReadOptions{})
		if err != nil || reading.Receipt.BytesRead > allSeen {
			continue
		}
		h := reading.Surface.Header
		if own := reading.Surface.Title; opt(h.Cwd) != opt(e.Cwd) || own != nil && opt(own) != opt(title) {
			t.Errorf("listed with title %s in %s, read with %s in %s", opt(title), opt(e.Cwd), opt(own), opt(h.Cwd))
		}
	}
}

// allSeen is how long a log may be of which a listing sees all.
const allSeen = 32 << 10
