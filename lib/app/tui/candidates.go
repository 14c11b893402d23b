package tui

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
)

// fresh is how long a listing is believed: long enough for a person to type a
// query, short enough for a session that has just begun to be found.
const fresh = 5 * time.Second

// candidates answers queries from a listing of the stores, which it makes when it
// is first asked.
type candidates struct {
	set *store.Set
	cwd string
	now func() time.Time

	mu     sync.Mutex
	self   string // the session that asks; empty: none
	listed []store.Entry
	at     time.Time
	titled bool // every entry has its title looked up
}

// Candidates finds sessions: those of the working directory first (SPEC 4).
func (c *candidates) Candidates(ctx context.Context, query string, limit int) ([]candidate.Session, error) {
	entries, err := c.entries(ctx, query != "")
	if err != nil {
		return nil, err
	}
	ranking := store.Ranking{Query: query, Self: c.self, Cwd: c.cwd, Limit: limit}
	found := ranking.Select(ctx, c.set, entries)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([]candidate.Session, len(found))
	for i, e := range found {
		out[i] = candidate.Session{ID: e.ID, Label: jstext.ToUTF8(e.Label()), Time: cmp.Or(e.CreatedAt, e.UpdatedAt)}
		if e.Cwd != nil {
			cwd := jstext.ToUTF8(*e.Cwd)
			out[i].Cwd = &cwd
		}
	}
	return out, nil
}

// warm makes the listing before it is asked for.
func (c *candidates) warm(ctx context.Context) { _, _ = c.entries(ctx, false) }

// entries is a copy of the listing, newest first. With titles, every title in it
// has been looked up, once for all queries until the listing is renewed.
func (c *candidates) entries(ctx context.Context, titles bool) ([]store.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listed == nil || c.now().Sub(c.at) >= fresh {
		// A file that cannot be listed is no candidate; dsh-surface --list says why.
		entries, _ := c.set.List(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		store.Newest(entries)
		c.listed, c.at, c.titled = entries, c.now(), false
	}
	if titles && !c.titled {
		c.set.FillTitles(ctx, c.listed)
		if err := ctx.Err(); err != nil {
			return nil, err // what has been looked up stays
		}
		for i, e := range c.listed {
			if e.Title == nil {
				none := ""
				c.listed[i].Title = &none // so that nobody looks again
			}
		}
		c.titled = true
	}
	return slices.Clone(c.listed), nil
}
