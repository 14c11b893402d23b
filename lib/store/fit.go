package store

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// fit is how well a session fits a query, the best first.
type fit int

const (
	equals    fit = iota // the title or the id is the query
	begins               // the title begins with it
	word                 // a word of the title does
	contains             // the title has it inside a word
	elsewhere            // the id or a directory has it
	mentioned            // the title has it in the label of a mention: another session is meant
)

// byFit sorts what a query has found, and keeps the order of equal fits. The titles
// are known.
func byFit(entries []Entry, query string) {
	query = jstext.ToLower(query)
	titles := make([]string, len(entries))
	labels := make(map[string]bool, len(entries))
	for i, e := range entries {
		if e.Title != nil {
			titles[i] = jstext.ToLower(*e.Title)
			labels[titles[i]] = true
		}
	}
	type ranked struct {
		Entry
		fit fit
	}
	all := make([]ranked, len(entries))
	for i, e := range entries {
		all[i] = ranked{e, fitOf(e, titles[i], query, labels)}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.fit, b.fit) })
	for i, r := range all {
		entries[i] = r.Entry
	}
}

func fitOf(e Entry, title, query string, labels map[string]bool) fit {
	own := strings.TrimPrefix(e.ID, e.Kind+":")
	if title == query || jstext.ToLower(e.ID) == query || jstext.ToLower(own) == query {
		return equals
	}
	inTitle := fitTitle(title, query, labels)
	if inTitle < elsewhere {
		return inTitle
	}
	has := func(s string) bool { return strings.Contains(jstext.ToLower(s), query) }
	if inTitle == elsewhere || has(e.ID) || e.Cwd != nil && has(*e.Cwd) || slices.ContainsFunc(e.OtherCwds, has) {
		return elsewhere
	}
	return mentioned
}

// fitTitle is the best fit of what stands in a title outside the labels of mentions;
// mentioned where only these have the query, elsewhere where nothing has.
func fitTitle(title, query string, labels map[string]bool) fit {
	best, before, labelEnd := elsewhere, ' ', 0
	next := strings.Index(title, query)
	for i, r := range title {
		if next < 0 {
			break
		}
		if i >= next {
			end := i + len(query)
			switch {
			case end <= labelEnd && best == elsewhere:
				best = mentioned
			case end <= labelEnd:
			case i == 0:
				return begins
			case !isWord(before):
				best = min(best, word)
			default:
				best = min(best, contains)
			}
			if next = strings.Index(title[end:], query); next >= 0 {
				next += end
			}
		}
		if i >= labelEnd && r == '@' && !isWord(before) {
			labelEnd = i + 1 + labelLen(title[i+1:], labels)
		}
		before = r
	}
	return best
}

// maxLabel bounds how far the end of a label is looked for.
const maxLabel = 256

// labelLen is the length of a mention's label in a title, of which nothing but an @
// is left: the longest title of a session at hand, else up to the next white space. A
// no-break space is none: agents have menus that put it between a label's words.
func labelLen(text string, labels map[string]bool) int {
	text = text[:min(len(text), maxLabel)]
	for n := len(text); n > 0; n-- {
		if after, _ := utf8.DecodeRuneInString(text[n:]); labels[text[:n]] && !isWord(after) {
			return n
		}
	}
	if n := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }); n >= 0 {
		return n
	}
	return len(text)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }
