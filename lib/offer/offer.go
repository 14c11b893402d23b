// Package offer decides which sessions a menu offers, and in which order.
//
// A menu opens at a few letters, or at none, and a person takes one of its first rows.
// So it is not a listing: what nobody would take is left out, and the sessions of the
// project that the person is in come first. Who asks with letters has the order of
// store.Ranking, which knows how well a title answers them.
package offer

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/store"
)

// Ask says for whom sessions are chosen.
type Ask struct {
	// Query is what has been typed; empty: nothing yet.
	Query string
	// Dirs are the directories of the project, the one where the person is first.
	// A session that was in one of them, or below one, is the project's.
	Dirs []string
	// Self is a session to leave out: the one that asks. Empty: none.
	Self string
	// Limit is how many are wanted; 0: all.
	Limit int
}

// Choose returns the sessions to offer, the best first, with their titles, out of a
// listing in any order. set looks titles up where the listing has none yet. The slice is
// reused.
//
// Without a query: the project's sessions, newest first, then all others, newest first.
// With one: those that it finds, in the order of store.Ranking. A session that its agent
// has put away, and one without a title, in which nobody has said anything, is offered
// only to a query that finds it, and then last.
func (a Ask) Choose(ctx context.Context, set *store.Set, entries []store.Entry) []store.Entry {
	if a.Query == "" {
		return a.newest(ctx, set, entries)
	}
	ranking := store.Ranking{Query: a.Query, ByFit: true, Self: a.Self}
	if len(a.Dirs) > 0 {
		ranking.Cwd = a.Dirs[0]
	}
	found := ranking.Apply(ctx, set, entries)
	first(found, worth)
	return a.limit(found)
}

// newest is Choose without a query. Titles are looked up for no more than are wanted.
func (a Ask) newest(ctx context.Context, set *store.Set, entries []store.Entry) []store.Entry {
	entries = slices.DeleteFunc(entries, func(e store.Entry) bool { return e.Archived || e.ID == a.Self })
	store.Newest(entries)
	// What a title tells of a session's directory is not waited for: it would take
	// reading all of them.
	first(entries, a.here)
	n := 0
	for i := 0; i < len(entries) && (a.Limit <= 0 || n < a.Limit) && ctx.Err() == nil; {
		part := entries[i:]
		if a.Limit > 0 {
			part = part[:min(len(part), a.Limit)]
		}
		i += len(part)
		set.FillTitles(ctx, part)
		for _, e := range part {
			if worth(e) {
				entries[n] = e
				n++
			}
		}
	}
	return a.limit(entries[:n])
}

func (a Ask) limit(entries []store.Entry) []store.Entry {
	if a.Limit > 0 && len(entries) > a.Limit {
		entries = entries[:a.Limit]
	}
	return entries
}

// worth reports whether a session is offered to somebody who did not look for it.
func worth(e store.Entry) bool { return !e.Archived && e.Title != nil && *e.Title != "" }

// here reports whether a session is the project's.
func (a Ask) here(e store.Entry) bool {
	return slices.ContainsFunc(a.Dirs, func(dir string) bool {
		inside := func(cwd string) bool { return Inside(dir, cwd) }
		return e.Cwd != nil && inside(*e.Cwd) || slices.ContainsFunc(e.OtherCwds, inside)
	})
}

// Inside reports whether path is dir or below it. Both are absolute and clean; no link
// is followed.
func Inside(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator)))
	return ok && dir != "" && (rest == "" || rest[0] == filepath.Separator || rest[0] == '/')
}

// first puts the sessions that are wanted before the others. Both keep their order.
func first(entries []store.Entry, wanted func(store.Entry) bool) {
	var others []store.Entry
	n := 0
	for _, e := range entries {
		if wanted(e) {
			entries[n] = e
			n++
		} else {
			others = append(others, e)
		}
	}
	copy(entries[n:], others)
}
