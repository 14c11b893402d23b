// Package termtext makes text from elsewhere safe to draw on a terminal: control
// characters, escape sequences and characters that change the direction or the
// presence of others are shown as escapes, so that what is on the screen is what
// is in the text.
//
// Rule: SPEC 8 (C0, DEL, C1, bidi controls) and CLI.md; invisible formatting,
// private-use and tag characters and variation selectors are treated alike,
// because they hide text or show what only some fonts have.
package termtext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Line is s on one line: every character that is not printable is written \xhh,
// \uhhhh or \u{hhhhh}, newlines and tabs too (\n, \t), and so is a lone
// surrogate. A backslash stays as it is: the result is for reading, not for
// parsing.
func Line(s string) string { return escape(s, false, writeEscape) }

// Block is Line for text of several lines: newline and tab stay.
func Block(s string) string { return escape(s, true, writeEscape) }

// JSON is Block for a JSON text: what must not reach a terminal is written as
// JSON escapes, so that the result is still the same JSON.
func JSON(s string) string { return escape(s, true, writeJSONEscape) }

// writer writes one code point of the given width, whose first byte is given too.
type writer func(b *strings.Builder, r rune, width int, first byte)

func escape(s string, block bool, write writer) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	prev := rune(0)
	for i := 0; i < len(s); {
		r, n := jstext.DecodeRune(s[i:])
		switch {
		case block && (r == '\n' || r == '\t'), shapes(prev, r, s[i+n:]), !hidden(r, n):
			b.WriteString(s[i : i+n])
			prev = r
		default:
			write(&b, r, n, s[i])
			prev = 0
		}
		i += n
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7F {
			return false
		}
	}
	return true
}

const (
	zwnj = 0x200C
	zwj  = 0x200D
	vs15 = 0xFE0E // the character before it is drawn as text
	vs16 = 0xFE0F // the character before it is drawn as a picture
)

// shapes reports whether r, though invisible itself, gives its neighbours the
// shape that people know: a joiner in a family or flag, a non-joiner in Persian, a
// selector behind a heart. Anywhere else these hide something. prev is 0 where it
// has not been written as it is.
func shapes(prev, r rune, rest string) bool {
	switch r {
	case vs15, vs16:
		return drawn(prev, 2) || prev == '#' || prev == '*' || prev >= '0' && prev <= '9' // keycaps
	case zwj, zwnj:
		next, n := jstext.DecodeRune(rest)
		if !drawn(next, n) {
			return false
		}
		if r == zwnj {
			return drawn(prev, 2) && !unicode.IsSymbol(prev) && !unicode.IsSymbol(next)
		}
		return prev == vs16 || drawn(prev, 2)
	}
	return false
}

// drawn reports whether r is a letter, a mark or a picture beyond ASCII.
func drawn(r rune, width int) bool {
	return r >= 0x80 && !hidden(r, width) && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSymbol(r))
}

// invisible are the code points that Unicode gives no shape of their own.
var invisible = []*unicode.RangeTable{
	unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp,
	unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// hidden reports whether a code point must not reach a terminal as it is.
func hidden(r rune, width int) bool {
	switch {
	case r == utf8.RuneError && width == 1, jstext.IsSurrogate(r):
		return true
	case r < 0x20 || r >= 0x7F && r < 0xA0: // C0, DEL, C1
		return true
	}
	return r >= 0xA0 && unicode.In(r, invisible...)
}

func writeEscape(b *strings.Builder, r rune, width int, first byte) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == utf8.RuneError && width == 1:
		fmt.Fprintf(b, `\x%02x`, first)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\u{%x}`, r)
	}
}

func writeJSONEscape(b *strings.Builder, r rune, _ int, _ byte) {
	for _, unit := range jstext.UTF16(string(jstext.AppendRune(nil, r))) {
		fmt.Fprintf(b, `\u%04x`, unit)
	}
}
