package jstext

import (
	"strings"
	"unicode/utf8"
)

const (
	surrogateMin = 0xD800
	highMax      = 0xDBFF
	lowMin       = 0xDC00
	surrogateMax = 0xDFFF
)

// DecodeRune returns the first code point of a WTF-8 string and its width in
// bytes. It differs from utf8.DecodeRuneInString in that a lone surrogate (three
// bytes, ED A0..BF xx) is returned as itself, width 3. A byte that is not WTF-8
// is utf8.RuneError with width 1; the empty string is RuneError with width 0.
func DecodeRune(s string) (rune, int) {
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return utf8.DecodeRuneInString(s)
}

// AppendRune appends a code point as WTF-8: surrogates are encoded in three
// bytes. It does not join a high half at the end of dst with a low one; see Join.
func AppendRune(dst []byte, r rune) []byte {
	if r >= surrogateMin && r <= surrogateMax {
		return append(dst, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// IsSurrogate reports whether r is half of a surrogate pair.
func IsSurrogate(r rune) bool { return r >= surrogateMin && r <= surrogateMax }

// Valid reports whether s is WTF-8: every JavaScript string has exactly one
// such form, in which a high half is never followed by a low one.
func Valid(s string) bool { return InvalidAt(s) < 0 }

// InvalidAt returns the offset of the first byte of s that keeps it from being
// WTF-8, or -1. Of two halves that should have been one code point it is the
// second's.
func InvalidAt(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	high := false
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 || high && isLow(r) {
			return i
		}
		high = isHigh(r)
		i += n
	}
	return -1
}

func isHigh(r rune) bool { return r >= surrogateMin && r <= highMax }
func isLow(r rune) bool  { return r >= lowMin && r <= surrogateMax }

// Join concatenates strings as JavaScript's + does: where a high half ends up
// before a low one they become one code point. Each part must be WTF-8 or such
// halves in sequence.
func Join(parts ...string) string {
	s := strings.Join(parts, "")
	at := strings.IndexByte(s, 0xED)
	if at < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		if isHigh(r) {
			if lo, m := DecodeRune(s[i+n:]); isLow(lo) {
				out = utf8.AppendRune(out, (r-surrogateMin)<<10+(lo-lowMin)+0x10000)
				i += n + m
				continue
			}
		}
		out = append(out, s[i:i+n]...)
		i += n
	}
	return string(out)
}

// ToUTF8 replaces each lone surrogate by U+FFFD, as a JavaScript host does when
// it encodes a string to bytes. A string without one is returned as it is.
func ToUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		r, n := DecodeRune(s)
		if IsSurrogate(r) {
			b.WriteRune(utf8.RuneError)
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// UTF16 is s as UTF-16 code units.
func UTF16(s string) []uint16 {
	out := make([]uint16, 0, len(s))
	for len(s) > 0 {
		r, n := DecodeRune(s)
		s = s[n:]
		if r > 0xFFFF {
			r -= 0x10000
			out = append(out, uint16(surrogateMin+r>>10), uint16(lowMin+r&0x3FF))
			continue
		}
		out = append(out, uint16(r))
	}
	return out
}
