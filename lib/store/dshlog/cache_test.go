package dshlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
)

func openCached(t testing.TB, root, cache string) *dshlog.Store {
	t.Helper()
	env := environment(nil)
	env.CacheDir = cache
	s, err := dshlog.Open(root, env)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// later makes what a cache holds look as if it had been learnt long after the logs
// were last touched, so that it is believed.
func later(t testing.TB, cache string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(cache, "*", "*"))
	if len(files) != 1 {
		t.Fatalf("cache files %q", files)
	}
	at := time.Now().Add(time.Hour)
	if err := os.Chtimes(files[0], at, at); err != nil {
		t.Fatal(err)
	}
}

func titles(t testing.TB, s *dshlog.Store, entries []store.Entry) (out []string) {
	t.Helper()
	for _, e := range entries {
		got, err := s.Title(ctx, e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.ID+" "+quoted(got))
	}
	return out
}

func TestCache(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	var want []string
	paths := make(map[string]string)
	for i := range 30 {
		id := fmt.Sprintf("s%02d", i)
		body, name := header(0, id, `,"cwd":"/a"`)+title(0, "Title of "+id), "Title of "+id
		if i%3 == 0 {
			body, name = header(0, id, ""), ""
		}
		paths[id] = write(t, root, "--a--/"+id+"/session.jsonl", body)
		if name == "" {
			want = append(want, id+" none")
		} else {
			want = append(want, fmt.Sprintf("%s %q", id, name))
		}
	}
	check := func(s *dshlog.Store, cached bool) {
		t.Helper()
		entries, errs := list(t, s)
		if len(errs) > 0 || len(entries) != len(want) {
			t.Fatal(ids(entries), errs)
		}
		for _, e := range entries {
			if titled := strings.Contains(strings.Join(want, "\n"), e.ID+` "`); (e.Title != nil) != (cached && titled) {
				t.Errorf("%s is listed with the title %s, cached %v", e.ID, quoted(e.Title), cached)
			}
		}
		if got := titles(t, s, entries); !slices.Equal(got, want) {
			t.Errorf("titles %q, want %q", got, want)
		}
		s.Flush()
	}
	check(openCached(t, root, cache), false)
	check(openCached(t, root, cache), false) // the logs are too young
	later(t, cache)
	check(openCached(t, root, cache), true)
	check(openCached(t, root, ""), false)

	// A log that grows, one that shrinks back to what it was but for one letter, one
	// that goes.
	later(t, cache)
	f, err := os.OpenFile(paths["s01"], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(title(1, "New")); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	info, err := os.Stat(paths["s02"])
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "--a--/s02/session.jsonl", header(0, "s02", `,"cwd":"/b"`)+title(0, "Title of S02"))
	if err := os.Chtimes(paths["s02"], info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(paths["s29"]); err != nil {
		t.Fatal(err)
	}
	s := openCached(t, root, cache)
	entries, errs := list(t, s)
	got := titles(t, s, entries)
	if len(got) != 29 || got[1] != `s01 "New"` || got[2] != `s02 "Title of S02"` || *entries[2].Cwd != "/b" || len(errs) > 0 {
		t.Errorf("after changes: %q, %v", got, errs)
	}
	s.Flush()

	// A spoiled cache is no cache.
	files, _ := filepath.Glob(filepath.Join(cache, "*", "*"))
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	later(t, cache)
	s = openCached(t, root, cache)
	if entries, _ := list(t, s); entries[1].Title != nil || len(entries) != 29 {
		t.Error("believed a spoiled cache")
	}
}
