package tui

import (
	tea "charm.land/bubbletea/v2"
)

// key takes a key press. The table in man/dsh-tui.1 says the same.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.Keystroke()
	if cmd, done := m.anywhere(name); done {
		return cmd
	}
	if m.phase != editing {
		return m.whileLocked(name)
	}
	if m.waits(name) {
		m.early = append(m.early, msg)
		return nil
	}
	if m.list.Len() > 0 {
		if cmd, done := m.inList(name); done {
			return cmd
		}
	}
	if cmd, done := m.command(name); done {
		return cmd
	}
	if k := msg.Key(); k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) == 0 {
		m.editor.Type(k.Text)
		return m.edited(k.Text)
	}
	return nil
}

// waits reports whether a key has to wait until the list has the rows for what was
// typed or is known to have none, which is a matter of milliseconds. Esc and Ctrl-C wait for nothing.
func (m *Model) waits(name string) bool {
	switch {
	case name == "esc" || name == "ctrl+c":
		m.early = nil
		return false
	case !m.list.Pending():
		return false
	}
	return len(m.early) > 0 || name == "enter" || name == "tab"
}

// anywhere is what keys do at any time.
func (m *Model) anywhere(name string) (tea.Cmd, bool) {
	switch name {
	case "ctrl+z":
		return tea.Suspend, true
	case "ctrl+l":
		return tea.ClearScreen, true
	case "shift+up":
		m.conversation.Scroll(-1)
	case "shift+down":
		m.conversation.Scroll(1)
	case "ctrl+home":
		m.conversation.ToStart()
	case "ctrl+end":
		m.conversation.ToEnd()
	case "pgup":
		if m.list.Len() > 0 {
			return nil, false
		}
		m.conversation.Page(-1)
	case "pgdown":
		if m.list.Len() > 0 {
			return nil, false
		}
		m.conversation.Page(1)
	default:
		return nil, false
	}
	return nil, true
}

// whileLocked is what keys do while a submission is under way.
func (m *Model) whileLocked(name string) tea.Cmd {
	if name == "esc" || name == "ctrl+c" {
		return m.cancelSubmission()
	}
	return nil
}

// inList is what keys do in the open list of completions.
func (m *Model) inList(name string) (tea.Cmd, bool) {
	switch name {
	case "up", "ctrl+p":
		m.list.Move(-1)
	case "down", "ctrl+n":
		m.list.Move(1)
	case "pgup":
		m.list.Move(-m.listHeight())
	case "pgdown":
		m.list.Move(m.listHeight())
	case "enter", "tab":
		m.accept()
	default:
		return nil, false
	}
	return nil, true
}

// command is what keys do that put in no text.
func (m *Model) command(name string) (tea.Cmd, bool) {
	switch name {
	case "esc":
		return m.escape(), true
	case "ctrl+c":
		return m.interrupt(), true
	case "ctrl+d":
		if m.editor.Empty() {
			return m.quit(), true
		}
	case "enter":
		return m.submit(), true
	case "tab":
		return m.complete(), true
	case "up":
		if !m.editor.Up() && m.history.Back(m.editor) {
			m.closeList()
		}
		return nil, true
	case "down":
		if !m.editor.Down() && m.history.Forward(m.editor) {
			m.closeList()
		}
		return nil, true
	}
	if move, ok := moves[name]; ok {
		move(m)
		m.closeList()
		return nil, true
	}
	if edit, ok := edits[name]; ok {
		edit(m)
		return m.edited(""), true
	}
	return nil, false
}

var moves = map[string]func(*Model){
	"left":       func(m *Model) { m.editor.Left() },
	"ctrl+b":     func(m *Model) { m.editor.Left() },
	"right":      func(m *Model) { m.editor.Right() },
	"ctrl+f":     func(m *Model) { m.editor.Right() },
	"alt+left":   func(m *Model) { m.editor.WordLeft() },
	"ctrl+left":  func(m *Model) { m.editor.WordLeft() },
	"alt+b":      func(m *Model) { m.editor.WordLeft() },
	"alt+right":  func(m *Model) { m.editor.WordRight() },
	"ctrl+right": func(m *Model) { m.editor.WordRight() },
	"alt+f":      func(m *Model) { m.editor.WordRight() },
	"home":       func(m *Model) { m.editor.LineStart() },
	"ctrl+a":     func(m *Model) { m.editor.LineStart() },
	"end":        func(m *Model) { m.editor.LineEnd() },
	"ctrl+e":     func(m *Model) { m.editor.LineEnd() },
}

var edits = map[string]func(*Model){
	"backspace":       func(m *Model) { m.editor.Backspace() },
	"shift+backspace": func(m *Model) { m.editor.Backspace() },
	"ctrl+h":          func(m *Model) { m.editor.Backspace() },
	"delete":          func(m *Model) { m.editor.Delete() },
	"ctrl+d":          func(m *Model) { m.editor.Delete() },
	"ctrl+w":          func(m *Model) { m.editor.DeleteWord() },
	"alt+backspace":   func(m *Model) { m.editor.DeleteWord() },
	"ctrl+backspace":  func(m *Model) { m.editor.DeleteWord() },
	"ctrl+u":          func(m *Model) { m.editor.DeleteToStart() },
	"ctrl+k":          func(m *Model) { m.editor.DeleteToEnd() },
	"ctrl+y":          func(m *Model) { m.editor.Yank() },
	"ctrl+_":          func(m *Model) { m.editor.Undo() },
	"ctrl+/":          func(m *Model) { m.editor.Undo() },
	"ctrl+j":          func(m *Model) { m.editor.Newline() },
	"alt+enter":       func(m *Model) { m.editor.Newline() },
	"shift+enter":     func(m *Model) { m.editor.Newline() },
}

// escape takes back the nearest thing: the list, the turn that runs, a notice.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.list.Open():
		m.closeList()
	case m.running:
		return m.cancelTurn()
	default:
		m.notice = notice{}
	}
	return nil
}

// interrupt cancels the turn that runs; else it empties the editor, which the
// history keeps; else it leaves. Pressed again while a turn does not end, it
// leaves too.
func (m *Model) interrupt() tea.Cmd {
	m.closeList()
	switch {
	case m.running && !m.cancelling:
		return m.cancelTurn()
	case !m.editor.Empty():
		m.history.Add(m.editor.Snapshot())
		m.editor.Clear()
		m.notice = notice{}
		return nil
	}
	return m.quit()
}

func (m *Model) paste(text string) tea.Cmd {
	if m.phase != editing {
		return nil
	}
	m.closeList()
	m.editor.Paste(text)
	m.notice = notice{}
	return nil
}
