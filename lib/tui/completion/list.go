package completion

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
)

// The most that one list holds (SPEC 4 and 8).
const (
	MaxSessions = 50
	MaxFiles    = 20
)

// Item is one row of the list: a session, or a file's path.
type Item struct {
	Session *candidate.Session
	Path    string
}

// Insert is the text that choosing the item puts in place of the token.
func (i Item) Insert() string {
	switch {
	case i.Session != nil:
		return i.Session.Mention()
	case strings.ContainsFunc(i.Path, unicode.IsSpace):
		return `@"` + i.Path + `"`
	}
	return "@" + i.Path
}

func (i Item) same(j Item) bool {
	if i.Session == nil || j.Session == nil {
		return i.Session == j.Session && i.Path == j.Path
	}
	return i.Session.ID == j.Session.ID
}

// List is the open or closed list. The zero List is closed.
type List struct {
	Token Token

	open       bool
	generation int
	// Which searches have answered, and whether rows are shown before both have.
	sessionsIn, filesIn, settled bool
	partial                      bool // more files may come
	sessions                     []Item
	files                        []Item
	items                        []Item
	chosen                       int
	moved                        bool // a person has chosen; else the first row is
	top                          int
}

// Ask opens the list for a token, or renews it, and returns the generation that
// the answers must carry. What an earlier question found stays in sight until both
// searches have answered, or until Settle: rows that come one after the other would
// change places under a finger that is about to choose.
func (l *List) Ask(t Token) int {
	if !l.open || l.Token.Start != t.Start {
		*l = List{generation: l.generation}
	}
	l.Token, l.open, l.moved = t, true, false
	l.sessionsIn, l.filesIn, l.settled, l.partial = false, false, false, false
	l.generation++
	return l.generation
}

// Settle shows what there is so far, and from then on every answer as it comes.
func (l *List) Settle(generation int) {
	if l.open && generation == l.generation && !l.settled {
		l.settled = true
		l.merge()
	}
}

// Close closes the list. Answers that are still to come change nothing.
func (l *List) Close() {
	*l = List{generation: l.generation + 1}
}

// SetSessions takes what the search of a generation has found, the best first.
func (l *List) SetSessions(generation int, found []candidate.Session) {
	if !l.open || generation != l.generation {
		return
	}
	l.sessions = nil
	for _, s := range found[:min(len(found), MaxSessions)] {
		l.sessions = append(l.sessions, Item{Session: &s})
	}
	l.sessionsIn = true
	l.merge()
}

// SetFiles is SetSessions for paths. A partial answer will be followed by another.
func (l *List) SetFiles(generation int, found []string, partial bool) {
	if !l.open || generation != l.generation {
		return
	}
	l.files = nil
	for _, p := range found[:min(len(found), MaxFiles)] {
		l.files = append(l.files, Item{Path: p})
	}
	l.filesIn, l.partial = true, partial
	l.merge()
}

// merge puts the list together: sessions first, unless what was typed looks
// like a path. The chosen row stays chosen where a person chose it.
func (l *List) merge() {
	if !l.settled && !(l.sessionsIn && l.filesIn) {
		return
	}
	if !l.sessionsIn {
		l.sessions = nil // they are of an earlier question
	}
	if !l.filesIn {
		l.files = nil
	}
	var chosen Item
	if l.chosen < len(l.items) {
		chosen = l.items[l.chosen]
	}
	l.items = slices.Concat(l.sessions, l.files)
	if strings.ContainsAny(l.Token.Query, "/.") {
		l.items = slices.Concat(l.files, l.sessions)
	}
	l.chosen = 0
	if i := slices.IndexFunc(l.items, chosen.same); l.moved && i >= 0 {
		l.chosen = i
	}
}

// Open reports whether the list is open and has, or may yet get, a row.
func (l *List) Open() bool { return l.open }

// Waiting reports whether a search has not answered yet.
func (l *List) Waiting() bool { return l.open && (!l.sessionsIn || !l.filesIn || l.partial) }

// Pending reports whether there are no rows for what is asked yet, none or those of
// an earlier question, so that a key that would choose one has to wait.
func (l *List) Pending() bool {
	return l.open && !l.settled && !(l.sessionsIn && l.filesIn)
}

// Len is the number of rows.
func (l *List) Len() int { return len(l.items) }

// Index is the number of the chosen row, from 0.
func (l *List) Index() int { return l.chosen }

// Chosen is the chosen row, if there is one.
func (l *List) Chosen() (Item, bool) {
	if l.chosen >= len(l.items) {
		return Item{}, false
	}
	return l.items[l.chosen], true
}

// Move chooses the row n further down, round the ends for single steps.
func (l *List) Move(n int) {
	if len(l.items) == 0 {
		return
	}
	l.moved = true
	switch to := l.chosen + n; {
	case n == 1 && to == len(l.items):
		l.chosen = 0
	case n == -1 && to < 0:
		l.chosen = len(l.items) - 1
	default:
		l.chosen = min(max(to, 0), len(l.items)-1)
	}
}

// Visible returns at most height rows, the chosen one among them, and which of them
// is chosen.
func (l *List) Visible(height int) (items []Item, chosen int) {
	height = min(height, len(l.items))
	l.top = max(min(l.top, l.chosen, len(l.items)-height), l.chosen-height+1, 0)
	return l.items[l.top : l.top+height], l.chosen - l.top
}
