package sessionuri

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// match is one reference in a text, not yet decoded.
type match struct {
	start, end int // text[start:end]
	explicit   bool
	label      string // as written, escapes included; explicit only
	uri        string
}

// scanner walks a text once. The three marks keep hostile texts linear: each
// says how far a search has looked, so that no byte is looked at twice by one.
type scanner struct {
	text string
	pos  int

	mention, scheme int // the next "@[" and Scheme at or after pos, len(text) if none

	label span // the last label scanned
	uri   span // the last explicit URI scanned
}

func scan(text string) *scanner { return &scanner{text: text, mention: -1, scheme: -1} }

// span records that a search begun anywhere in from..to ends at to.
type span struct{ from, to int }

func (s span) holds(i int) bool { return i >= s.from && i < s.to }

// next returns the leftmost reference at or after the scanner's position.
func (s *scanner) next() (match, bool) {
	for {
		s.advance()
		if s.scheme == len(s.text) {
			return match{}, false // nothing can be a reference without it
		}
		if s.mention < s.scheme {
			if m, ok := s.explicit(s.mention); ok {
				s.pos = m.end
				return m, true
			}
			s.pos = s.mention + len("@[")
			continue
		}
		start, payload := s.scheme, s.scheme+len(Scheme)
		s.pos = payload + payloadLen(s.text[payload:])
		if s.pos > payload {
			return match{start: start, end: s.pos, uri: s.text[start:s.pos]}, true
		}
	}
}

// advance moves the two marks up to the position, searching only where a mark
// has been passed.
func (s *scanner) advance() {
	if s.mention < s.pos {
		s.mention = s.index("@[")
	}
	if s.scheme < s.pos {
		s.scheme = s.index(Scheme)
	}
}

func (s *scanner) index(what string) int {
	if i := strings.Index(s.text[s.pos:], what); i >= 0 {
		return s.pos + i
	}
	return len(s.text)
}

// explicit reports the mention that starts with the "@[" at start.
func (s *scanner) explicit(start int) (match, bool) {
	from := start + len("@[")
	end := s.labelEnd(from)
	uri, ok := strings.CutPrefix(s.text[end:], "](")
	if !ok || !strings.HasPrefix(uri, Scheme) {
		return match{}, false
	}
	at := end + len("](")
	stop := s.uriEnd(at)
	if stop == len(s.text) || s.text[stop] != ')' {
		return match{}, false
	}
	return match{start, stop + 1, true, s.text[from:end], s.text[at:stop]}, true
}

// labelEnd returns the index of the first unescaped "]" at or after from, or of
// a backslash that escapes nothing (before a line terminator or at the end), or
// the text's length. Of labels that begin inside one another the ends are the
// same: an "@[" can have its @ escaped, but never its bracket, so both scans stand
// on the same escapes after it.
func (s *scanner) labelEnd(from int) int {
	if s.label.holds(from) {
		return s.label.to
	}
	i := from
	for i < len(s.text) {
		n := strings.IndexAny(s.text[i:], `\]`)
		if n < 0 {
			i = len(s.text)
			break
		}
		i += n
		if s.text[i] == ']' || !escapes(s.text[i+1:]) {
			break
		}
		i += 2 // the escaped character's first byte is enough: the rest is neither \ nor ]
	}
	s.label = span{from, i}
	return i
}

// escapes reports whether a backslash before rest escapes something: any
// character but a line terminator, as . in a regular expression.
func escapes(rest string) bool {
	r, n := jstext.DecodeRune(rest)
	return n > 0 && r != '\n' && r != '\r' && r != '\u2028' && r != '\u2029'
}

// uriEnd returns the index of the first white space or ")" at or after from, or
// the text's length.
func (s *scanner) uriEnd(from int) int {
	if s.uri.holds(from) {
		return s.uri.to
	}
	i := from
	for i < len(s.text) {
		r, n := jstext.DecodeRune(s.text[i:])
		if r == ')' || isSpace(r) {
			break
		}
		i += n
	}
	s.uri = span{from, i}
	return i
}

// isSpace is \s of a JavaScript regular expression.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}
