package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Newest sorts a listing by creation, newest first. Equal times are ordered by the
// id's bytes, which is the order of its code points: the same everywhere, where
// dsh's own collation follows the version of ICU at hand.
func Newest(entries []Entry) {
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
}

// Ranking says what of a listing is wanted, and in which order (SPEC 4).
type Ranking struct {
	// Query keeps sessions whose id, title, cwd or other directories contain it, in
	// any case.
	Query string
	// ByFit puts the titles that fit the query best first, before all other order. It
	// is for who takes one of the first; SPEC 4 has the listing's order.
	ByFit bool
	// Self is a session to leave out: the one that asks. Empty: none.
	Self string
	// Cwd puts sessions of exactly this directory first, then those without one,
	// then the others. Empty: the listing stays newest first.
	Cwd string
	// Group does the same where Cwd is empty, because the one that asks has none.
	Group bool
	// Limit is how many are wanted; 0: all.
	Limit int
}

// Apply is Select for entries in any order, which it puts newest first.
func (r Ranking) Apply(ctx context.Context, set *Set, entries []Entry) []Entry {
	Newest(entries)
	return r.Select(ctx, set, entries)
}

// Select returns the wanted ones of a listing, with their titles, keeping its order
// inside each group. Titles are looked up only where the answer hangs on them:
// those of entries that the query does not find otherwise, and of those that are
// returned, or of all that a query finds with ByFit. The slice is reused.
func (r Ranking) Select(ctx context.Context, set *Set, entries []Entry) []Entry {
	if r.Self != "" {
		entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.ID == r.Self })
	}
	if r.Query != "" {
		entries = r.search(ctx, set, entries)
	}
	if r.Cwd != "" || r.Group {
		slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(r.group(a), r.group(b)) })
	}
	fit := r.ByFit && r.Query != ""
	if fit {
		set.FillTitles(ctx, entries)
		byFit(entries, r.Query)
	}
	if r.Limit > 0 && len(entries) > r.Limit {
		entries = entries[:r.Limit]
	}
	if !fit {
		set.FillTitles(ctx, entries)
	}
	return entries
}

func (r Ranking) group(e Entry) int {
	switch {
	case e.Cwd == nil:
		return 1
	case r.Cwd != "" && *e.Cwd == r.Cwd:
		return 0
	}
	return 2
}

// search keeps the entries that the query finds.
func (r Ranking) search(ctx context.Context, set *Set, entries []Entry) []Entry {
	query := jstext.ToLower(r.Query)
	contains := func(s *string) bool { return s != nil && strings.Contains(jstext.ToLower(*s), query) }
	containsAny := func(list []string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return contains(&s) })
	}
	found := make([]bool, len(entries))
	var untold []int // the entries that only what FillTitles finds can still bring in
	for i, e := range entries {
		if found[i] = contains(&e.ID) || contains(e.Cwd) || containsAny(e.OtherCwds); !found[i] {
			untold = append(untold, i)
		}
	}
	titled := make([]Entry, len(untold))
	for j, i := range untold {
		titled[j] = entries[i]
	}
	set.FillTitles(ctx, titled)
	for j, i := range untold {
		entries[i] = titled[j]
		found[i] = contains(titled[j].Title) || contains(titled[j].Cwd)
	}
	n := 0
	for i, e := range entries {
		if found[i] {
			entries[n] = e
			n++
		}
	}
	return entries[:n]
}
