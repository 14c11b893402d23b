package editor

import (
	"unicode"
	"unicode/utf8"
)

// Left moves the cursor one cluster or chip back, over line breaks too.
func (e *Editor) Left() {
	switch {
	case e.col > 0:
		e.moveTo(e.row, e.col-1)
	case e.row > 0:
		e.moveTo(e.row-1, len(e.lines[e.row-1].atoms))
	}
}

// Right moves the cursor one cluster or chip on, over line breaks too.
func (e *Editor) Right() {
	switch {
	case e.col < len(e.lines[e.row].atoms):
		e.moveTo(e.row, e.col+1)
	case e.row < len(e.lines)-1:
		e.moveTo(e.row+1, 0)
	}
}

// WordLeft moves to the start of the word before the cursor.
func (e *Editor) WordLeft() {
	if e.col == 0 {
		e.Left()
		return
	}
	as, col := e.lines[e.row].atoms, e.col
	for col > 0 && !inWord(as[col-1]) {
		col--
	}
	if col > 0 && as[col-1].chip {
		e.moveTo(e.row, col-1)
		return
	}
	for col > 0 && inWord(as[col-1]) && !as[col-1].chip {
		col--
	}
	e.moveTo(e.row, col)
}

// WordRight moves to the end of the word behind the cursor.
func (e *Editor) WordRight() {
	as, col := e.lines[e.row].atoms, e.col
	if col == len(as) {
		e.Right()
		return
	}
	for col < len(as) && !inWord(as[col]) {
		col++
	}
	if col < len(as) && as[col].chip {
		e.moveTo(e.row, col+1)
		return
	}
	for col < len(as) && inWord(as[col]) && !as[col].chip {
		col++
	}
	e.moveTo(e.row, col)
}

func inWord(a atom) bool {
	r, _ := utf8.DecodeRuneInString(a.raw)
	return a.chip || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// LineStart moves to the start of the line.
func (e *Editor) LineStart() { e.moveTo(e.row, 0) }

// LineEnd moves to the end of the line.
func (e *Editor) LineEnd() { e.moveTo(e.row, len(e.lines[e.row].atoms)) }

// End moves to the end of the text.
func (e *Editor) End() {
	last := len(e.lines) - 1
	e.moveTo(last, len(e.lines[last].atoms))
}

func (e *Editor) moveTo(row, col int) {
	e.row, e.col = row, col
	e.goal = -1
	e.kind = other
}

// Up moves the cursor a row up and reports whether there was one.
func (e *Editor) Up() bool {
	l := e.lines[e.row]
	rows := l.layout(e.method, e.textWidth())
	at := l.rowOf(rows, e.col)
	if at == 0 && e.row == 0 {
		return false
	}
	x := e.aim(l, rows[at])
	if at > 0 {
		e.goTo(e.row, at-1, x)
	} else {
		above := e.lines[e.row-1].layout(e.method, e.textWidth())
		e.goTo(e.row-1, len(above)-1, x)
	}
	return true
}

// Down moves the cursor a row down and reports whether there was one.
func (e *Editor) Down() bool {
	l := e.lines[e.row]
	rows := l.layout(e.method, e.textWidth())
	at := l.rowOf(rows, e.col)
	if at == len(rows)-1 && e.row == len(e.lines)-1 {
		return false
	}
	x := e.aim(l, rows[at])
	if at < len(rows)-1 {
		e.goTo(e.row, at+1, x)
	} else {
		e.goTo(e.row+1, 0, x)
	}
	return true
}

// aim is the cell that a move up or down keeps to.
func (e *Editor) aim(l *line, r span) int {
	if e.goal < 0 {
		e.goal = l.cellsBetween(e.method, e.textWidth(), r.start, e.col)
	}
	return e.goal
}

func (e *Editor) goTo(row, at, x int) {
	l := e.lines[row]
	rows := l.layout(e.method, e.textWidth())
	goal := e.goal
	e.moveTo(row, l.columnAt(e.method, e.textWidth(), rows[at], at == len(rows)-1, x))
	e.goal = goal
}
