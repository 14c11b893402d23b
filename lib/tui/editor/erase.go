package editor

import "slices"

// Backspace removes the cluster, chip or line break before the cursor.
func (e *Editor) Backspace() {
	row, col := e.reach(e.Left)
	e.erase(erasing, row, col, e.row, e.col)
}

// Delete removes the cluster, chip or line break behind the cursor.
func (e *Editor) Delete() {
	row, col := e.reach(e.Right)
	e.erase(erasing, e.row, e.col, row, col)
}

// DeleteWord removes from the start of the word before the cursor; Yank brings it
// back.
func (e *Editor) DeleteWord() {
	row, col := e.reach(e.WordLeft)
	e.kill(row, col, e.row, e.col)
}

// reach is where a movement would lead.
func (e *Editor) reach(move func()) (row, col int) {
	before := *e
	move()
	row, col = e.row, e.col
	*e = before
	return row, col
}

// DeleteToStart removes from the start of the line, or the line break before the
// cursor where it stands there; Yank brings it back.
func (e *Editor) DeleteToStart() {
	if e.col == 0 {
		e.Backspace()
		return
	}
	e.kill(e.row, 0, e.row, e.col)
}

// DeleteToEnd removes to the end of the line, or the line break where the cursor
// stands there; Yank brings it back.
func (e *Editor) DeleteToEnd() {
	if end := len(e.lines[e.row].atoms); e.col < end {
		e.kill(e.row, e.col, e.row, end)
		return
	}
	e.Delete()
}

// Yank puts back what the last of the three above removed.
func (e *Editor) Yank() {
	if e.killed != "" {
		e.Paste(e.killed)
	}
}

func (e *Editor) kill(row, col, toRow, toCol int) {
	if row == toRow && col == toCol {
		return
	}
	e.killed = State{lines: e.cut(row, col, toRow, toCol)}.Text()
	e.erase(other, row, col, toRow, toCol)
}

// cut returns the lines between two places, the first and last in part.
func (e *Editor) cut(row, col, toRow, toCol int) []*line {
	if row == toRow {
		return []*line{newLine(e.lines[row].atoms[col:toCol])}
	}
	first := newLine(e.lines[row].atoms[col:])
	last := newLine(e.lines[toRow].atoms[:toCol])
	return slices.Concat([]*line{first}, e.lines[row+1:toRow], []*line{last})
}

// erase removes what is between two places, the first of which comes first, and
// leaves the cursor there.
func (e *Editor) erase(kind edit, row, col, toRow, toCol int) {
	if row == toRow && col == toCol {
		return
	}
	e.save(kind)
	head, tail := e.lines[row].atoms[:col], e.lines[toRow].atoms[toCol:]
	all, at := head, col
	if len(tail) > 0 {
		all, at = seam(head, tail)
	}
	e.lines = slices.Concat(e.lines[:row], []*line{newLine(all)}, e.lines[toRow+1:])
	e.row, e.col = row, min(at, len(all))
	e.goal = -1
}
