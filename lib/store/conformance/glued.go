package conformance

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// checkGlued cuts each record anywhere, and lets the next one stand behind it: on the
// same line, on a line of its own, or not at all. What is read and what is listed is in
// each case as if the record that was cut were a lone bracket.
func checkGlued(t *testing.T, r Reader) {
	if !r.Lines {
		t.Skip("not a file of lines")
	}
	s := r.session(1, User("one"), Message{Role: session.User, Literal: `"two {\"a\":[{},{\"b\":1}]} \\"`}, Message{Role: session.Assistant, Literal: `"three"`, Output: 40}, User("four"), Assistant("five"))
	s.Title = "A title."
	st, at := r.laid(t, s)
	content := mustRead(t, at.Path)
	then := time.Date(2026, 8, 2, 0, 0, 0, 0, time.UTC)
	look := func(parts ...[]byte) string {
		t.Helper()
		mustWrite(t, at.Path, slices.Concat(parts...))
		if err := os.Chtimes(at.Path, then, then); err != nil {
			t.Fatal(err)
		}
		return r.look(t, st, at)
	}
	lines := bytes.SplitAfter(content, []byte{'\n'})
	lines = lines[:len(lines)-1]
	for i, line := range lines {
		before, next := slices.Concat(lines[:i]...), []byte(nil)
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		behind := slices.Concat(lines[min(i+2, len(lines)):]...)
		spoiled := look(before, []byte("{\n"), next, behind)
		torn := look(before, []byte("{"))
		for cut := 1; cut < len(line)-1; cut++ {
			if next != nil {
				if got := look(before, line[:cut], next, behind); got != spoiled {
					t.Errorf("%s, glued to what follows:\n%s\nwant\n%s", line[:cut], got, spoiled)
				}
			}
			if (cut+i)%4 > 0 {
				continue // the rest hangs less on where the cut is
			}
			if next != nil {
				if got := look(before, line[:cut], bytes.TrimSuffix(next, []byte{'\n'}), []byte("\x00\x00\n"), behind); stripNULs(got) != stripNULs(spoiled) {
					t.Errorf("%s, glued, with NULs behind:\n%s\nwant\n%s", line[:cut], got, spoiled)
				}
				if got := look(before, line[:cut], []byte("\n"), next, behind); got != spoiled {
					t.Errorf("%s, on a line of its own:\n%s\nwant\n%s", line[:cut], got, spoiled)
				}
			}
			if got := look(before, line[:cut]); i > 0 && got != torn {
				t.Errorf("%s, at the end:\n%s\nwant\n%s", line[:cut], got, torn)
			}
			if t.Failed() {
				return
			}
		}
	}
}

func stripNULs(s string) string {
	line, _, _ := bytes.Cut([]byte(s), []byte{'\n'})
	return string(line)
}

// look is all that a listing and a reading tell, but for the receipt's counts of bytes.
func (r Reader) look(t testing.TB, st store.Store, at Laid) string {
	t.Helper()
	out := ""
	reading, err := r.Format.ReadFile(context.Background(), at.Path, store.ReadOptions{})
	if err != nil {
		out = "unreadable\n"
	} else {
		out = string(reading.Surface.AppendJSON(nil)) + "\n" + itoa(reading.Receipt.DamagedRecords) + "\n"
	}
	entries, _ := list(t, st)
	for _, e := range entries {
		title, err := st.Title(context.Background(), e)
		out += e.ID + " " + opt(title) + " " + opt(e.Cwd) + " " + itoa(e.CreatedAt) + " " + itoa(e.UpdatedAt)
		if err != nil {
			out += " " + err.Error()
		}
	}
	return out
}
