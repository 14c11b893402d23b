// Package cells measures, wraps and cuts plain text by terminal cells.
//
// Texts hold no escape sequences and no control characters but newline and tab:
// pass what comes from elsewhere through lib/termtext first, and put styles on
// afterwards, row by row. A grapheme cluster is never split.
//
// How wide a cluster is depends on the terminal: one that knows mode 2027 draws a
// family emoji in two cells, another in six. The Method says which, and must be
// the one the renderer uses, else everything right of such a cluster drifts.
package cells

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Method is how clusters are measured; the zero value sums code points, as
// terminals without mode 2027 do.
type Method = ansi.Method

// TabWidth is how many cells a tab takes. Tabs are drawn as spaces, not at stops,
// so that a row's width does not depend on where it begins.
const TabWidth = 4

const ellipsis = "…"

// Clusters yields the grapheme clusters of s with their widths in cells.
func Clusters(m Method, s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for s != "" {
			c, w := next(m, s)
			if !yield(c, w) {
				return
			}
			s = s[len(c):]
		}
	}
}

// next is the first cluster of s, which is not empty.
func next(m Method, s string) (string, int) {
	if c := s[0]; c < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		switch {
		case c == '\t':
			return s[:1], TabWidth
		case c < 0x20 || c == 0x7F:
			return s[:1], 0
		}
		return s[:1], 1
	}
	c, w := ansi.FirstGraphemeCluster(s, m)
	if c == "" { // never by the library's contract; no input may hang us
		return s[:1], 0
	}
	if c == "\t" {
		return c, TabWidth
	}
	if m == 0 && len(c) > utf8.UTFMax { // as Drawn draws it
		w = ansi.StringWidthWc(apart(c))
	}
	return c, w
}

// Width is the number of cells of s, which holds no newline.
func Width(m Method, s string) int {
	n := 0
	for _, w := range Clusters(m, s) {
		n += w
	}
	return n
}

// Truncate returns s cut to at most width cells, the last of them "…" where
// something was cut off. Tabs come out as spaces.
func Truncate(m Method, s string, width int) string {
	if _, fits := prefix(m, s, width); fits {
		return Drawn(m, s)
	}
	if width <= 0 {
		return ""
	}
	head, _ := prefix(m, s, width-1)
	return Drawn(m, head) + ellipsis
}

// TruncateLeft is Truncate from the other end: the end of s is kept.
func TruncateLeft(m Method, s string, width int) string {
	over := Width(m, s) - width
	if over <= 0 {
		return Drawn(m, s)
	}
	if width <= 0 {
		return ""
	}
	for c, w := range Clusters(m, s) {
		if over < 0 {
			break
		}
		over -= w
		s = s[len(c):]
	}
	return ellipsis + Drawn(m, s)
}

// Fit returns s truncated or padded with spaces to exactly width cells.
func Fit(m Method, s string, width int) string {
	s = Truncate(m, s, width)
	return s + strings.Repeat(" ", max(0, width-Width(m, s)))
}

// Sides puts left and right at the two ends of a row of width cells. The right
// one wins: the left is truncated to leave it and two spaces room.
func Sides(m Method, left, right string, width int) string {
	right = Truncate(m, right, width)
	if right == "" {
		return Fit(m, left, width)
	}
	room := width - Width(m, right)
	if room < 3 {
		return strings.Repeat(" ", room) + right
	}
	return Fit(m, left, room-2) + "  " + right
}

// Some joins with " · " as many of the parts as fit, the first ones first.
func Some(m Method, width int, parts ...string) string {
	joined := ""
	for _, p := range parts {
		if joined != "" {
			p = " · " + p
		}
		if Width(m, joined+p) > width {
			break
		}
		joined += p
	}
	return joined
}

// prefix is the longest head of s within width cells, and whether it is all of s.
func prefix(m Method, s string, width int) (string, bool) {
	at, n := 0, 0
	for c, w := range Clusters(m, s) {
		if n+w > width {
			return s[:at], false
		}
		n += w
		at += len(c)
	}
	return s, true
}
