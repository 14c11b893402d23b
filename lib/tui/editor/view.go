package editor

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

// Frame is the editor as drawn.
type Frame struct {
	Rows             []string // no wider than the width that was set
	CursorX, CursorY int      // in cells and rows
	Above, Below     int      // rows that did not fit
}

// SetWidth sets the width in cells, and how they are counted.
func (e *Editor) SetWidth(m cells.Method, width int) {
	e.method, e.width = m, max(width, 2)
}

// textWidth leaves a cell for the cursor behind a full row.
func (e *Editor) textWidth() int { return e.width - 1 }

// Height is the number of rows that the whole text takes.
func (e *Editor) Height() int {
	n := 0
	for _, l := range e.lines {
		n += len(l.layout(e.method, e.textWidth()))
	}
	return n
}

// View draws at most height rows, among them the cursor's; style is put on chips.
func (e *Editor) View(height int, style func(string) string) Frame {
	height = max(height, 1)
	cursor, x := e.cursorRow()
	total := e.Height()
	// Keep what was shown, and move it only as far as the cursor needs.
	e.top = max(min(e.top, cursor, total-height), cursor-height+1, 0)
	f := Frame{CursorX: min(x, e.width-1), CursorY: cursor - e.top, Above: e.top, Below: max(0, total-e.top-height)}
	at := 0
	for _, l := range e.lines {
		rows := l.layout(e.method, e.textWidth())
		if at+len(rows) <= e.top {
			at += len(rows)
			continue
		}
		for _, r := range rows {
			if at >= e.top && at < e.top+height {
				f.Rows = append(f.Rows, e.draw(l, r, style))
			}
			at++
		}
		if at >= e.top+height {
			break
		}
	}
	return f
}

// cursorRow is the row of the whole text that holds the cursor, and its cell.
func (e *Editor) cursorRow() (row, x int) {
	for _, l := range e.lines[:e.row] {
		row += len(l.layout(e.method, e.textWidth()))
	}
	l := e.lines[e.row]
	rows := l.layout(e.method, e.textWidth())
	at := l.rowOf(rows, e.col)
	return row + at, l.cellsBetween(e.method, e.textWidth(), rows[at].start, e.col)
}

func (e *Editor) draw(l *line, r span, style func(string) string) string {
	var b strings.Builder
	used := 0
	for _, a := range l.atoms[r.start:r.end] {
		w := cells.Width(e.method, a.shown)
		if used+min(w, e.textWidth()) > e.textWidth() {
			break // spaces that hang over the edge
		}
		switch {
		case a.chip:
			b.WriteString(style(cells.Truncate(e.method, a.shown, e.textWidth())))
		case w > e.textWidth():
			b.WriteString(cells.Truncate(e.method, a.shown, e.textWidth()))
		default:
			b.WriteString(cells.Drawn(e.method, a.shown))
		}
		used += min(w, e.textWidth())
	}
	return b.String()
}
