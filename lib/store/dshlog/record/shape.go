package record

import (
	"encoding/binary"
	"unsafe"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// shapeCount is how many shapes a reader remembers: text, reasoning and the
// arguments of two calls that stream at the same time, and the bare ones.
const shapeCount = 8

// shape is a line with holes. A chunk event's is
//
//	head SEQ mid TIME lead TEXT tail
//
// where TEXT is the inside of a string literal and tail ends with the line feed.
// Whatever digits and string are put into the holes, and whatever digits are in the
// place of those in the tail, the line is JSON, is the same type of record, and
// carries nothing for the fold. A bare one is head SEQ tail.
type shape struct {
	bare bool
	// head ends with the digits of the seq. Its last eight bytes are in window, which
	// counts up in a register: a byte that is written into memory and then read back
	// as part of a word would stall every line.
	head   []byte
	digits int    // of the seq
	window uint64 // the first of the eight bytes is the highest
	mid    []byte
	lead   []byte
	tail   []byte
}

// learn takes the shape of a line that was read in full and is of no concern to
// the fold. ev borrows the line's bytes.
func (r *Reader) learn(line []byte, ev session.Event) {
	seq, time := ev.JSON.Get("seq"), ev.JSON.Get("time")
	chunk := ev.Data.Get("chunk")
	text := chunk.Get("text")
	if !text.Exists() {
		text = chunk.Get("argumentsDelta")
	}
	if !digits(seq.Raw()) || !digits(time.Raw()) || text.Kind() != jstext.String {
		return
	}
	seqAt, timeAt, textAt := offset(line, seq), offset(line, time), offset(line, text)+1
	textEnd := textAt + len(text.Raw()) - 2
	seqEnd, timeEnd := seqAt+len(seq.Raw()), timeAt+len(time.Raw())
	if seqEnd > timeAt || timeEnd > textAt || seqEnd < windowSize {
		return // another order of keys than dsh's
	}
	s := r.newShape(line, seqAt, seqEnd, textEnd)
	s.mid = append(s.mid[:0], line[seqEnd:timeAt]...)
	s.lead = append(s.lead[:0], line[timeEnd:textAt]...)
}

// bare are the types of small records that come with every step.
var bare = map[string]bool{"turn/start": true, "step/start": true, "step/end": true}

// learnBare takes the shape of a line without a text of its own, as learn does.
func (r *Reader) learnBare(line []byte, ev session.Event) {
	seq := ev.JSON.Get("seq")
	if !digits(seq.Raw()) || len(line) > maxBare {
		return
	}
	seqAt := offset(line, seq)
	seqEnd := seqAt + len(seq.Raw())
	if seqEnd < windowSize {
		return
	}
	s := r.newShape(line, seqAt, seqEnd, seqEnd)
	s.bare, s.mid, s.lead = true, s.mid[:0], s.lead[:0]
}

// maxBare is the longest line that is worth a shape.
const maxBare = 512

// newShape takes the place of the shape that was learnt longest ago.
func (r *Reader) newShape(line []byte, seqAt, seqEnd, tailAt int) *shape {
	r.recent = (r.recent + 1) % shapeCount
	s := &r.shapes[r.recent]
	s.bare = false
	s.head, s.digits = append(s.head[:0], line[:seqEnd]...), seqEnd-seqAt
	s.tail = append(append(s.tail[:0], line[tailAt:]...), '\n')
	return s
}

// offset is where a value that borrows the line's bytes stands in it.
func offset(line []byte, v jstext.Value) int {
	return int(uintptr(unsafe.Pointer(unsafe.StringData(v.Raw()))) - uintptr(unsafe.Pointer(unsafe.SliceData(line))))
}

// digits reports whether a number literal is one that a hole for digits takes.
func digits(lit string) bool {
	for _, c := range []byte(lit) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return lit != "" && len(lit) <= maxDigits && (lit[0] != '0' || lit == "0")
}

// maxDigits keeps numbers in holes among the safe integers.
const maxDigits = 15

const windowSize = 8

// set puts a seq into the shape.
func (s *shape) set(seq int64) {
	var buf [20]byte
	at := len(buf)
	for {
		at--
		buf[at] = byte('0' + seq%10)
		if seq /= 10; seq == 0 {
			break
		}
	}
	s.head = append(s.head[:len(s.head)-s.digits], buf[at:]...)
	s.digits = len(buf) - at
	s.window = binary.BigEndian.Uint64(s.head[len(s.head)-windowSize:])
}

// inc puts the next seq into the shape, if it has as many digits and differs in the
// last seven; else the caller has to set it.
func (s *shape) inc() bool {
	s.window++
	for shift := 0; byte(s.window>>shift) == '9'+1; shift += 8 {
		if shift/8+1 == min(s.digits, windowSize-1) {
			return false
		}
		s.window += 1<<(shift+8) - 10<<shift
	}
	return true
}
