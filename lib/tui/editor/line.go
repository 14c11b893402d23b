package editor

import (
	"slices"

	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

// line is one line of the text. It never changes once it is in an Editor, so that
// snapshots share it and its layout can be kept.
type line struct {
	atoms []atom

	rows   []span // for width and method
	width  int
	method cells.Method
}

// span is one row: atoms[start:end].
type span struct{ start, end int }

func newLine(as ...[]atom) *line { return &line{atoms: slices.Concat(as...)} }

// layout breaks the line into rows of at most width cells. Spaces at a break hang
// over the edge, so that every atom is in exactly one row.
func (l *line) layout(m cells.Method, width int) []span {
	if l.rows != nil && l.width == width && l.method == m {
		return l.rows
	}
	l.rows, l.width, l.method = nil, width, m
	start, used := 0, 0
	brk, brkUsed := -1, 0
	for i, a := range l.atoms {
		w := min(cells.Width(m, a.shown), width)
		blank := a.raw == " "
		if a.chip {
			brk, brkUsed = i, used
		}
		if used+w > width && i > start && !blank {
			if brk <= start {
				brk, brkUsed = i, used
			}
			l.rows = append(l.rows, span{start, brk})
			start, used, brk = brk, used-brkUsed, -1
			if used+w > width && i > start { // a wide cluster after a short word
				l.rows = append(l.rows, span{start, i})
				start, used = i, 0
			}
		}
		used += w
		if blank || a.chip {
			brk, brkUsed = i+1, used
		}
	}
	l.rows = append(l.rows, span{start, len(l.atoms)})
	return l.rows
}

// rowOf is the index of the row that holds the cursor at column col.
func (l *line) rowOf(rows []span, col int) int {
	for i, r := range rows {
		if col < r.end {
			return i
		}
	}
	return len(rows) - 1
}

// cellsBetween is the width of atoms[from:to].
func (l *line) cellsBetween(m cells.Method, width, from, to int) int {
	n := 0
	for _, a := range l.atoms[from:to] {
		n += min(cells.Width(m, a.shown), width)
	}
	return n
}

// columnAt is the column in a row nearest to x cells from its start. Only the
// last row of a line may have the cursor behind its last atom: elsewhere that
// place is the start of the next row.
func (l *line) columnAt(m cells.Method, width int, r span, last bool, x int) int {
	n := 0
	for i := r.start; i < r.end; i++ {
		w := min(cells.Width(m, l.atoms[i].shown), width)
		if n+(w+1)/2 > x {
			return i
		}
		n += w
	}
	if last || r.end == r.start {
		return r.end
	}
	return r.end - 1
}
