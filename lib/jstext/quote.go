package jstext

import (
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
	start := 0 // s[start:i] is literal
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x80 && c != '"' && c != '\\' && (c != '<' || !tagSafe) {
			i++
			continue
		}
		if c < 0x80 {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, n := DecodeRune(s[i:])
		switch {
		case IsSurrogate(r):
			dst = append(dst, s[start:i]...)
			dst = append(dst, '\\', 'u', 'd', hex[r>>8&0xF], hex[r>>4&0xF], hex[r&0xF])
			start = i + n
		case r == utf8.RuneError && n == 1:
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
			start = i + n
		}
		i += n
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
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
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for {
		out = append(out, s[:at]...)
		s = s[at:]
		n := 2
		switch c := s[1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			var r rune
			r, n = unescapeUnit(s)
			out = AppendRune(out, r)
		default:
			out = append(out, c)
		}
		s = s[n:]
		if at = strings.IndexByte(s, '\\'); at < 0 {
			return string(append(out, s...))
		}
	}
}

// unescapeUnit decodes the \uxxxx at the start of s, with its partner if the two
// make a pair, and returns the bytes read.
func unescapeUnit(s string) (rune, int) {
	r := hex4(s[2:])
	if r >= surrogateMin && r <= highMax && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if lo := hex4(s[8:]); lo >= lowMin && lo <= surrogateMax {
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
