package picker

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
	"github.com/dsh-toolkit/dsh/lib/tui/theme"
)

// margin is the cells before the text of a row: the sign of the row at hand, and
// in the list the number of a chosen one.
const margin = 2

// View draws the query, the list, a rule with the figures of the preview, the
// preview and the status line.
func (m *Model) View() tea.View {
	width, height := max(m.width, 1), max(m.height, 1)
	room := max(0, height-3) // for list and preview
	list := max(min(room, 3), room*2/5)
	m.query.SetWidth(m.method, width-margin)
	query := m.query.View(1, theme.Chip)

	rows := []string{m.queryRow(query.Rows[0], width)}
	rows = append(rows, m.listRows(width, list)...)
	rows = append(rows, m.rule(width))
	rows = append(rows, m.visible(width, room-list)...)
	rows = append(rows, m.status(width))
	rows = rows[:min(len(rows), height)]

	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen = true
	v.Cursor = tea.NewCursor(min(margin+query.CursorX, width-1), 0)
	v.Cursor.Blink = false
	return v
}

func (m *Model) queryRow(text string, width int) string {
	if m.query.Empty() {
		text = theme.Dim(cells.Truncate(m.method, "title, id or directory", max(0, width-margin)))
	}
	return theme.Accent("›") + " " + text
}

func (m *Model) listRows(width, height int) []string {
	m.top = max(min(m.top, m.at, len(m.found)-height), m.at-height+1, 0)
	place := candidate.Place{Method: m.method, Home: m.o.Home, Now: m.o.Now()}
	rows := make([]string, 0, height)
	for i, s := range m.found[m.top:min(len(m.found), m.top+height)] {
		sign, number := " ", " "
		if n := m.order(s.ID); n >= 0 {
			number = fmt.Sprint(n + 1)
		}
		title, rest := place.Row(s, max(1, width-2*margin))
		text := title + theme.Dim(rest)
		if m.top+i == m.at {
			sign, text = theme.Accent("›"), theme.Bold(title+rest)
		}
		rows = append(rows, sign+" "+theme.Accent(number)+" "+text)
	}
	if len(m.found) == 0 && !m.searching && height > 0 {
		rows = append(rows, theme.Dim("  no session matches"))
	}
	return slices.Concat(rows, make([]string, height-len(rows)))
}

func (m *Model) rule(width int) string {
	label := cells.Truncate(m.method, m.head(width), max(0, width-2*margin))
	line := "─ " + label + " " + strings.Repeat("─", max(0, width-3-cells.Width(m.method, label)))
	return theme.Dim(cells.Truncate(m.method, line, width))
}

// status is the last row: what was refused, or the keys; on the right how many
// sessions there are and how many are chosen.
func (m *Model) status(width int) string {
	right := m.count()
	room := max(0, width-2*margin-cells.Width(m.method, right))
	if m.notice != "" {
		text := "! " + m.notice
		if cells.Width(m.method, text) > room {
			right, room = "", max(0, width-margin)
		}
		return "  " + theme.Alert(cells.Fit(m.method, text, room)) + "  " + theme.Dim(right)
	}
	keys := cells.Some(m.method, room, "Enter takes", "Tab chooses", "Esc leaves", "PgDn reads on")
	return "  " + theme.Dim(cells.Fit(m.method, keys, room)) + "  " + theme.Dim(right)
}

// count says where in the list one is, or how much is chosen.
func (m *Model) count() string {
	n := len(m.chosen)
	switch {
	case n > 0:
		text := fmt.Sprintf("%d of %d chosen", n, m.o.Max)
		if bytes, whole := m.total(); whole && m.width >= 72 {
			text += fmt.Sprintf(", %s bytes", grouped(bytes))
		}
		return text
	case m.searching:
		return "searching…"
	}
	text := fmt.Sprintf("%d/%d", min(m.at+1, len(m.found)), len(m.found))
	if len(m.found) == Limit {
		text += "+" // there may be more: type to find them
	}
	return text
}
