package completion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/completion"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		before string // · stands for a chip
		want   string // the query; "-" for no token
		start  int
	}{
		{"", "-", 0},
		{"@", "", 0},
		{"@re", "re", 0},
		{"fix @re", "re", 4},
		{"fix @re bug", "-", 0},
		{"dev@example.com", "-", 0},
		{"mail dev.x+y@example", "-", 0},
		{"a@", "-", 0},
		{"(@re", "re", 1},
		{"「@再", "再", 1},
		{"です。@再", "再", 3},
		{"字@再", "-", 0},
		{"@a@b", "a@b", 0},
		{"@@", "@", 0},
		{`@"`, "", 0},
		{`@"two wo`, "two wo", 0},
		{`@"two words"`, "-", 0},
		{`@"two words" @x`, "x", 13},
		{`@"two words"@x`, "x", 12},
		{"·@x", "-", 0},
		{"· @x", "x", 2},
		{"@x·", "-", 0},
		{"@x y @z", "z", 5},
		{"\u3000@x", "x", 1},
		{"@lib/tui/ed", "lib/tui/ed", 0},
	} {
		var before []string
		for _, r := range c.before {
			before = append(before, strings.TrimPrefix(string(r), "·"))
		}
		got, ok := completion.Find(before)
		switch {
		case !ok && c.want != "-", ok && (got.Query != c.want || got.Start != c.start || got.Len != len(before)-c.start):
			t.Errorf("Find(%q) = %+v, %v, want %q at %d", c.before, got, ok, c.want, c.start)
		}
	}
}

func sessions(ids ...string) []candidate.Session {
	var out []candidate.Session
	for _, id := range ids {
		out = append(out, candidate.Session{ID: id, Label: id})
	}
	return out
}

func names(l *completion.List, height int) string {
	items, chosen := l.Visible(height)
	var out []string
	for i, it := range items {
		name := it.Path
		if it.Session != nil {
			name = it.Session.ID
		}
		if i == chosen {
			name = ">" + name
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestListOrder(t *testing.T) {
	var l completion.List
	g := l.Ask(completion.Token{Query: "r"})
	if !l.Open() || !l.Waiting() || l.Len() != 0 {
		t.Errorf("asked: open %v, waiting %v, %d rows", l.Open(), l.Waiting(), l.Len())
	}
	if !l.Pending() {
		t.Error("asked: rows could be shown")
	}
	l.SetFiles(g, []string{"f1", "f2"}, true)
	if l.Len() != 0 || !l.Pending() {
		t.Errorf("files alone: %d rows", l.Len())
	}
	l.Settle(g)
	if got := names(&l, 9); got != ">f1 f2" || !l.Waiting() || l.Pending() {
		t.Errorf("settled: %q", got)
	}
	l.SetSessions(g, sessions("s1", "s2"))
	if got := names(&l, 9); got != ">s1 s2 f1 f2" || !l.Waiting() {
		t.Errorf("then sessions: %q", got)
	}
	l.SetFiles(g, []string{"f1", "f2", "f3"}, false)
	if got := names(&l, 9); got != ">s1 s2 f1 f2 f3" || l.Waiting() {
		t.Errorf("the rest: %q, waiting %v", got, l.Waiting())
	}
	g = l.Ask(completion.Token{Query: "r/"})
	l.SetFiles(g, []string{"f1"}, false)
	if got := names(&l, 9); got != ">s1 s2 f1 f2 f3" || !l.Pending() {
		t.Errorf("asked again: %q, pending %v, want the old rows, not to be chosen from", got, l.Pending())
	}
	l.SetSessions(g-1, sessions("late"))
	l.SetSessions(g, sessions("s1"))
	if got := names(&l, 9); got != ">f1 s1" {
		t.Errorf("a path: %q", got)
	}
	l.Close()
	l.SetSessions(g, sessions("late"))
	if l.Open() || l.Len() != 0 {
		t.Errorf("closed: open %v, %d rows", l.Open(), l.Len())
	}
}

func TestListChoice(t *testing.T) {
	var l completion.List
	g := l.Ask(completion.Token{Query: "r"})
	l.SetSessions(g, sessions("a", "b", "c", "d"))
	l.Settle(g)
	var got []string
	for _, n := range []int{1, 1, 1, 1, -1, -10, 2, 10} {
		l.Move(n)
		got = append(got, names(&l, 2))
	}
	want := []string{"a >b", "b >c", "c >d", ">a b", "c >d", ">a b", "b >c", "c >d"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	l.Move(-1)
	l.SetFiles(g, []string{"f"}, false)
	if it, ok := l.Chosen(); !ok || it.Session.ID != "c" {
		t.Errorf("after more rows: %+v, want c still", it)
	}
	g = l.Ask(completion.Token{Query: "rr"})
	l.SetSessions(g, sessions("b", "c"))
	l.SetFiles(g, nil, false)
	if it, _ := l.Chosen(); it.Session == nil || it.Session.ID != "b" {
		t.Errorf("after another question: %+v, want the first", it)
	}
}

func TestListIsBounded(t *testing.T) {
	var l completion.List
	g := l.Ask(completion.Token{})
	var ids, paths []string
	for i := range 100 {
		ids = append(ids, fmt.Sprint("s", i))
		paths = append(paths, fmt.Sprint("p", i))
	}
	l.SetSessions(g, sessions(ids...))
	l.SetFiles(g, paths, false)
	if l.Len() != completion.MaxSessions+completion.MaxFiles {
		t.Errorf("%d rows, want %d", l.Len(), completion.MaxSessions+completion.MaxFiles)
	}
}

func TestInsert(t *testing.T) {
	for _, c := range []struct {
		item completion.Item
		want string
	}{
		{completion.Item{Session: &candidate.Session{ID: "a", Label: "x]y"}}, `@[x\]y](dsh-session:ImEi)`},
		{completion.Item{Path: "lib/a.go"}, "@lib/a.go"},
		{completion.Item{Path: "my docs/a.md"}, `@"my docs/a.md"`},
	} {
		if got := c.item.Insert(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
