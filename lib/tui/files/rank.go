package files

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// The ranks of a match, the best first.
const (
	nameStarts = iota // the file's name begins with the query
	nameHolds         // the name holds it
	pathHolds         // the path holds it
	inOrder           // the path holds its letters in order
	noMatch
)

// rank compares without regard to case; query is in lower case.
func (e *entry) rank(query string) int {
	name := e.lower[e.base:]
	switch {
	case strings.HasPrefix(name, query):
		return nameStarts
	case strings.Contains(name, query):
		return nameHolds
	case strings.Contains(e.lower, query):
		return pathHolds
	case subsequence(e.lower, query):
		return inOrder
	}
	return noMatch
}

func subsequence(s, query string) bool {
	for _, r := range query {
		i := strings.IndexRune(s, r)
		if i < 0 || r == utf8.RuneError {
			return false
		}
		s = s[i+utf8.RuneLen(r):]
	}
	return true
}

type match struct {
	*entry
	rank int
}

// best returns the limit best matches: by rank, then the nearest directory, the
// shortest path, the alphabet. An empty query matches everything alike.
func best(ctx context.Context, known []entry, query string, limit int) ([]string, error) {
	query = strings.ToLower(query)
	var found []match
	for i := range known {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if r := known[i].rank(query); r < noMatch {
			found = append(found, match{&known[i], r})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank), cmp.Compare(a.depth, b.depth),
			cmp.Compare(len(a.path), len(b.path)), strings.Compare(a.path, b.path),
		)
	})
	paths := make([]string, 0, min(limit, len(found)))
	for _, m := range found[:min(limit, len(found))] {
		paths = append(paths, m.path)
	}
	return paths, ctx.Err()
}
