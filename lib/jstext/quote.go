package jstext

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// AppendQuote appends s as a JSON string literal, byte for byte what
// JSON.stringify writes: \" \\ \b \f \n \r \t short, other controls below U+0020
// as \u00xx, lone surrogates as \udxxx, all else literal. Bytes that are not
// WTF-8 are written as U+FFFD, so the result is always valid UTF-8.
func AppendQuote(dst []byte, s string) []byte { return appendQuote(dst, s, false) }

// AppendQuoteTagSafe is AppendQuote with every < written \u003c, so that no
// string can spell a tag (SPEC 6). The result decodes to the same string.
func AppendQuoteTagSafe(dst []byte, s string) []byte { return appendQuote(dst, s, true) }

// Quote is AppendQuote as a string.
func Quote(s string) string { return string(AppendQuote(make([]byte, 0, len(s)+2), s)) }

func appendQuote(dst []byte, s string, tagSafe bool) []byte {
	dst = append(dst, '"')
	if utf8.ValidString(s) {
		dst = appendEscaped(dst, s, tagSafe)
	} else {
		dst = appendMended(dst, s, tagSafe)
	}
	return append(dst, '"')
}

// appendEscaped writes well-formed text, in which only single bytes need escapes.
func appendEscaped(dst []byte, s string, tagSafe bool) []byte {
	end := plainEnd
	if tagSafe {
		end = plainEndTagSafe
	}
	for i := 0; ; {
		at := end(s, i)
		dst = append(dst, s[i:at]...)
		if at == len(s) {
			return dst
		}
		dst = appendEscape(dst, s[at])
		i = at + 1
	}
}

// appendMended writes text with lone surrogates or with bytes that are not WTF-8.
func appendMended(dst []byte, s string, tagSafe bool) []byte {
	start := 0 // s[start:i] is well-formed
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := DecodeRune(s[i:])
		switch {
		case IsSurrogate(r):
			dst = appendEscaped(dst, s[start:i], tagSafe)
			dst = appendSurrogate(dst, r)
			start = i + n
		case r == utf8.RuneError && n == 1:
			dst = appendEscaped(dst, s[start:i], tagSafe)
			dst = append(dst, "\uFFFD"...)
			start = i + n
		}
		i += n
	}
	return appendEscaped(dst, s[start:], tagSafe)
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}

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

// stringified reports whether a literal that scanString has accepted is what
// AppendQuote would write for its string.
func stringified(lit string) bool {
	for s := lit; ; {
		at := strings.IndexByte(s, '\\')
		if at < 0 {
			return utf8.ValidString(lit)
		}
		n := 2
		switch s[at+1] {
		case '/':
			return false
		case 'u':
			r, width := unescapeUnit(s[at:])
			var buf [6]byte
			if n = 6; width != n || string(appendUnit(buf[:0], r)) != s[at:at+n] {
				return false
			}
		}
		s = s[at+n:]
	}
}

// appendUnit appends the one escape of a code unit that JSON.stringify writes, or
// nothing where it writes none in \u form.
func appendUnit(dst []byte, r rune) []byte {
	if r < 0x20 {
		return appendEscape(dst, byte(r))
	}
	if IsSurrogate(r) {
		return appendSurrogate(dst, r)
	}
	return dst
}

func appendSurrogate(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', 'd', hex[r>>8&0xF], hex[r>>4&0xF], hex[r&0xF])
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
