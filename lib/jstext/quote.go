package jstext

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// AppendQuote appends s as a JSON string literal, byte for byte what
// JSON.stringify writes: \" \\ \b \f \n \r \t short, other controls below U+0020
// as \u00xx, lone surrogates as \udxxx, all else literal. Bytes that are not
// WTF-8 are written as U+FFFD, so the result is always valid UTF-8.
func AppendQuote(dst []byte, s string) []byte { return appendQuote(dst, s, false) }

// AppendQuoteTagSafe is AppendQuote with every < written \u003c, so that no string
// can spell a tag (SPEC 6), and the colon of every dsh-session: written \u003a, so
// that who looks for mentions in the written text finds none. The result decodes to
// the same string.
func AppendQuoteTagSafe(dst []byte, s string) []byte { return appendQuote(dst, s, true) }

// Quote is AppendQuote as a string.
func Quote(s string) string { return string(AppendQuote(make([]byte, 0, len(s)+2), s)) }

func appendQuote(dst []byte, s string, tagSafe bool) []byte {
	start := len(dst)
	dst = append(dst, '"')
	if utf8.ValidString(s) {
		dst = appendEscaped(dst, s, tagSafe)
	} else {
		dst = appendMended(dst, s, tagSafe)
	}
	dst = append(dst, '"')
	if tagSafe {
		dst = EscapeScheme(dst, start)
	}
	return dst
}

// scheme is what a session URI begins with (SPEC 3).
const scheme = "dsh-session:"

// EscapeScheme writes the colon of every dsh-session: in dst[start:] as \u003a. It
// is for JSON texts in which the scheme stands within string literals alone. What
// is looked at is the text as written: an escape can end in the d, as \u001d does.
func EscapeScheme(dst []byte, start int) []byte {
	if !bytes.Contains(dst[start:], []byte(scheme)) {
		return dst
	}
	rest := slices.Clone(dst[start:])
	dst = dst[:start]
	for {
		before, after, found := bytes.Cut(rest, []byte(scheme))
		dst = append(dst, before...)
		if !found {
			return dst
		}
		dst = append(dst, `dsh-session\u003a`...)
		rest = after
	}
}

// appendEscaped writes well-formed text, in which only single bytes need escapes.
func appendEscaped(dst []byte, s string, tagSafe bool) []byte {
	if tagSafe {
		for {
			at := strings.IndexByte(s, '<')
			if at < 0 {
				break
			}
			dst = append(appendEscaped(dst, s[:at], false), `\u003c`...)
			s = s[at+1:]
		}
	}
	for i := 0; ; {
		at := plainEnd(s, i)
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
