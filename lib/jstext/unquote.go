package jstext

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// Unquote decodes a JSON string literal, quotes included, to WTF-8. Escaped
// halves that stand together become one code point; a lone one is kept. Any text
// that JSON.parse would not read as one string, white space around it included,
// is a *SyntaxError.
func Unquote(lit string) (string, error) {
	end, err := scanString(lit, 0)
	if err == nil && end != len(lit) {
		err = &SyntaxError{end, "text after the string"}
	}
	if err != nil {
		return "", err
	}
	return unquote(lit), nil
}

// unquote decodes a literal that scanString has accepted.
func unquote(lit string) string {
	s := lit[1 : len(lit)-1]
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	out := make([]byte, len(s)) // no escape is shorter than what it stands for
	n, lone := copy(out, s[:i]), false
	for i < len(s) {
		if i+8 <= len(s) { // eight bytes at a time, those behind a backslash to be overwritten
			w := load8(s, i)
			binary.LittleEndian.PutUint64(out[n:], w)
			plain := bits.TrailingZeros64(equal(w, '\\')) / 8 // of 0 it is 64
			i, n = i+plain, n+plain
			if plain == 8 {
				continue
			}
		} else if s[i] != '\\' {
			out[n] = s[i]
			i, n = i+1, n+1
			continue
		}
		if c := unescaped[s[i+1]]; c != 0 {
			out[n] = c
			i, n = i+2, n+1
			continue
		}
		r, width := unescapeUnit(s[i:])
		lone = lone || IsSurrogate(r)
		n = len(AppendRune(out[:n], r))
		i += width
	}
	if lone {
		return Join(string(out[:n])) // its other half may stand in the text as it is
	}
	return string(out[:n])
}

// unescaped is what the letter of a short escape stands for.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unescapeUnit decodes the \uxxxx at the start of s, with its partner if the two
// make a pair, and returns the bytes read.
func unescapeUnit(s string) (rune, int) {
	r := hex4(s[2:])
	if isHigh(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if lo := hex4(s[8:]); isLow(lo) {
			return (r-surrogateMin)<<10 + (lo - lowMin) + 0x10000, 12
		}
	}
	return r, 6
}

func hex4(s string) (r rune) {
	for i := range 4 {
		r = r<<4 | rune(unhex(s[i]))
	}
	return r
}

func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0xFF
}
