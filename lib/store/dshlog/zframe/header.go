package zframe

import (
	"encoding/binary"
	"errors"
)

const (
	magic         = 0xFD2FB528
	magicBytes    = "\x28\xb5\x2f\xfd"
	skippable     = 0x184D2A50 // and the fifteen above it
	skippableMask = 0xFFFFFFF0

	// maxBlock is the largest block of any frame (RFC 8878, 3.1.1.2.4).
	maxBlock    = 128 << 10
	blockHeader = 3
)

// Is reports whether a file that begins with head is zstd. Its name says nothing.
func Is(head []byte) bool { return len(head) >= 4 && isMagic(head) }

func isMagic(b []byte) bool {
	m := binary.LittleEndian.Uint32(b)
	return m == magic || isSkippable(m)
}

func isSkippable(m uint32) bool { return m&skippableMask == skippable }

// errShort asks for more bytes; errBad says that no more bytes will help.
var (
	errShort = errors.New("more bytes are needed")
	errBad   = errors.New("not a zstd frame")
)

// walker finds the end of one frame. at is how far it got, counted from the
// frame's first byte; it may lie behind the bytes there are.
type walker struct {
	at       int
	checksum int
	inBlocks bool
	done     bool
	skip     bool // the frame is skippable: at is its end, whatever is there
}

// run goes on in b, the bytes of the file from the frame's beginning. It returns
// errShort until b holds the whole frame, and errBad where none can be.
func (w *walker) run(b []byte) error {
	if !w.inBlocks {
		if err := w.header(b); err != nil {
			return err
		}
	}
	for !w.done {
		if w.at+blockHeader > len(b) {
			return errShort
		}
		h := uint32(b[w.at]) | uint32(b[w.at+1])<<8 | uint32(b[w.at+2])<<16
		size := int(h >> 3)
		if size > maxBlock {
			return errBad
		}
		switch h >> 1 & 3 {
		case 1: // one byte, repeated
			size = 1
		case 3: // reserved
			return errBad
		}
		w.at += blockHeader + size
		if h&1 != 0 {
			w.at += w.checksum
			w.done = true
		}
	}
	if w.at > len(b) {
		return errShort
	}
	return nil
}

func (w *walker) header(b []byte) error {
	if len(b) < 4 {
		if string(b) == magicBytes[:len(b)] || len(b) > 0 && b[0]>>4 == skippable>>4&0xF {
			return errShort
		}
		return errBad
	}
	if !isMagic(b) {
		return errBad
	}
	if isSkippable(binary.LittleEndian.Uint32(b)) {
		if len(b) < 8 {
			return errShort
		}
		w.at = 8 + int(binary.LittleEndian.Uint32(b[4:]))
		w.inBlocks, w.done, w.skip = true, true, true
		return nil
	}
	if len(b) < 5 {
		return errShort
	}
	d := b[4]
	if d&0x08 != 0 { // reserved
		return errBad
	}
	n := 5 + [...]int{0, 1, 2, 4}[d&3] // dictionary id
	if d&0x20 == 0 {
		n++ // window descriptor
	} else if d>>6 == 0 {
		n++ // content size of one byte, in a single segment only
	}
	n += [...]int{0, 2, 4, 8}[d>>6] // content size
	if len(b) < n {
		return errShort
	}
	if d&0x04 != 0 {
		w.checksum = 4
	}
	w.at, w.inBlocks = n, true
	return nil
}

// End is the length of the frame at the beginning of b, if b holds all of it.
func End(b []byte) (n int, ok bool) {
	var w walker
	if w.run(b) != nil {
		return 0, false
	}
	return w.at, true
}
