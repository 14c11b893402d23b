package jstext

import "unicode/utf8"

// Decode turns bytes into a string as a WHATWG UTF-8 decoder does: each maximal
// subpart of an ill-formed sequence becomes one U+FFFD (so an encoded surrogate
// becomes three). A leading U+FEFF is kept; that is a question of the stream, not
// of its bytes. Well-formed input is copied once and otherwise unchanged.
//
// Rule: SPEC 2, and the decoder of the Encoding Standard.
func Decode(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out := make([]byte, 0, len(b)+8)
	for len(b) > 0 {
		n := validPrefix(b)
		out = append(out, b[:n]...)
		if b = b[n:]; len(b) > 0 {
			out = append(out, "\uFFFD"...)
			b = b[subpart(b):]
		}
	}
	return string(out)
}

// validPrefix is the length of the well-formed text at the start of b.
func validPrefix(b []byte) int {
	i := 0
	for i < len(b) {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return i
}

// subpart is the length of the maximal subpart at the start of b, which must not
// begin with a well-formed sequence: the longest prefix that could still have
// become one, at least 1.
func subpart(b []byte) int {
	need, lo, hi := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			lo = 0xA0
		} else if c == 0xED {
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			lo = 0x90
		} else if c == 0xF4 {
			hi = 0x8F
		}
	}
	n := 1
	for ; need > 0 && n < len(b) && b[n] >= lo && b[n] <= hi; need-- {
		n++
		lo, hi = 0x80, 0xBF
	}
	return n
}
