package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// gather is how long pieces of an answer are gathered before they are shown: less
// than a frame.
const gather = 10 * time.Millisecond

// listen waits for what the agent tells.
func (m *Model) listen() tea.Cmd {
	feed, ctx := m.target.Events, m.ctx
	return func() tea.Msg {
		events := feed.Next(ctx)
		if len(events) == 0 {
			return nil // the host ends
		}
		if _, ok := events[len(events)-1].(agent.TextDelta); ok {
			time.Sleep(gather)
		}
		return eventsMsg(events)
	}
}

func (m *Model) events(events []agent.Event) tea.Cmd {
	cmds := []tea.Cmd{m.listen()}
	for _, e := range events {
		cmds = append(cmds, m.event(e))
	}
	return tea.Batch(cmds...)
}

func (m *Model) event(e agent.Event) tea.Cmd {
	switch e := e.(type) {
	case agent.Queued:
		m.waiting = append(m.waiting, e.Record)
	case agent.Dropped:
		for _, r := range e.Records {
			m.forget(r.ID)
			m.conversation.Remark("not sent: " + session.Text(r.Content))
		}
	case agent.TurnStarted:
		m.running, m.cancelling = true, false
		m.forget(e.Record.ID)
		return m.startClock(&m.turnSince)
	case agent.Appended:
		if e.RecordID != "" {
			m.forget(e.RecordID)
		}
		m.conversation.Add(e.Event)
	case agent.TextDelta:
		m.conversation.Stream(e.Text)
	case agent.TurnEnded:
		return m.turnEnded(e)
	case agent.Blocked:
		m.blocked = e.Reason
	case agent.Idle:
		m.running, m.cancelling = false, false
	case agent.Stopped:
		m.running = false
		if e.Err != nil {
			m.conversation.Failure("the agent has stopped: " + e.Err.Error())
		}
	}
	return nil
}

// forget takes a record out of those that wait.
func (m *Model) forget(id string) {
	m.waiting = slices.DeleteFunc(m.waiting, func(r agent.Record) bool { return r.ID == id })
}

// turnEnded says how a turn ended, unless it simply did.
func (m *Model) turnEnded(e agent.TurnEnded) tea.Cmd {
	m.running, m.cancelling = false, false
	switch e.Reason {
	case agent.Aborted:
		m.conversation.Remark("cancelled")
	case agent.Rejected:
		// The log keeps no prompt that was blocked. Here it stays in sight, with why.
		m.conversation.Prompt(session.Text(e.Record.Content))
		m.conversation.Failure("blocked: " + m.blocked)
	case agent.Errored:
		text := e.Err.Error()
		if hint := fault.Of(e.Err).Hint; hint != "" {
			text += "\n" + hint
		}
		m.conversation.Failure(text)
	}
	if m.title != "" {
		return nil
	}
	a := m.target.Agent
	return func() tea.Msg {
		if t := a.Surface().Title; t != nil {
			return titleMsg(*t)
		}
		return nil
	}
}
