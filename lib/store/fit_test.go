package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// ranked is the titles of a listing, the newest first, as a query ranks them.
func ranked(t *testing.T, r store.Ranking, titles ...string) []string {
	t.Helper()
	entries := make([]store.Entry, len(titles))
	for i := range titles {
		entries[i] = store.Entry{ID: string(rune('a' + i)), Kind: "test", Title: &titles[i], CreatedAt: int64(-i)}
	}
	var out []string
	for _, e := range r.Apply(t.Context(), &store.Set{}, entries) {
		out = append(out, *e.Title)
	}
	return out
}

func TestQueryRanksTitles(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		titles      []string // in the wanted order
	}{
		{"how the title fits", "retry", []string{"Retry", "retry bug", "the retry", "auto_retry", "x @retry bug"}},
		{"a dash begins a word", "retry", []string{"no-retry", "noretry"}},
		{"the best place counts", "bug", []string{"debug the bug", "debugger"}},
		{"a mention does not hide its title", "retry", []string{"retry bug", "fix retry as in @retry bug", "fix as in @retry bug"}},
		{"a label ends where the title of its session does", "bug", []string{"retry bug", "port @retry bug"}},
		{"what follows a label is no label", "now", []string{"port @retry bug now", "know"}},
		{"a no-break space is in the label", "bug", []string{"debug", "see @retry\u00a0bug"}},
		{"a label whose session is not known ends at white space", "bug", []string{"see @retry the bug", "see @retry-bug"}},
		{"a title that begins a word ends no label", "retry", []string{"retr the retry", "x @retry"}},
		{"two mentions", "b", []string{"no better", "@a @b @better"}},
		{"no mention within a word", "example", []string{"mail me@example.org", "ask @example.org"}},
		{"a query may name the mention", "@retry", []string{"@retry bug", "see @retry bug"}},
		{"any case and script", "ретрай", []string{"Ретрай", "ретрай сломан", "опять РЕТРАЙ", "авторетрай", "см. @Ретрай"}},
		{"equal fits stay newest first", "x", []string{"x 2", "x 1", "a x 2", "a x 1"}},
	} {
		// The listing has them newest first. Where fits are equal that order is wanted.
		newest := slices.Clone(tt.titles)
		if tt.name != "equal fits stay newest first" {
			slices.Reverse(newest)
		}
		if got := ranked(t, store.Ranking{Query: tt.query, ByFit: true}, newest...); !slices.Equal(got, tt.titles) {
			t.Errorf("%s: %q ranks %q, want %q", tt.name, tt.query, got, tt.titles)
		}
	}
}

// Only ByFit changes the order that SPEC 4 has: the listing's, inside each group.
func TestTitlesDoNotRankUnasked(t *testing.T) {
	titles := []string{"see @x", "axe", "x"}
	for _, r := range []store.Ranking{{Query: "x"}, {Query: "x", Cwd: "/w"}, {Query: "x", Group: true}, {ByFit: true}} {
		if got := ranked(t, r, titles...); !slices.Equal(got, titles) {
			t.Errorf("%+v: %q, want %q", r, got, titles)
		}
	}
}

// A directory ranks the sessions that fit alike.
func TestFitRanksBeforeDirectories(t *testing.T) {
	here, there, bug, port := "/here", "/there", "retry bug", "port @retry bug"
	got := store.Ranking{Query: "retry", ByFit: true, Cwd: here}.Apply(t.Context(), &store.Set{}, []store.Entry{
		{ID: "mentions", Kind: "test", Title: &port, Cwd: &here, CreatedAt: 9},
		{ID: "there", Kind: "test", Title: &bug, Cwd: &there, CreatedAt: 8},
		{ID: "here", Kind: "test", Title: &bug, Cwd: &here, CreatedAt: 7},
	})
	if want := []string{"here", "there", "mentions"}; !slices.Equal(ids(got), want) {
		t.Errorf("%q, want %q", ids(got), want)
	}
}

// A session that its id or its directory brings in stands behind titles, and before
// those that mean another one. An id that is the query is as good as a title.
func TestQueryRanksIDsAndDirectories(t *testing.T) {
	dir, port, retry := "/work/retry", "port @retry bug", "on retrying"
	got := store.Ranking{Query: "retry", ByFit: true}.Apply(t.Context(), &store.Set{}, []store.Entry{
		{ID: "test:1", Kind: "test", Title: &port, CreatedAt: 9},
		{ID: "test:2", Kind: "test", Title: &port, Cwd: &dir, CreatedAt: 8},
		{ID: "test:retry-7", Kind: "test", CreatedAt: 7},
		{ID: "test:3", Kind: "test", Title: &retry, CreatedAt: 6},
		{ID: "test:Retry", Kind: "test", CreatedAt: 5},
	})
	if want := []string{"test:Retry", "test:3", "test:2", "test:retry-7", "test:1"}; !slices.Equal(ids(got), want) {
		t.Errorf("%q, want %q", ids(got), want)
	}
}

// The limit is for the best, not for the newest.
func TestQueryLimitKeepsTheBest(t *testing.T) {
	if got := ranked(t, store.Ranking{Query: "retry", ByFit: true, Limit: 1}, "x @retry", "noretry", "retry bug"); !slices.Equal(got, []string{"retry bug"}) {
		t.Errorf("%q", got)
	}
}

// Whatever titles and query are, a query finds what contains it and loses nothing.
func FuzzQueryRank(f *testing.F) {
	f.Add("x", "port @x", "X y", "ax")
	f.Add("@", "@", "@@", "a@ @")
	f.Add("\xed\xa0\x80", "\xed\xa0\x80 @\xed\xa0\x80", "\xff", "İ")
	f.Fuzz(func(t *testing.T, query, a, b, c string) {
		titles := []string{a, b, c}
		var want []string
		for _, title := range titles {
			if strings.Contains(jstext.ToLower(title), jstext.ToLower(query)) {
				want = append(want, title)
			}
		}
		var got []string
		for _, title := range ranked(t, store.Ranking{Query: query, ByFit: true}, titles...) {
			if slices.Contains(want, title) {
				got = append(got, title)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q found %q, want %q", query, got, want)
		}
	})
}
