package jstext

import (
	"strings"
	"unicode/utf8"
)

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
	if tagSafe {
		n += len(`\u003a`[1:]) * schemes(s)
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

// schemes counts the dsh-session: of the literal that AppendQuoteTagSafe writes for
// s: those of s, and those whose d is the last digit of an escape before them.
func schemes(s string) int {
	const behindD = "sh-session:"
	n := 0
	for at := 0; ; at += len(behindD) {
		i := strings.Index(s[at:], behindD)
		if i < 0 {
			return n
		}
		if at += i; at > 0 && writtenToD(s[:at]) {
			n++
		}
	}
}

// writtenToD reports whether the last character of s is written so that a d is its
// last byte.
func writtenToD(s string) bool {
	switch s[len(s)-1] {
	case 'd', 0x1d:
		return true
	}
	if len(s) < 3 {
		return false
	}
	r, n := DecodeRune(s[len(s)-3:])
	return n == 3 && IsSurrogate(r) && r&0xF == 0xD
}

// escapeGrowth is how many bytes a byte's escape is longer than it.
var escapeGrowth = func() (t [256]uint8) {
	for c := range 0x80 {
		t[c] = uint8(len(appendQuote(nil, string(rune(c)), false)) - 3)
	}
	return t
}()
