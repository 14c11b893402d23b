package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/session"
)

type (
	preparedMsg struct {
		submission int
		message    agent.Message
		err        error
	}
	deliveredMsg struct {
		submission int
		err        error
	}
	cancelledMsg struct{ err error }
)

// submit takes what is in the editor. Only what mentions a session is prepared;
// the rest goes to the agent as it is.
func (m *Model) submit() tea.Cmd {
	if m.editor.Blank() {
		return nil
	}
	m.closeList()
	m.notice = notice{}
	if m.target == nil {
		m.phase = opening
		m.submitted = m.editor.Snapshot()
		return m.startClock(&m.since)
	}
	text := m.editor.Text()
	mentions, err := frame.Find(text)
	switch {
	case err != nil:
		m.fail(err)
		return nil
	case len(mentions) > 0 && m.o.Candidates == nil:
		m.fail(&fault.Error{
			Kind: fault.Usage, Code: fault.InvalidConfig, Message: "references are switched off (--no-references)",
			Hint: "take the mentions out, or start dsh-tui without --no-references",
		})
		return nil
	}
	m.submission++
	m.submitted = m.editor.Snapshot()
	m.conversation.ToEnd()
	if len(mentions) == 0 {
		return m.deliver(agent.Message{Content: session.TextContent(text)})
	}
	return m.prepare(text)
}

func (m *Model) prepare(text string) tea.Cmd {
	m.phase = preparing
	ctx, cancel := context.WithCancel(m.ctx)
	m.stopPrepare = cancel
	n := m.submission
	return tea.Batch(m.startClock(&m.since), func() tea.Msg {
		msg, err := m.o.Preparer.Prepare(ctx, text)
		return preparedMsg{n, msg, err}
	})
}

// prepared goes on with a message whose sources are read. One whose submission was
// cancelled is let go.
func (m *Model) prepared(msg preparedMsg) tea.Cmd {
	if m.phase != preparing || msg.submission != m.submission {
		return nil
	}
	m.stopPrepare()
	if msg.err != nil {
		m.giveBack()
		m.fail(msg.err)
		return nil
	}
	return m.deliver(msg.message)
}

// deliver hands a message to the agent: it steers if a turn runs at that moment.
func (m *Model) deliver(msg agent.Message) tea.Cmd {
	m.phase = delivering
	n, a, ctx := m.submission, m.target.Agent, m.ctx
	return tea.Batch(m.startClock(&m.since), func() tea.Msg {
		put := a.Send
		if a.Running() {
			put = a.Steer
		}
		_, err := put(ctx, msg)
		return deliveredMsg{n, err}
	})
}

func (m *Model) delivered(msg deliveredMsg) {
	if msg.submission != m.submission {
		return
	}
	if msg.err != nil {
		m.giveBack()
		m.fail(msg.err)
		return
	}
	m.phase = editing
	m.history.Add(m.submitted)
	m.editor.Clear()
}

// cancelSubmission gives the editor back at once. What the preparation still
// brings is let go. A message that the agent is taking cannot be called back.
func (m *Model) cancelSubmission() tea.Cmd {
	switch m.phase {
	case preparing:
		m.stopPrepare()
	case opening:
	default:
		return nil
	}
	m.giveBack()
	m.notice = notice{text: "cancelled: nothing was sent"}
	return nil
}

// giveBack makes the editor what it was when Enter was pressed.
func (m *Model) giveBack() {
	m.submission++
	m.phase = editing
	m.editor.Restore(m.submitted)
}

// cancelTurn drops what waits and aborts the turn that runs.
func (m *Model) cancelTurn() tea.Cmd {
	m.cancelling = true
	a, ctx := m.target.Agent, m.ctx
	return func() tea.Msg { return cancelledMsg{a.Cancel(ctx)} }
}

// fail shows an error above the editor.
func (m *Model) fail(err error) {
	m.notice = notice{text: err.Error(), hint: fault.Of(err).Hint, alert: true}
}
