package store_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/vectors"
)

func optText(v jstext.Value) *string {
	if s, ok := v.Text(); ok {
		return &s
	}
	return nil
}

func records(c jstext.Value) []store.Entry {
	var out []store.Entry
	for r := range c.Get("records").Elements() {
		id, _ := r.Get("id").Text()
		created, _ := r.Get("createdAt").Int()
		out = append(out, store.Entry{ID: id, CreatedAt: created, Cwd: optText(r.Get("cwd")), Title: optText(r.Get("title"))})
	}
	return out
}

func ids(entries []store.Entry) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.ID
	}
	return out
}

// TestListOrderVectors: at equal times the vectors have ICU's order. Ours is that
// of the bytes, so for cases tagged locale the same ids must come, and in ours.
func TestListOrderVectors(t *testing.T) {
	vectors.Each(t, "list-order.json", func(t *testing.T, c jstext.Value) {
		entries := records(c)
		store.Newest(entries)
		got := ids(entries)
		var want []string
		for id := range c.Get("order").Elements() {
			s, _ := id.Text()
			want = append(want, s)
		}
		locale := slices.ContainsFunc(slices.Collect(c.Get("tags").Elements()), func(v jstext.Value) bool { return v.Is("locale") })
		if locale {
			for i, e := range entries[1:] {
				if before := entries[i]; before.CreatedAt < e.CreatedAt || before.CreatedAt == e.CreatedAt && before.ID > e.ID {
					t.Errorf("%q stands before %q", before.ID, e.ID)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestCandidatesVectors: the vectors match id and cwd only. What ours has on top of
// them must be there for its title. The limits that a query may not ask for are
// package reference's.
func TestCandidatesVectors(t *testing.T) {
	vectors.Each(t, "candidates.json", func(t *testing.T, c jstext.Value) {
		r := store.Ranking{Group: true, Limit: 50}
		r.Self, _ = c.Get("target", "id").Text()
		r.Cwd, _ = c.Get("target", "cwd").Text()
		r.Query, _ = c.Get("query").Text()
		for _, limit := range []jstext.Value{c.Get("config", "candidateLimit"), c.Get("limit")} {
			if n, ok := limit.Int(); ok {
				r.Limit = int(n)
			}
		}
		if c.Get("error").Exists() {
			if n, ok := c.Get("limit").Int(); ok && n > 0 {
				t.Errorf("an error is expected for a limit of %d", n)
			}
			return
		}
		got := r.Select(t.Context(), &store.Set{}, records(c))
		i := 0
		for want := range c.Get("candidates").Elements() {
			for i < len(got) && !want.Get("sessionId").Is(got[i].ID) {
				checkFoundByTitle(t, r.Query, got[i])
				i++
			}
			if i == len(got) {
				t.Fatalf("%s is missing of %q", want.JSON(), ids(got))
			}
			checkCandidate(t, got[i], want)
			i++
		}
		for _, e := range got[i:] {
			checkFoundByTitle(t, r.Query, e)
		}
	})
}

func checkFoundByTitle(t *testing.T, query string, e store.Entry) {
	t.Helper()
	if e.Title == nil || query == "" || !strings.Contains(jstext.ToLower(*e.Title), jstext.ToLower(query)) {
		t.Errorf("%q was not asked for", e.ID)
	}
}

// checkCandidate compares label, cwd and time. A title that is empty is the label
// in the vectors; ours is the id then (FORMATS-dsh, Title).
func checkCandidate(t *testing.T, e store.Entry, want jstext.Value) {
	t.Helper()
	label, _ := want.Get("label").Text()
	if label == "" {
		label = e.ID
	}
	created, _ := want.Get("createdAt").Int()
	cwd := optText(want.Get("cwd"))
	if e.Label() != label || e.CreatedAt != created || (cwd == nil) != (e.Cwd == nil) || cwd != nil && *cwd != *e.Cwd {
		t.Errorf("got %+v, label %q, want %s", e, e.Label(), want.JSON())
	}
}

// titled is a store that knows titles and counts who asks for them.
type titled struct {
	store.Store
	titles map[string]string
	asked  chan string
}

func (s *titled) Kind() string { return "test" }
func (s *titled) Root() string { return "/" }

func (s *titled) List(context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for id := range s.titles {
			if !yield(store.Entry{ID: id, Kind: "test", Root: "/", CreatedAt: int64(len(id))}, nil) {
				return
			}
		}
	}
}

func (s *titled) Title(_ context.Context, e store.Entry) (*string, error) {
	s.asked <- e.ID
	title := s.titles[e.ID]
	return &title, nil
}

func TestRankingAsksForFewTitles(t *testing.T) {
	tests := []struct {
		name    string
		ranking store.Ranking
		want    []string
		asked   []string
	}{
		{"newest", store.Ranking{Limit: 2}, []string{"dddd", "ccc"}, []string{"ccc", "dddd"}},
		{"query", store.Ranking{Query: "B"}, []string{"ccc", "bb"}, []string{"a", "bb", "ccc", "dddd"}},
		{"self", store.Ranking{Self: "dddd", Limit: 1}, []string{"ccc"}, []string{"ccc"}},
		{"nothing", store.Ranking{Query: "zzz"}, []string{}, []string{"a", "bb", "ccc", "dddd"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := &titled{titles: map[string]string{"a": "x", "bb": "y", "ccc": "a Book", "dddd": "z"}, asked: make(chan string, 100)}
			set := &store.Set{Stores: []store.Store{st}}
			entries, errs := set.List(t.Context())
			if errs != nil {
				t.Fatal(errs)
			}
			got := tt.ranking.Apply(t.Context(), set, entries)
			if !slices.Equal(ids(got), tt.want) {
				t.Errorf("got %q, want %q", ids(got), tt.want)
			}
			close(st.asked)
			asked := slices.Sorted(func(yield func(string) bool) {
				for id := range st.asked {
					if !yield(id) {
						return
					}
				}
			})
			if !slices.Equal(asked, tt.asked) {
				t.Errorf("asked for the titles of %q, want %q", asked, tt.asked)
			}
			for _, e := range got {
				if e.Title == nil || *e.Title != st.titles[e.ID] {
					t.Errorf("%q has title %v", e.ID, e.Title)
				}
			}
		})
	}
}

// A session that has moved is found by where it was; what ranks is where it is now.
func TestRankingKnowsOtherCwds(t *testing.T) {
	now, other := "/work/new", "/elsewhere"
	for _, tt := range []struct {
		name    string
		ranking store.Ranking
		want    []string
	}{
		{"by an older directory", store.Ranking{Query: "WORK/OLD"}, []string{"moved"}},
		{"by any of them", store.Ranking{Query: "older still"}, []string{"moved"}},
		{"by none", store.Ranking{Query: "/work/none"}, []string{}},
		{"ranked by the present one", store.Ranking{Cwd: "/work/old"}, []string{"stayed", "moved"}},
	} {
		st := &titled{titles: map[string]string{"stayed": "x", "moved": "y"}, asked: make(chan string, 100)}
		got := tt.ranking.Apply(t.Context(), &store.Set{Stores: []store.Store{st}}, []store.Entry{
			{ID: "moved", Kind: "test", Root: "/", Cwd: &now, OtherCwds: []string{"/work/old", "/older still"}},
			{ID: "stayed", Kind: "test", Root: "/", Cwd: &other, CreatedAt: 1},
		})
		if !slices.Equal(ids(got), tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, ids(got), tt.want)
		}
	}
}

// A title that an agent made itself names a session as people do, wherever it comes
// from.
func TestTitlesShowMentionsAsLabels(t *testing.T) {
	st := &titled{titles: map[string]string{"a": "Port @[retry bug](dsh-session:InJldHJ5LWJ1ZyI)", "b": "Port dsh-session:bad"}, asked: make(chan string, 100)}
	set := &store.Set{Stores: []store.Store{st}}
	entries, _ := set.List(t.Context())
	set.FillTitles(t.Context(), entries)
	for _, e := range entries {
		want := map[string]string{"a": "Port @retry bug", "b": "Port dsh-session:bad"}[e.ID]
		if e.Label() != want {
			t.Errorf("%q is labelled %q, want %q", e.ID, e.Label(), want)
		}
	}
}
