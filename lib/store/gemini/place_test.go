package gemini_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/gemini"
)

func list(t testing.TB, root string) []store.Entry {
	t.Helper()
	st, err := gemini.Format.Open(root, conformance.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	var out []store.Entry
	for e, err := range st.List(t.Context()) {
		if err != nil {
			t.Errorf("listing: %v", err)
			continue
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b store.Entry) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func optional(s *string) string {
	if s == nil {
		return "<none>"
	}
	return *s
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func file(project, id string) string {
	return filepath.Join("tmp", project, "chats", "session-2026-08-03T08-00-"+id[:min(len(id), 8)]+".jsonl")
}

func lines(id, hash string, rest ...string) string {
	head := strings.Replace(strings.Replace(header, "s-1", id, 1), `"h"`, `"`+hash+`"`, 1)
	return strings.Join(append([]string{head}, rest...), "\n") + "\n"
}

func TestDirectories(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".gemini")
	hello := user("m1", `"hello"`)
	write(t, filepath.Join(root, "projects.json"), `{"projects":{"/w/slug":"slug","/w/hashed":"other","C:\\w":"win"}}`)
	write(t, filepath.Join(root, "tmp", "marked", ".project_root"), " /w/marked \n")
	for project, hash := range map[string]string{"marked": "x", "slug": "x", sum("/w/hashed"): "x", "moved": sum("/w/hashed"), "unknown": "x", "win": "x"} {
		write(t, filepath.Join(root, file(project, project)), lines(project, hash, hello))
	}
	write(t, filepath.Join(root, "tmp", "bin", "x"), "") // no project
	want := map[string]string{
		"marked": "/w/marked", "slug": "/w/slug", sum("/w/hashed"): "/w/hashed", "moved": "/w/hashed", "unknown": "<none>", "win": `C:\w`,
	}
	for _, at := range []string{root, filepath.Dir(root), filepath.Join(root, "tmp")} {
		entries := list(t, at)
		if len(entries) != len(want) {
			t.Errorf("%s: %d sessions", at, len(entries))
		}
		for _, e := range entries {
			if w := want[strings.TrimPrefix(e.ID, "gemini:")]; optional(e.Cwd) != w {
				t.Errorf("%s: cwd %q, want %q", e.ID, optional(e.Cwd), w)
			}
		}
	}
	if entries := list(t, filepath.Join(root, "tmp", "slug")); len(entries) != 1 || optional(entries[0].Cwd) != "/w/slug" {
		t.Errorf("one project lists %v", entries)
	}
}

func TestListing(t *testing.T) {
	root := t.TempDir()
	long := strings.Repeat("x", 100_000)
	stale := `{"$set":{"summary":"stale"}}`
	files := map[string]string{
		file("p", "whole"):                         lines("whole", "h", user("1", `"/stats"`), user("2", `"hello\n there"`)),
		file("p", "titled"):                        lines("titled", "h", user("1", `"hello"`), `{"$set":{"summary":"Title","lastUpdated":"2026-08-03T09:00:00.000Z"}}`),
		file("p", "tail"):                          lines("tail", "h", user("1", `"hello"`), stale, model("2", `"`+long+`"`), `{"$set":{"summary":"In the tail"}}`, user("3", `"bye"`)),
		file("p", "body"):                          lines("body", "h", stale, user("1", `"hello"`), model("2", `"`+long+`"`), `{"$set":{"summary":"In the body"}}`, model("3", `"`+long+`"`)),
		file("p", "none"):                          lines("none", "h", user("1", `"hello"`), model("2", `"`+long+`"`)),
		file("p", "behind"):                        lines("behind", "h", model("2", `"`+long+`"`), user("1", `"far behind"`), model("3", `"`+long+`"`)),
		file("p", "oneline"):                       `{"sessionId":"oneline","projectHash":"h","startTime":"2026-08-03T08:00:00.000Z","lastUpdated":"2026-08-03T08:30:00.000Z","messages":[` + user("1", `"hello"`) + "," + model("2", `"`+long+`"`) + `],"summary":"One line"}`,
		file("p", "empty"):                         lines("empty", "h", `{"id":"1","type":"info","content":"x"}`),
		file("p", "sub"):                           strings.Replace(lines("sub", "h", user("1", `"hello"`)), `"main"`, `"subagent"`, 1),
		file("p", "nothing"):                       "",
		"tmp/p/chats/titled/sub.jsonl":             lines("nested", "h", user("1", `"hello"`)),
		"tmp/p/chats/checkpoint-x.json":            `{"history":[]}`,
		"tmp/p/logs.json":                          `[]`,
		file("p", "old")[:len(file("p", "old"))-1]: "{\n  \"sessionId\": \"old\",\n  \"projectHash\": \"h\",\n  \"lastUpdated\": \"2025-12-03T08:00:00.000Z\",\n  \"messages\": [\n" + user("1", `"hello"`) + "\n  ],\n  \"summary\": \"Indented\"\n}",
	}
	renamed := "5e551000-0000-4000-8000-00000000000a"
	files[file("p", "deadbeef")] = lines(renamed, "h", user("1", `"renamed"`))
	// The same session in two files: resumed, and moved to another project.
	files[file("p", "twice")] = lines("twice", "h", user("1", `"new"`), `{"$set":{"lastUpdated":"2026-08-03T10:00:00.000Z"}}`)
	files[strings.TrimSuffix(file("p", "twice"), "l")] = lines("twice", "h", user("1", `"old"`))
	files[file("q", "twice")] = lines("twice", "h", user("1", `"older"`))
	for name, content := range files {
		write(t, filepath.Join(root, name), content)
	}
	want := map[string]string{
		"whole": "hello there", "titled": "Title", "tail": "In the tail", "body": "In the body", "none": "hello", "behind": "far behind",
		"oneline": "One line", "old": "Indented", "twice": "new", renamed: "renamed",
	}
	st, err := gemini.Format.Open(root, conformance.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	entries := list(t, root)
	if len(entries) != len(want) {
		t.Errorf("%d sessions, want %d", len(entries), len(want))
	}
	for _, e := range entries {
		id := strings.TrimPrefix(e.ID, "gemini:")
		title, err := st.Title(t.Context(), e)
		if optional(title) != want[id] || err != nil || e.Title != nil && *e.Title != want[id] {
			t.Errorf("%s: listed %q, title %q, %v; want %q", id, optional(e.Title), optional(title), err, want[id])
		}
		refs, err := st.Lookup(t.Context(), id)
		if len(refs) != 1 || err != nil || refs[0].Path != e.Path {
			t.Errorf("%s: found %v, %v; listed in %q", id, refs, err, e.Path)
		}
		r, err := st.Read(t.Context(), refs[0], store.ReadOptions{})
		if err != nil || r.Surface.Header.ID != e.ID || id == "twice" && text(t, r) != "user: new" {
			t.Errorf("%s: read %v, %v", id, r, err)
		}
		if now := time.Now().UnixMilli(); e.CreatedAt > now || e.UpdatedAt > now || e.UpdatedAt < 1764748800000 {
			t.Errorf("%s: created %d, updated %d", id, e.CreatedAt, e.UpdatedAt)
		}
	}
	for id, when := range map[string]int64{"titled": 1785747600000, "twice": 1785751200000, "oneline": 1785745800000, "old": 1764748800000} {
		i := slices.IndexFunc(entries, func(e store.Entry) bool { return e.ID == "gemini:"+id })
		if i < 0 || entries[i].UpdatedAt != when {
			t.Errorf("%s: %+v, want an update at %d", id, entries[i], when)
		}
	}
}

func TestLookup(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, file("p", "renamed")), lines("5e551000-a", "h", user("1", `"hello"`)))
	write(t, filepath.Join(root, "tmp", "p", "chats", "session-copy.jsonl"), lines("5e551000-b", "h", user("1", `"hello"`)))
	write(t, filepath.Join(root, file("p", "5e551000-c")), lines("5e551000-c", "h", user("1", `"hello"`)))
	write(t, filepath.Join(root, file("q", "5e551000-d")), lines("5e551000-d", "h", user("1", `"hello"`)))
	st, err := gemini.Format.Open(root, conformance.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	for id, n := range map[string]int{"5e551000-b": 1, "5e551000-c": 1, "5e551000-d": 1, "5e551000": 0, "5e5": 0, "5e551000-e": 0} {
		if refs, err := st.Lookup(t.Context(), id); len(refs) != n || err != nil {
			t.Errorf("%s: %v, %v; want %d", id, refs, err, n)
		}
	}
}

func TestRoots(t *testing.T) {
	for _, c := range []struct{ goos, home, env, want string }{
		{"linux", "/h", "", "/h/.gemini"},
		{"darwin", "/h", "", "/h/.gemini"},
		{"windows", "/h", "", "/h/.gemini"},
		{"linux", "/h", "/g", "/g/.gemini"},
		{"linux", "", "", ""},
	} {
		env := store.Env{GOOS: c.goos, Home: c.home, Getenv: func(k string) string {
			if k == "GEMINI_CLI_HOME" {
				return c.env
			}
			return ""
		}}
		if got := filepath.ToSlash(strings.Join(gemini.Format.Roots(env), " ")); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// journal is a file of n messages whose whole history is written again m times.
func journal(t testing.TB, n, m, size int) string {
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	output := strings.Repeat("o", size)
	var all []string
	for i := range n {
		all = append(all, user(fmt.Sprintf("u%d", i), `"a question"`), model(fmt.Sprintf("g%d", i), `"an answer of some words"`),
			user(fmt.Sprintf("f%d", i), `[{"functionResponse":{"response":{"output":"`+output+`"}}}]`))
	}
	fmt.Fprintln(f, header)
	for range m {
		fmt.Fprintln(f, set(all...))
	}
	fmt.Fprintln(f, user("last", `"and now?"`))
	return path
}

// Memory follows the surface: a history of 20 MB that is written five times.
func TestMemory(t *testing.T) {
	path := journal(t, 200, 5, 100_000)
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	r, err := gemini.Format.ReadFile(t.Context(), path, store.ReadOptions{})
	runtime.ReadMemStats(&is)
	if err != nil || len(r.Surface.Events) != 401 {
		t.Fatalf("%v, %v", r, err)
	}
	if used := is.TotalAlloc - was.TotalAlloc; used > 8<<20 {
		t.Errorf("allocated %d bytes for a surface of %d", used, len(r.Surface.AppendJSON(nil)))
	}
}

func BenchmarkRead(b *testing.B) {
	path := journal(b, 500, 10, 20_000)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := gemini.Format.ReadFile(b.Context(), path, store.ReadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
