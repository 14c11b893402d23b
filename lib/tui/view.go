package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
	"github.com/dsh-toolkit/dsh/lib/tui/editor"
	"github.com/dsh-toolkit/dsh/lib/tui/theme"
)

const (
	// margin is the two cells for the sign before every row of text.
	margin = 2
	// maxList is the most rows that the list of completions takes.
	maxList = 8
	// maxNotice is the most rows of a notice.
	maxNotice = 4
	// minAir is the height of a conversation that can spare a blank row.
	minAir = 4
	// maxWaiting is the most rows for messages that wait.
	maxWaiting = 3
)

// View draws the screen from below: the status line, the editor, a rule, a notice
// or the list, and of the conversation what there is room for.
func (m *Model) View() tea.View {
	width, height := max(m.width, 1), max(m.height, 1)
	m.editor.SetWidth(m.method, width-margin)
	frame := m.editor.View(min(m.editor.Height(), max(1, height/3)), theme.Chip)
	bottom := slices.Concat(m.editorRows(frame), []string{m.status(width)})
	if height > len(bottom)+1 {
		bottom = slices.Concat([]string{m.rule(frame, width)}, bottom)
	}
	room := max(0, height-len(bottom))
	middle := m.middle(width, room)
	top := m.top(width, room-len(middle))
	rows := slices.Concat(top, middle, bottom)
	rows = rows[max(0, len(rows)-height):]

	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen = true
	if !m.locked() {
		v.Cursor = tea.NewCursor(min(margin+frame.CursorX, width-1), max(0, len(rows)-1-len(frame.Rows)+frame.CursorY))
		v.Cursor.Blink = false
	}
	return v
}

// locked reports whether the editor is shown as locked. While the agent takes a
// message, which is a matter of a disk's flush, it is not: it would only flicker.
func (m *Model) locked() bool { return m.phase == preparing || m.phase == opening }

// editorRows puts the sign before the editor's first row: › where it takes text, …
// where it is locked.
func (m *Model) editorRows(f editor.Frame) []string {
	rows := slices.Clone(f.Rows)
	locked := m.locked()
	for i, r := range rows {
		sign := "  "
		if i == 0 && f.Above == 0 {
			sign = theme.Accent("›") + " "
			if locked {
				sign = theme.Dim("…") + " "
			}
		}
		if locked {
			r = theme.Dim(r)
		}
		rows[i] = sign + r
	}
	if m.editor.Empty() && m.target != nil {
		hint := "Type a message; @ mentions a session or a file"
		if m.o.Candidates == nil {
			hint = "Type a message; @ names a file"
		}
		rows[0] += theme.Dim(cells.Truncate(m.method, hint, max(0, m.width-margin-1)))
	}
	return rows
}

// rule parts the editor from what is above it, and says what of it is out of sight.
func (m *Model) rule(f editor.Frame, width int) string {
	var parts []string
	if f.Above > 0 {
		parts = append(parts, fmt.Sprintf("↑ %d", f.Above))
	}
	if f.Below > 0 {
		parts = append(parts, fmt.Sprintf("↓ %d", f.Below))
	}
	if len(parts) == 0 {
		return theme.Dim(strings.Repeat("─", width))
	}
	label := " " + strings.Join(parts, " ") + " "
	return theme.Dim(cells.Truncate(m.method, "──"+label+strings.Repeat("─", max(0, width-2-cells.Width(m.method, label))), width))
}

// middle is the list, or else the notice and the messages that wait.
func (m *Model) middle(width, room int) []string {
	if m.list.Len() > 0 {
		return m.listRows(width, min(m.listHeight(), room))
	}
	rows := m.waitingRows(width)
	if m.notice.text != "" {
		rows = append(rows, m.noticeRows(width)...)
	}
	return rows[max(0, len(rows)-room):]
}

func (m *Model) noticeRows(width int) []string {
	style, sign := theme.Dim, "· "
	if m.notice.alert {
		style, sign = theme.Alert, "! "
	}
	text := cells.Wrap(m.method, termtext.Block(m.notice.text), width-margin)
	for i, r := range text {
		text[i] = style(sign + r)
		sign = "  "
	}
	var hint []string
	if m.notice.hint != "" {
		for _, r := range cells.Wrap(m.method, termtext.Block(m.notice.hint), width-margin) {
			hint = append(hint, "  "+theme.Dim(r))
		}
	}
	hint = hint[:min(len(hint), maxNotice/2)]
	if most := maxNotice - len(hint); len(text) > most {
		text = append(text[:most-1], style("  …"))
	}
	return append(text, hint...)
}

// waitingRows are the messages that wait for the turn that runs.
func (m *Model) waitingRows(width int) []string {
	if !m.running {
		return nil
	}
	var rows []string
	for _, r := range m.waiting[:min(len(m.waiting), maxWaiting)] {
		text := strings.TrimSpace(termtext.Line(session.Text(r.Content)))
		rows = append(rows, theme.Dim(cells.Sides(m.method, "› "+text, "waiting", width)))
	}
	if more := len(m.waiting) - maxWaiting; more > 0 {
		rows = append(rows, theme.Dim(fmt.Sprintf("  and %d more", more)))
	}
	return rows
}

// listHeight is how many rows of the list there is room for.
func (m *Model) listHeight() int { return max(1, min(maxList, m.height/2-1)) }

func (m *Model) listRows(width, height int) []string {
	place := candidate.Place{Method: m.method, Home: m.o.Home, Now: m.o.Now()}
	items, chosen := m.list.Visible(height)
	rows := make([]string, len(items))
	for i, item := range items {
		title, rest := fileRow(m.method, item.Path, width-margin)
		if item.Session != nil {
			title, rest = place.Row(*item.Session, width-margin)
		}
		if i == chosen {
			rows[i] = theme.Accent("›") + " " + theme.Bold(title+rest)
		} else {
			rows[i] = "  " + title + theme.Dim(rest)
		}
	}
	return rows
}

func fileRow(m cells.Method, path string, width int) (title, rest string) {
	rest = cells.Truncate(m, "  file", width)
	return cells.Fit(m, path, width-cells.Width(m, rest)), rest
}

// top is the conversation in exactly height rows, its end at the bottom.
func (m *Model) top(width, height int) []string {
	if height <= 0 {
		return nil
	}
	var air []string // between the last row and the rule, where there is room
	if height > minAir {
		air = []string{""}
	}
	room := height - len(air)
	m.conversation.SetSize(m.method, width)
	rows, _ := m.conversation.Window(room)
	if m.conversation.Len() == 0 {
		rows = m.intro(width)
		rows = rows[:min(len(rows), room)]
	}
	return slices.Concat(make([]string, room-len(rows)), rows, air)
}

// intro is what an empty conversation shows.
func (m *Model) intro(width int) []string {
	if m.target == nil {
		return nil
	}
	lines := []string{
		"New session in " + (candidate.Place{Method: m.method, Home: m.o.Home}).Dir(&m.o.Cwd),
		"",
		"@          mention a session or file",
		"Enter      send, or steer",
		"Alt-Enter  new line",
		"Esc        cancel what is under way",
		"Ctrl-C     leave",
	}
	if m.o.Candidates == nil {
		lines[2] = "@          name a file"
	}
	for i, l := range lines {
		lines[i] = theme.Dim(strings.TrimRight("  "+cells.Truncate(m.method, l, max(0, width-margin)), " "))
	}
	return lines
}

// status is the last row: what is going on and which keys matter now, and on the
// right whom one talks with.
func (m *Model) status(width int) string {
	state, keys, busy := m.state()
	right := m.whom(width)
	room := width - 2*margin - cells.Width(m.method, right)
	needed := state
	if busy && len(keys) > 0 {
		needed += " · " + keys[0]
	}
	if room < cells.Width(m.method, needed) {
		right, room = "", width-margin // what is going on, and how to end it, comes first
	}
	if state != "" {
		keys = slices.Insert(keys, 0, state)
	}
	left := cells.Fit(m.method, cells.Some(m.method, room, keys...), room)
	style := theme.Dim
	if busy {
		style = theme.Bold
	}
	if right != "" {
		right = "  " + theme.Dim(right)
	}
	return "  " + style(left) + right
}

// state says what is going on, which keys matter now, and whether something is
// waited for.
func (m *Model) state() (text string, keys []string, busy bool) {
	switch {
	case m.phase == opening:
		return "opening…" + m.seconds(m.since), []string{"Esc cancels"}, true
	case m.phase == preparing:
		return "preparing…" + m.seconds(m.since), []string{"Esc cancels"}, true
	case m.phase == delivering && m.seconds(m.since) != "":
		return "sending…" + m.seconds(m.since), nil, true
	case m.list.Len() > 0:
		return fmt.Sprintf("%d/%d", m.list.Index()+1, m.list.Len()), []string{"Enter takes it", "Esc closes"}, false
	case m.list.Waiting():
		return "searching…", nil, false
	case m.list.Open():
		return "nothing found", nil, false
	case m.cancelling:
		return "cancelling…" + m.seconds(m.turnSince), []string{"Ctrl-C leaves"}, true
	case m.running:
		return "answering…" + m.seconds(m.turnSince), []string{"Esc cancels", "Enter steers"}, true
	case m.target == nil:
		return "opening…", nil, true
	}
	return "", []string{"Enter sends", "Ctrl-C leaves", "Alt-Enter new line"}, false
}

// seconds is how long something has been waited for, from one second on.
func (m *Model) seconds(since time.Time) string {
	n := m.o.Now().Sub(since) / time.Second
	if n < 1 {
		return ""
	}
	return fmt.Sprintf(" %ds", n)
}

// whom is the session's title and what answers, or how much is out of sight below.
func (m *Model) whom(width int) string {
	if below := m.conversation.Below(); below > 0 {
		return fmt.Sprintf("↓ %d more · Ctrl-End", below)
	}
	name := "new session"
	if m.title != "" {
		name = termtext.Line(m.title)
	}
	if m.o.Model != "" && width >= 64 {
		name = cells.Truncate(m.method, name, width/4) + " · " + termtext.Line(m.o.Model)
	}
	return cells.Truncate(m.method, name, width/2)
}
