package session

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Escape sequences as terminals read them. An operating system command that is not
// ended takes the rest of the text with it, as it would on a terminal.
var (
	oscSequence = regexp.MustCompile(`(?s)(?:\x1b\]|\x{9d}).*?(?:\x07|\x1b\\|\z)`)
	csiSequence = regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]`)
	escSequence = regexp.MustCompile(`\x1b[@-_]`)
)

// NormalizeTitle makes one clean line of a text: no escape sequences, control
// characters or invisible marks, every run of white space one space, none outside,
// cut to maxBytes. Joiners inside a word stay, because scripts and emoji need them.
//
// Rule: vectors/title.json, kinds normalize. The error says that maxBytes is below 1.
func NormalizeTitle(text string, maxBytes int) (string, error) {
	if maxBytes < 1 {
		return "", fmt.Errorf("title of at most %d bytes: not a length", maxBytes)
	}
	return cutTitle(cleanTitle(text), maxBytes), nil
}

// FallbackTitle is the title of a session that nothing else has named: the first
// maxWords words of a prompt, normalised. The error says that a limit is below 1.
//
// Rule: vectors/title.json, kind fallback.
func FallbackTitle(text string, maxWords, maxBytes int) (string, error) {
	if maxWords < 1 || maxBytes < 1 {
		return "", fmt.Errorf("title of at most %d words and %d bytes: not a length", maxWords, maxBytes)
	}
	words := strings.SplitN(cleanTitle(text), " ", maxWords+1)
	return cutTitle(strings.Join(words[:min(len(words), maxWords)], " "), maxBytes), nil
}

// TruncateUTF8 is the longest prefix of s that is at most maxBytes long in UTF-8
// and ends between code points. A lone surrogate counts 3 (SPEC 2).
func TruncateUTF8(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	end := 0
	for end < len(s) {
		_, n := jstext.DecodeRune(s[end:])
		if end+n > maxBytes {
			break
		}
		end += n
	}
	return s[:end]
}

func cutTitle(s string, maxBytes int) string {
	return strings.TrimRightFunc(TruncateUTF8(s, maxBytes), isJSSpace)
}

func cleanTitle(s string) string {
	for _, re := range []*regexp.Regexp{oscSequence, csiSequence, escSequence} {
		s = re.ReplaceAllLiteralString(s, "")
	}
	var out []byte
	space := false // white space waits until a word follows
	for len(s) > 0 {
		r, n := jstext.DecodeRune(s)
		switch {
		case isInvisible(r):
		case isJSSpace(r):
			space = len(out) > 0
		default:
			if space {
				out = append(out, ' ')
				space = false
			}
			out = append(out, s[:n]...)
		}
		s = s[n:]
	}
	return jstext.Join(string(out))
}

// isInvisible reports whether a title drops the character without a trace: controls
// but for tab and line ends, zero-width marks that join nothing, and bidi controls.
func isInvisible(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x061c, r == 0x200b, r == 0x200e, r == 0x200f, r == 0x2060, r == 0xfeff:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// isJSSpace reports whether r is white space or a line end to ECMA-262, what \s
// and trim() mean. Unlike unicode.IsSpace it holds U+FEFF and not U+0085.
func isJSSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}
