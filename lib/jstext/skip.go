package jstext

import (
	"math/bits"
	"strings"
)

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// next returns the index behind the value at s[i] of a text that has been
// checked: no grammar, only brackets and strings.
func next(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = closeQuote(s, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth <= 0 {
				if depth < 0 {
					return i
				}
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r', ':':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// closeQuote returns the index behind the string literal at s[i].
func closeQuote(s string, i int) int {
	for i++; ; {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return len(s)
		}
		i += n
		back := i
		for s[back-1] == '\\' {
			back--
		}
		i++
		if (i-1-back)%2 == 0 {
			return i
		}
	}
}

// Eight bytes at a time: a byte's top bit is set where the test holds for it. A
// borrow can set it wrongly only above a byte where it holds, so the lowest one
// set is always right.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

func load8(s string, i int) uint64 {
	b := s[i : i+8] // the compiler makes one load of these
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// less and equal test each byte of w, below 0x80 where less is asked.
func less(w uint64, c byte) uint64  { return (w - ones*uint64(c)) &^ w & tops }
func equal(w uint64, c byte) uint64 { return less(w^ones*uint64(c), 1) }

// plainEnd returns the index of the first byte at or after i that is not itself
// inside a JSON string: a quote, a backslash or a control character, else len(s).
func plainEnd(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := load8(s, i)
		if m := less(w, 0x20) | equal(w, '"') | equal(w, '\\'); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(s) && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}
