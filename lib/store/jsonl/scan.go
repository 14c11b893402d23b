package jsonl

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// scanner checks one record after another as their bytes come in, in pieces of any
// size, and writes the pruned record to out. It never holds more than what the
// shape keeps, a key, and one frame for each level of nesting.
type scanner struct {
	shape Shape
	out   []byte
	stack []frame
	state state
	next  mode   // how the value that comes next is kept
	strng mode   // how the string being read is kept
	key   bool   // the string being read is a key
	mark  int    // where in out the member being read begins
	keyAt int    // where in out its key's text begins
	hex   int    // hex digits still to come
	word  string // what is left of null, true or false
	brace bool   // the last byte of the string before the quote was {

	// What is known of a whole object that ends where the scanner stands, inside of the
	// record: see splitter.glued.
	list  string // the Form's List, as a key is written; empty: none
	lists bool   // the value that comes next stands under it
	off   int64  // where the bytes that feed is given stand; set by its caller
	pos   int64  // where the byte that step is given stands
	inner Span   // the object that was closed last, with nothing behind it; of length 0: none
}

// mode is how a value is kept. The zero mode lets it go.
type mode struct {
	keep  bool
	shape Shape // nil: all of it
}

// frame is one open object or array.
type frame struct {
	mode  mode
	array bool
	comma bool // something was written in it
	lists bool // it holds objects that look like records
	at    int64
}

type state uint8

const (
	atStart state = iota // between records
	atBOM1
	atBOM2
	atValue
	atFirstElement
	atFirstKey
	atKey
	atColon
	afterValue
	inString
	inEscape
	inHex
	inWord
	inMinus
	inZero
	inInt
	inPoint
	inFraction
	inE
	inESign
	inExponent
)

// verdict is what a piece of input led to.
type verdict uint8

const (
	more   verdict = iota // all of the piece was taken, the record goes on
	closed                // a record ended
	broken                // what comes now cannot belong to the record
)

// maxKey is the longest key, in bytes as written, that a shape can ask for; every
// byte of one may be written as a six-byte escape.
const maxKey = 6 * 64

func (s *scanner) reset() {
	s.out = s.out[:0]
	s.stack = s.stack[:0]
	s.state = atStart
	s.lists, s.inner = false, Span{}
}

// feed takes bytes of one line, without its LF, and returns how many belong to
// the record; the byte that breaks one does not. After closed and broken the
// caller must reset.
func (s *scanner) feed(p []byte) (int, verdict) {
	for i := 0; i < len(p); {
		if s.state == inString {
			if i += s.inside(p[i:]); i == len(p) {
				break
			}
		}
		s.pos = s.off + int64(i)
		n, v := s.step(p[i])
		if v == broken {
			return i, v
		}
		if i += n; v == closed {
			return i, v
		}
	}
	return len(p), more
}

// inside takes string text up to what needs a closer look: the end, an escape of
// four digits, or something wrong.
func (s *scanner) inside(p []byte) int {
	i := 0
	for i < len(p) {
		if n := plain(p[i:]); n > 0 {
			i += n
			s.brace = p[i-1] == '{'
		}
		if i+1 >= len(p) || p[i] != '\\' || !shortEscape[p[i+1]] {
			break
		}
		i += 2
		s.brace = false
	}
	s.take(p[:i])
	return i
}

var shortEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// step takes one byte: 1, or 0 where the byte ends a number and must be looked at
// again.
func (s *scanner) step(c byte) (int, verdict) {
	switch s.state {
	case inString:
		return 1, s.stringByte(c)
	case inEscape:
		return 1, s.escapeByte(c)
	case inHex:
		if !isHex(c) {
			return 0, broken
		}
		s.takeByte(c)
		if s.hex--; s.hex == 0 {
			s.state = inString
		}
		return 1, more
	case inWord:
		if c != s.word[0] {
			return 0, broken
		}
		s.takeByte(c)
		if s.word = s.word[1:]; s.word == "" {
			s.state = afterValue
		}
		return 1, more
	case inMinus, inZero, inInt, inPoint, inFraction, inE, inESign, inExponent:
		return s.numberByte(c)
	case atStart, atBOM1, atBOM2:
		return 1, s.startByte(c)
	}
	brace := s.brace
	s.brace = false // said of the byte right behind a string only
	if c == ' ' || c == '\t' || c == '\r' {
		return 1, more
	}
	n, v := s.structureByte(c)
	if v == broken {
		s.brace = brace
	}
	return n, v
}

func (s *scanner) startByte(c byte) verdict {
	switch {
	case s.state == atBOM1 && c == 0xBB:
		s.state = atBOM2
	case s.state == atBOM2 && c == 0xBF:
		s.state = atStart
	case s.state != atStart:
		return broken
	case c == '{':
		s.open(c, mode{true, s.shape})
	case c == 0xEF:
		s.state = atBOM1
	case c != ' ' && c != '\t' && c != '\r' && c != 0:
		return broken
	}
	return more
}

func (s *scanner) structureByte(c byte) (int, verdict) {
	switch s.state {
	case atFirstElement:
		if c == ']' {
			return 1, s.close()
		}
		s.element()
		return 1, s.value(c)
	case atValue:
		return 1, s.value(c)
	case atFirstKey, atKey:
		if c == '}' && s.state == atFirstKey {
			return 1, s.close()
		}
		if c != '"' {
			return 0, broken
		}
		s.beginKey()
		return 1, more
	case atColon:
		if c != ':' {
			return 0, broken
		}
		s.state = atValue
		return 1, more
	}
	top := &s.stack[len(s.stack)-1] // afterValue
	switch {
	case c == ',' && top.array:
		s.inner = Span{}
		s.element()
		s.state = atValue
	case c == ',':
		s.inner = Span{}
		s.state = atKey
	case c == ']' && top.array, c == '}' && !top.array:
		return 1, s.close()
	default:
		return 0, broken
	}
	return 1, more
}

// element makes ready for an array's next value.
func (s *scanner) element() {
	top := &s.stack[len(s.stack)-1]
	s.next = top.mode
	s.comma(top)
}

func (s *scanner) comma(top *frame) {
	if !top.mode.keep {
		return
	}
	if top.comma {
		s.out = append(s.out, ',')
	}
	top.comma = true
}

func (s *scanner) beginKey() {
	top := &s.stack[len(s.stack)-1]
	s.strng = mode{keep: top.mode.keep}
	s.key, s.brace, s.state = true, false, inString
	s.mark = len(s.out)
	if s.strng.keep {
		if top.comma {
			s.out = append(s.out, ',')
		}
		s.keyAt = len(s.out)
		s.out = append(s.out, '"')
	}
}

// endKey decides over the member whose key has been read.
func (s *scanner) endKey() {
	s.state = atColon
	top := &s.stack[len(s.stack)-1]
	s.next, s.lists = mode{}, false
	if !s.strng.keep {
		return
	}
	s.lists = s.list != "" && string(s.out[s.keyAt:]) == s.list
	if top.mode.shape == nil {
		s.next = mode{keep: true}
	} else if sub, ok := top.mode.shape.member(s.out[s.keyAt:]); ok {
		s.next = mode{true, sub}
	}
	if !s.next.keep {
		s.out = s.out[:s.mark]
		return
	}
	top.comma = true
	s.out = append(s.out, ':')
}

// member looks up a key by its literal.
func (sh Shape) member(lit []byte) (Shape, bool) {
	if bytes.IndexByte(lit, '\\') < 0 {
		sub, ok := sh[string(lit[1:len(lit)-1])]
		return sub, ok
	}
	key, err := jstext.Unquote(string(lit))
	if err != nil {
		return nil, false
	}
	sub, ok := sh[key]
	return sub, ok
}

// value begins the value that starts with c.
func (s *scanner) value(c byte) verdict {
	switch {
	case c == '{' || c == '[':
		if len(s.stack) == jstext.MaxDepth {
			return broken
		}
		s.open(c, s.next)
		return more
	case c == '"':
		s.key, s.brace, s.state = false, false, inString
		s.strng = s.next
	case c == '-':
		s.state = inMinus
	case c == '0':
		s.state = inZero
	case c >= '1' && c <= '9':
		s.state = inInt
	case c == 'n':
		s.state, s.word = inWord, "ull"
	case c == 't':
		s.state, s.word = inWord, "rue"
	case c == 'f':
		s.state, s.word = inWord, "alse"
	default:
		return broken
	}
	s.strng = s.next
	s.takeByte(c)
	return more
}

func (s *scanner) open(c byte, m mode) {
	s.stack = append(s.stack, frame{mode: m, array: c == '[', lists: s.lists, at: s.pos})
	s.lists = false
	if m.keep {
		s.out = append(s.out, c)
	}
	if s.state = atFirstKey; c == '[' {
		s.state = atFirstElement
	}
}

func (s *scanner) close() verdict {
	top := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	if top.mode.keep {
		if top.array {
			s.out = append(s.out, ']')
		} else {
			s.out = append(s.out, '}')
		}
	}
	s.state, s.inner = afterValue, Span{}
	if len(s.stack) == 0 {
		return closed
	}
	if !top.array {
		s.inner = Span{top.at, s.pos + 1 - top.at}
	}
	return more
}

func (s *scanner) stringByte(c byte) verdict {
	switch {
	case c == '"':
		s.takeByte(c)
		if s.state = afterValue; s.key {
			s.endKey()
		}
	case c == '\\':
		s.takeByte(c)
		s.state = inEscape
	default: // a control character
		return broken
	}
	return more
}

func (s *scanner) escapeByte(c byte) verdict {
	switch {
	case shortEscape[c]:
		s.state = inString
	case c == 'u':
		s.state, s.hex = inHex, 4
	default:
		return broken
	}
	s.brace = false
	s.takeByte(c)
	return more
}

// take writes string text, if it is kept. A key too long for any shape is let go
// at once, unless its object is kept whole.
func (s *scanner) take(p []byte) {
	if !s.strng.keep {
		return
	}
	s.out = append(s.out, p...)
	if s.key && len(s.out)-s.keyAt > maxKey && s.stack[len(s.stack)-1].mode.shape != nil {
		s.strng.keep = false
		s.out = s.out[:s.mark]
	}
}

func (s *scanner) takeByte(c byte) {
	if s.strng.keep {
		s.out = append(s.out, c)
	}
}

// welded reports whether the break that feed has met is where a new record was
// written over a torn one: inside a string, so that the record's first bytes {"
// closed it.
func (s *scanner) welded() bool {
	return s.brace && (s.state == afterValue || s.state == atColon)
}

// numberByte follows the number grammar of JSON.
func (s *scanner) numberByte(c byte) (int, verdict) {
	digit := c >= '0' && c <= '9'
	to := s.state
	switch s.state {
	case inMinus:
		if to = inInt; c == '0' {
			to = inZero
		}
		if !digit {
			return 0, broken
		}
	case inZero, inInt, inFraction, inExponent:
		switch {
		case digit && s.state != inZero:
		case c == '.' && s.state <= inInt:
			to = inPoint
		case (c == 'e' || c == 'E') && s.state != inExponent:
			to = inE
		default:
			s.state = afterValue
			return 0, more
		}
	case inPoint:
		if to = inFraction; !digit {
			return 0, broken
		}
	case inE, inESign:
		to = inExponent
		if s.state == inE && (c == '+' || c == '-') {
			to = inESign
		} else if !digit {
			return 0, broken
		}
	}
	s.state = to
	s.takeByte(c)
	return 1, more
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// plain is the length of the run at the start of p that is ordinary string text:
// no quote, no backslash, no control character. It looks at eight bytes at a time,
// because most of a large log is inside strings.
func plain(p []byte) int {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	i := 0
	for ; i+8 <= len(p); i += 8 {
		x := binary.LittleEndian.Uint64(p[i:])
		quote := x ^ '"'*ones
		slash := x ^ '\\'*ones
		// A byte's top bit is set where it is below 0x20, or became zero. Borrows can
		// set bits above the first hit only, and the first is all that counts.
		hit := ((x - ' '*ones) &^ x) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
		if hit &= tops; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(p); i++ {
		if c := p[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}
