package picker

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// key takes a key press. The table in man/dsh-tui.1 says the same.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.notice, m.accepting = "", false
	name := msg.Keystroke()
	switch name {
	case "esc", "ctrl+c", "ctrl+g", "ctrl+d":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	case "enter":
		return m.accept()
	case "tab":
		m.toggle()
		return m.show()
	case "shift+up":
		m.preview.top--
		return nil
	case "shift+down":
		m.preview.top++
		return nil
	case "pgup":
		m.preview.top -= m.preview.height
		return nil
	case "pgdown":
		m.preview.top += m.preview.height
		return nil
	}
	if step, ok := steps[name]; ok {
		m.at = max(0, min(m.at+step, len(m.found)-1))
		return m.show()
	}
	if move, ok := moves[name]; ok {
		move(m)
		return nil
	}
	before := m.query.Text()
	if edit, ok := edits[name]; ok {
		edit(m)
	} else if k := msg.Key(); k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) == 0 {
		m.query.Type(k.Text)
	}
	if m.query.Text() == before {
		return nil
	}
	return m.ask()
}

var steps = map[string]int{
	"up": -1, "ctrl+p": -1, "ctrl+k": -1, "down": 1, "ctrl+n": 1, "ctrl+j": 1, "ctrl+home": -Limit, "ctrl+end": Limit,
}

var moves = map[string]func(*Model){
	"left":   func(m *Model) { m.query.Left() },
	"right":  func(m *Model) { m.query.Right() },
	"home":   func(m *Model) { m.query.LineStart() },
	"ctrl+a": func(m *Model) { m.query.LineStart() },
	"end":    func(m *Model) { m.query.LineEnd() },
	"ctrl+e": func(m *Model) { m.query.LineEnd() },
}

var edits = map[string]func(*Model){
	"backspace": func(m *Model) { m.query.Backspace() },
	"ctrl+h":    func(m *Model) { m.query.Backspace() },
	"delete":    func(m *Model) { m.query.Delete() },
	"ctrl+w":    func(m *Model) { m.query.DeleteWord() },
	"ctrl+u":    func(m *Model) { m.query.DeleteToStart() },
}

// oneLine makes a query of what was pasted.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
