package editor

import (
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

// Editor holds one text under work. New makes one.
type Editor struct {
	lines    []*line
	row, col int // the cursor: lines[row], before atoms[col]
	goal     int // the cell that up and down aim at; -1: where the cursor is

	method cells.Method
	width  int
	top    int // the first row shown

	undo   []State
	kind   edit // what the last change was, so that typing is undone in words
	killed string
}

// State is what Snapshot keeps: text, chips and cursor. The zero State is an empty
// editor.
type State struct {
	lines    []*line
	row, col int
}

// edit is the kind of a change.
type edit int

const (
	other edit = iota
	typing
	erasing
)

const maxUndo = 500

// New returns an empty editor.
func New() *Editor {
	return &Editor{lines: []*line{newLine()}, goal: -1, width: 80}
}

// Snapshot returns the present text and cursor. It shares memory with the editor
// and stays true when that changes.
func (e *Editor) Snapshot() State { return State{slices.Clone(e.lines), e.row, e.col} }

// Restore brings text and cursor back to what a snapshot says.
func (e *Editor) Restore(s State) {
	if s.lines == nil {
		s.lines = []*line{newLine()}
	}
	e.lines, e.row, e.col = slices.Clone(s.lines), s.row, s.col
	e.goal, e.kind = -1, other
}

// Text is the whole text, each chip as its mention.
func (e *Editor) Text() string { return State{lines: e.lines}.Text() }

// Text is the whole text of a snapshot.
func (s State) Text() string {
	var b strings.Builder
	for i, l := range s.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, a := range l.atoms {
			b.WriteString(a.raw)
		}
	}
	return b.String()
}

// SetText replaces everything; whole mentions become chips. The cursor goes to the
// end.
func (e *Editor) SetText(text string) {
	e.save(other)
	e.lines, e.row, e.col = []*line{newLine()}, 0, 0
	e.insert(pieces(clean(text)))
}

// Clear empties the editor.
func (e *Editor) Clear() { e.SetText("") }

// Empty reports whether there is no text at all.
func (e *Editor) Empty() bool { return len(e.lines) == 1 && len(e.lines[0].atoms) == 0 }

// Blank reports whether there is nothing but white space.
func (e *Editor) Blank() bool { return strings.TrimSpace(e.Text()) == "" }

// Before returns the clusters between the start of the cursor's line and the
// cursor, the empty string standing for a chip.
func (e *Editor) Before() []string {
	out := make([]string, e.col)
	for i, a := range e.lines[e.row].atoms[:e.col] {
		if !a.chip {
			out[i] = a.raw
		}
	}
	return out
}

// Type puts text at the cursor, as a person types it: one or more characters, or
// what an input method has composed.
func (e *Editor) Type(text string) {
	kind := typing
	if strings.TrimSpace(text) == "" {
		kind = other // a word is undone at a time
	}
	e.save(kind)
	e.insert([]piece{{text: clean(text)}})
}

// Paste puts text at the cursor; whole mentions in it become chips.
func (e *Editor) Paste(text string) {
	e.save(other)
	e.insert(pieces(clean(text)))
}

// Replace puts text, with its mentions as chips, in place of the n clusters before
// the cursor on its line, and a space behind it where none follows.
func (e *Editor) Replace(n int, text string) {
	e.save(other)
	l := e.lines[e.row]
	from := max(0, e.col-n)
	e.lines[e.row] = newLine(l.atoms[:from], l.atoms[e.col:])
	e.col = from
	e.insert(pieces(clean(text)))
	rest := e.lines[e.row].atoms[e.col:]
	if len(rest) > 0 && rest[0].raw == " " {
		e.col++
		return
	}
	e.insert([]piece{{text: " "}})
}

// Newline breaks the line at the cursor.
func (e *Editor) Newline() {
	e.save(other)
	e.insert([]piece{{text: "\n"}})
}

// insert puts pieces at the cursor. Where they meet text, clusters form anew: a
// combining mark joins the letter before it.
func (e *Editor) insert(ps []piece) {
	tail := e.lines[e.row].atoms[e.col:]
	head := e.lines[e.row].atoms[:e.col:e.col]
	done := slices.Clone(e.lines[:e.row])
	for _, p := range ps {
		if p.chip != nil {
			head = append(head, *p.chip)
			continue
		}
		for i, part := range strings.Split(p.text, "\n") {
			if i > 0 {
				done = append(done, newLine(head))
				head = nil
			}
			head = meet(head, part)
		}
	}
	at := len(head)
	all := head
	if len(tail) > 0 {
		all, at = seam(head, tail)
	}
	e.lines = slices.Concat(done, []*line{newLine(all)}, e.lines[e.row+1:])
	e.row, e.col = len(done), at
	e.goal = -1
}

// meet appends text to a run of atoms.
func meet(head []atom, text string) []atom {
	if text == "" {
		return head
	}
	if n := len(head) - 1; n >= 0 && !head[n].chip {
		text = head[n].raw + text
		head = head[:n]
	}
	return append(head[:len(head):len(head)], atoms(text)...)
}

// seam joins the atoms on the two sides of the cursor and returns where the cursor
// now is: behind what came from head.
func seam(head, tail []atom) ([]atom, int) {
	n := len(head)
	if n == 0 || head[n-1].chip || tail[0].chip {
		return slices.Concat(head, tail), n
	}
	mid := atoms(head[n-1].raw + tail[0].raw)
	return slices.Concat(head[:n-1], mid, tail[1:]), n
}

// save keeps the state before a change for Undo, once for a run of typing or
// erasing.
func (e *Editor) save(kind edit) {
	if kind == other || kind != e.kind {
		if len(e.undo) == maxUndo {
			e.undo = slices.Delete(e.undo, 0, 1)
		}
		e.undo = append(e.undo, e.Snapshot())
	}
	e.kind = kind
}

// Undo takes back the last change.
func (e *Editor) Undo() {
	if n := len(e.undo) - 1; n >= 0 {
		s := e.undo[n]
		e.undo = e.undo[:n]
		e.Restore(s)
	}
}
