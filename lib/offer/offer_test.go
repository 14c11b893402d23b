package offer_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/offer"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// titled is a store that has titles, and counts how often it is asked for one.
type titled struct {
	store.Store
	titles map[string]string
	asked  atomic.Int64
}

func (*titled) Kind() string                                       { return "codex" }
func (*titled) Root() string                                       { return "/root" }
func (*titled) List(context.Context) iter.Seq2[store.Entry, error] { return nil }

func (s *titled) Title(_ context.Context, e store.Entry) (*string, error) {
	s.asked.Add(1)
	if t, ok := s.titles[e.ID]; ok {
		return &t, nil
	}
	return nil, nil
}

// listing reads an entry a line: id, time of creation, directory, flags, title. A title
// of "?" has to be looked up.
func listing(t *testing.T, text string) (*store.Set, *titled, []store.Entry) {
	t.Helper()
	st := &titled{titles: make(map[string]string)}
	var entries []store.Entry
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		f := strings.Fields(line)
		e := store.Entry{ID: f[0], CreatedAt: int64(len(f[1])), Kind: "codex", Root: "/root", Archived: strings.Contains(f[3], "a")}
		if f[2] != "-" {
			dirs := strings.Split(f[2], ",")
			e.Cwd, e.OtherCwds = &dirs[0], dirs[1:]
		}
		title := strings.Join(f[4:], " ")
		switch {
		case strings.Contains(f[3], "l"):
			st.titles[e.ID] = title
		case title != "":
			e.Title = &title
		}
		entries = append(entries, e)
	}
	return &store.Set{Stores: []store.Store{st}}, st, entries
}

const sessions = `
	old      x        /home/dev/app         - old one
	elsewhere xxxxxx  /home/dev/other       - retry elsewhere
	beside   xxxxx    /home/dev/app-2       - beside it
	below    xx       /home/dev/app/web     - retry below
	moved    xxx      /home/dev,/home/dev/app - came along
	away     xxxxxxx  /home/dev/app         a put away retry
	empty    xxxxxxxx /home/dev/app         l
	looked   xxxx     /home/dev/app         l retry looked up
	nowhere  xxxxx    -                     - nowhere retry
`

func TestChoose(t *testing.T) {
	app := []string{"/home/dev/app"}
	for _, c := range []struct {
		name string
		ask  offer.Ask
		want string
	}{
		{"the project's first", offer.Ask{Dirs: app}, "looked moved below old elsewhere beside nowhere"},
		{"no project", offer.Ask{}, "elsewhere beside nowhere looked moved below old"},
		{"not oneself", offer.Ask{Dirs: app, Self: "looked", Limit: 2}, "moved below"},
		{"the empty one takes no place", offer.Ask{Dirs: app, Limit: 1}, "looked"},
		{"two directories", offer.Ask{Dirs: []string{"/home/dev/app", "/home/dev/other"}, Limit: 2}, "elsewhere looked"},
		{"the root", offer.Ask{Dirs: []string{"/"}, Limit: 3}, "elsewhere beside looked"},
		{"a query", offer.Ask{Query: "RETRY", Limit: 9}, "elsewhere looked below nowhere away"},
		{"a query in a project", offer.Ask{Query: "retry", Dirs: app}, "looked elsewhere below nowhere away"},
		{"a query that finds nothing", offer.Ask{Query: "zebra", Dirs: app}, ""},
		{"an empty session by its id", offer.Ask{Query: "empty"}, "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _, entries := listing(t, sessions)
			var got []string
			for _, e := range c.ask.Choose(t.Context(), set, entries) {
				got = append(got, e.ID)
			}
			if !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("got %q, want %q", got, strings.Fields(c.want))
			}
		})
	}
}

// TestChooseLooksFewTitlesUp: a menu of ten must not read ten thousand sessions.
func TestChooseLooksFewTitlesUp(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		text.WriteString("s" + strings.Repeat("x", i) + " x /home/dev l title\n")
	}
	set, st, entries := listing(t, text.String())
	if got := (offer.Ask{Limit: 10}).Choose(t.Context(), set, entries); len(got) != 10 || st.asked.Load() != 10 {
		t.Errorf("%d sessions after %d titles, want 10 after 10", len(got), st.asked.Load())
	}
}

func TestInside(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		want      bool
	}{
		{"/a", "/a", true},
		{"/a", "/a/b", true},
		{"/a", "/ab", false},
		{"/a/b", "/a", false},
		{"/", "/a", true},
		{"", "/a", false},
		{"/a", "", false},
	} {
		if got := offer.Inside(c.dir, c.path); got != c.want {
			t.Errorf("Inside(%q, %q) is %t", c.dir, c.path, got)
		}
	}
}
