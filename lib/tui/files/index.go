// Package files finds files of the working directory by a few letters of their
// path, for completion.
//
// An Index walks the directory once in the background, and again when what it
// knows is old. A search answers from what has been found so far and says when
// that is not all yet; it never waits for the disk longer than Patience. Left out
// are .git, node_modules, what the .gitignore files from the repository's root
// down name, and names that could not be typed: with control characters or quotes.
package files

import (
	"context"
	"sync"
	"time"
)

// Patience is how long a first search waits for the walk before it answers with
// what there is.
const Patience = 100 * time.Millisecond

const (
	// fresh is how long a finished walk is believed. After that a search still
	// answers from it, and starts the next walk.
	fresh = 5 * time.Second
	// maxFiles bounds what is kept of one tree.
	maxFiles = 200_000
)

// Index knows the files below one directory. It is safe for concurrent use.
type Index struct {
	root string
	now  func() time.Time
	ctx  context.Context

	mu      sync.Mutex
	known   []entry       // from the last finished walk, or so far from the first
	walking chan struct{} // closed at the end of the walk under way; nil: none
	walked  time.Time     // the end of the last walk; zero: none yet
}

// Result is what a search found.
type Result struct {
	Paths   []string // slash-separated, relative to the root, the best first
	Partial bool     // the walk goes on: the same search may find more later
}

// New returns the index of a directory. It does no I/O until the first search; its
// walks end with ctx.
func New(ctx context.Context, root string, now func() time.Time) *Index {
	return &Index{root: root, now: now, ctx: ctx}
}

// Search returns at most limit files that match the query. Its only error is that
// of a ctx that is done.
func (x *Index) Search(ctx context.Context, query string, limit int) (Result, error) {
	walking := x.refresh()
	x.mu.Lock()
	first := x.walked.IsZero()
	x.mu.Unlock()
	if first && walking != nil {
		patience := time.NewTimer(Patience)
		defer patience.Stop()
		select {
		case <-walking:
		case <-patience.C:
		case <-ctx.Done():
		}
	}
	x.mu.Lock()
	known, partial := x.known, x.walked.IsZero() // known only grows behind its present end
	x.mu.Unlock()
	paths, err := best(ctx, known, query, limit)
	return Result{paths, partial}, err
}

// refresh starts a walk where one is due, and returns the end of the one under
// way.
func (x *Index) refresh() chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.walking != nil || !x.walked.IsZero() && x.now().Sub(x.walked) < fresh {
		return x.walking
	}
	done := make(chan struct{})
	x.walking = done
	go x.run(done, x.walked.IsZero())
	return done
}

// run does one walk. The first shows what it finds as it goes; a later one
// replaces the whole list at its end.
func (x *Index) run(done chan struct{}, first bool) {
	var found []entry
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.ctx.Err() == nil || first {
			x.known, x.walked = found, x.now()
		}
		x.walking = nil
		close(done)
	}()
	walk(x.ctx, x.root, func(batch []entry) bool {
		found = append(found, batch...)
		if first {
			x.mu.Lock()
			x.known = found
			x.mu.Unlock()
		}
		return len(found) < maxFiles
	})
}
