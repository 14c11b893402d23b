package record

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Pass goes over lines at the beginning of buf for as long as each has a known
// shape and the next seq, starting with next. It returns the bytes of those lines
// and the seq that must follow. It allocates nothing.
func (r *Reader) Pass(buf []byte, next int64) (n int, follows int64) {
	if r.Plain || next < 0 {
		return 0, next
	}
	// The shape that fitted last is tried first, the others when it fits no more.
	for tried := 0; tried < shapeCount; tried++ {
		k := (r.recent + tried) % shapeCount
		s := &r.shapes[k]
		if len(s.tail) == 0 || !bytes.HasPrefix(buf[n:], s.head[:len(s.head)-s.digits]) {
			continue // before the seq is spelled out: most lines that have no shape end here
		}
		s.set(next)
		size := s.match(buf[n:])
		if size == 0 {
			continue
		}
		for size > 0 {
			n += size
			next++
			if !s.inc() {
				s.set(next)
			}
			size = s.match(buf[n:])
		}
		r.recent, tried = k, -1
	}
	return n, next
}

// match returns the length of the line at the beginning of buf if it has the shape
// with the seq that was put into it, else 0.
func (s *shape) match(buf []byte) int {
	i := len(s.head)
	at := i - windowSize
	if len(buf) < i+len(s.mid) || string(buf[:at]) != string(s.head[:at]) ||
		binary.BigEndian.Uint64(buf[at:]) != s.window || string(buf[i:i+len(s.mid)]) != string(s.mid) {
		return 0
	}
	if s.bare {
		if n := s.renumber(buf[i:]); n > 0 {
			return i + n
		}
		return 0
	}
	i += len(s.mid)
	end := digitsEnd(buf, i)
	if end == i || end-i > maxDigits || buf[i] == '0' && end-i > 1 {
		return 0
	}
	i = end + len(s.lead)
	if len(buf) < i+len(s.tail) || string(buf[end:i]) != string(s.lead) {
		return 0
	}
	i = textEnd(buf, i)
	if i < len(buf) && buf[i] == '\\' {
		i = escaped(buf, i)
	}
	if len(buf) < i+len(s.tail) || string(buf[i:i+len(s.tail)]) != string(s.tail) {
		// This also catches a text that ends at a control character.
		if n := s.renumber(buf[i:]); n > 0 {
			return i + n
		}
		return 0
	}
	return i + len(s.tail)
}

// renumber takes for the tail what differs from it in digits alone: the number of
// the next turn. No key that matters has a digit in it, so the line is still of no
// concern. It returns the new tail's length, 0 if there is none.
func (s *shape) renumber(buf []byte) int {
	i := 0
	for k := 0; k < len(s.tail); {
		if c := s.tail[k]; !isDigit(c) {
			if i == len(buf) || buf[i] != c || c == '\\' { // digits behind a backslash spell letters
				return 0
			}
			i, k = i+1, k+1
			continue
		}
		for k < len(s.tail) && isDigit(s.tail[k]) {
			k++
		}
		from := i
		for i < len(buf) && isDigit(buf[i]) {
			i++
		}
		if n := i - from; n == 0 || n > maxDigits || n > 1 && buf[from] == '0' {
			return 0
		}
	}
	s.tail = append(s.tail[:0], buf[:i]...)
	return i
}

func isDigit(c byte) bool { return c-'0' <= 9 }

const (
	low  = 0x0101010101010101
	high = 0x8080808080808080
)

// digitsEnd returns where the digits at buf[i:] end.
func digitsEnd(buf []byte, i int) int {
	for len(buf)-i >= 8 {
		x := binary.LittleEndian.Uint64(buf[i:])
		// A digit is 0x30 to 0x39: the high half is 3, also when 6 is added. The
		// lowest byte that is none is exact; a carry may spoil those above it.
		if other := ((x ^ 0x30*low) | ((x + 6*low) ^ 0x30*low)) & (0xF0 * low); other != 0 {
			return i + bits.TrailingZeros64(other)/8
		}
		i += 8
	}
	for i < len(buf) && buf[i]-'0' <= 9 {
		i++
	}
	return i
}

// textEnd returns where the plain text of a string literal at buf[i:] ends: at a
// quote, a backslash, a control character or the end.
func textEnd(buf []byte, i int) int {
	for len(buf)-i >= 8 {
		x := binary.LittleEndian.Uint64(buf[i:])
		quote, slash := x^'"'*low, x^'\\'*low
		// The lowest high bit set is exact; those above it may be carried wrongly.
		stop := ((quote - low) &^ quote) | ((slash - low) &^ slash) | ((x - 0x20*low) &^ x)
		if stop &= high; stop != 0 {
			return i + bits.TrailingZeros64(stop)/8
		}
		i += 8
	}
	for i < len(buf) && plain[buf[i]] {
		i++
	}
	return i
}

// plain are the bytes that stand for themselves in a string literal.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// escaped goes on in a string literal from its first escape, and returns where the
// literal or its grammar ends.
func escaped(buf []byte, i int) int {
	for i < len(buf) {
		switch {
		case plain[buf[i]]:
			i++
		case buf[i] != '\\' || i+1 >= len(buf):
			return i
		case buf[i+1] == 'u':
			for k := 2; k < 6; k++ {
				if i+k >= len(buf) || !isHex(buf[i+k]) {
					return i
				}
			}
			i += 6
		default:
			switch buf[i+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i += 2
			default:
				return i
			}
		}
	}
	return i
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
