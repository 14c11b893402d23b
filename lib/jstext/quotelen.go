package jstext

import "unicode/utf8"

// QuotedLen is len(AppendQuote(nil, s)), or of AppendQuoteTagSafe, without building
// it.
func QuotedLen(s string, tagSafe bool) int {
	n := len(s) + 2
	for i := range len(s) {
		n += int(escapeGrowth[s[i]])
		if tagSafe && s[i] == '<' {
			n += 5
		}
	}
	if utf8.ValidString(s) {
		return n
	}
	for i := 0; i < len(s); {
		r, w := DecodeRune(s[i:])
		switch {
		case IsSurrogate(r):
			n += len(`\ud800`) - w
		case r == utf8.RuneError && w == 1:
			n += len("\uFFFD") - w
		}
		i += w
	}
	return n
}

// escapeGrowth is how many bytes a byte's escape is longer than it.
var escapeGrowth = func() (t [256]uint8) {
	for c := range 0x80 {
		t[c] = uint8(len(appendQuote(nil, string(rune(c)), false)) - 3)
	}
	return t
}()
