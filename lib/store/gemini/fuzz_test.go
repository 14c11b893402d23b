package gemini_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/gemini"
)

// FuzzRead lists and reads a file of any content. What comes out is a surface that
// the rest of the toolkit can use, or a failure with a name.
func FuzzRead(f *testing.F) {
	for _, pattern := range []string{"*.json*", "home/tmp/sky/chats/*.jsonl"} {
		files, err := filepath.Glob(filepath.Join(fixtures, pattern))
		if err != nil || len(files) == 0 {
			f.Fatal(files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
			f.Add(data[:len(data)*2/3])
		}
	}
	f.Add([]byte(header + "\n" + `{"$rewindTo":"x"}` + "\n" + set(user("a", `[[{"text":"x"}],null]`), `7`, user("a", `{}`)) + "\n" + `{"$rewindTo":"a"}`))
	root, err := os.MkdirTemp("", "gemini-fuzz-")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(root) })
	f.Fuzz(func(t *testing.T, data []byte) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "tmp", "p", "chats", "session-2026-08-03T08-00-5e551000.jsonl")
		write(t, path, string(data))
		st, err := gemini.Format.Open(dir, conformance.Env(t))
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range st.List(t.Context()) {
			if err == nil {
				_, err = st.Title(t.Context(), e)
			}
			if err != nil && fault.KindOf(err) == fault.Unexpected {
				t.Errorf("listing: %v", err)
			}
		}
		r, err := gemini.Format.ReadFile(t.Context(), path, store.ReadOptions{Hash: true})
		if err != nil {
			if fault.KindOf(err) != fault.Damaged {
				t.Errorf("reading: %v", err)
			}
			return
		}
		conformance.Conversation(t, r.Surface)
		printed := string(r.Surface.AppendJSON(nil))
		if _, err := session.ParseSurface(printed); err != nil {
			t.Errorf("the surface does not read back: %v\n%s", err, printed)
		}
	})
}
