package headcache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTitle(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	write := func(content string, when time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	c := New("")
	ask := func(answer *string, err error) string {
		t.Helper()
		got, gotErr := c.Title(path, func() (*string, error) { asked++; return answer, err })
		if !errors.Is(gotErr, err) {
			t.Errorf("error %v, want %v", gotErr, err)
		}
		if got == nil {
			return "<none>"
		}
		return *got
	}
	failed := errors.New("failed")
	title, other, empty := "Title", "Other", ""
	if ask(&title, nil); asked != 1 {
		t.Errorf("a file that is not there: asked %d times", asked)
	}
	write("one", time.Unix(1000, 0))
	ask(nil, failed)
	for _, s := range []struct {
		content string
		answer  *string
		want    string
	}{{"two", &title, "Title"}, {"other", &other, "Other"}, {"no title", nil, "<none>"}, {"an empty one", &empty, ""}} {
		write(s.content, time.Unix(1000, 0))
		before := asked
		if got := ask(s.answer, nil) + "|" + ask(&title, nil); got != s.want+"|"+s.want {
			t.Errorf("%s: got %q, want %q twice", s.content, got, s.want)
		}
		if asked != before+1 {
			t.Errorf("%s: asked %d times", s.content, asked-before)
		}
	}
}
