package record

import (
	"unsafe"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// shapeCount is how many shapes a reader remembers: text, reasoning and the
// arguments of two calls that stream at the same time.
const shapeCount = 4

// shape is a chunk event's line with three holes. The line is
//
//	head SEQ mid TIME lead TEXT tail
//
// where TEXT is the inside of a string literal and tail ends with the line feed.
// Whatever digits and string are put into the holes, the line is JSON, is the same
// type of record, and carries nothing for the fold.
type shape struct {
	head, mid, lead, tail []byte
}

// learn takes the shape of a line that was read in full and is of no concern to
// the fold. v is the line's value and shares its memory.
func (r *Reader) learn(line []byte, v jstext.Value) {
	if !v.Get("type").Is(chunkType) {
		return
	}
	seq, time := v.Get("seq"), v.Get("time")
	chunk := v.Get("data", "chunk")
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
	if seqEnd > timeAt || timeEnd > textAt {
		return // another order of keys than dsh's
	}
	r.recent = (r.recent + 1) % shapeCount
	s := &r.shapes[r.recent]
	s.head = append(s.head[:0], line[:seqAt]...)
	s.mid = append(s.mid[:0], line[seqEnd:timeAt]...)
	s.lead = append(s.lead[:0], line[timeEnd:textAt]...)
	s.tail = append(append(s.tail[:0], line[textEnd:]...), '\n')
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
