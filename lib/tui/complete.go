package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/completion"
	"github.com/dsh-toolkit/dsh/lib/tui/files"
)

// settle is how long rows are held back for those of the slower search.
const settle = 80 * time.Millisecond

type (
	settleMsg   int // the generation
	sessionsMsg struct {
		generation int
		found      []candidate.Session
		err        error
	}
	filesMsg struct {
		generation int
		query      string
		ctx        context.Context
		found      files.Result
		err        error
	}
)

// edited follows an edit: the searches for what stood there before end, and new
// ones begin where an open list's token goes on or an @ was typed.
func (m *Model) edited(typed string) tea.Cmd {
	m.notice = notice{}
	m.stopSearching()
	token, ok := completion.Find(m.editor.Before())
	goesOn := m.list.Open() && m.list.Token.Start == token.Start
	if !ok || !goesOn && !strings.Contains(typed, "@") {
		m.list.Close()
		return nil
	}
	return m.search(token)
}

// complete opens the list for the token at the cursor, where there is one.
func (m *Model) complete() tea.Cmd {
	token, ok := completion.Find(m.editor.Before())
	if !ok {
		return nil
	}
	m.stopSearching()
	return m.search(token)
}

func (m *Model) search(token completion.Token) tea.Cmd {
	ctx, cancel := context.WithCancel(m.ctx)
	m.stopSearch = cancel
	generation := m.list.Ask(token)
	sessions := func() tea.Msg {
		found, err := m.o.Candidates.Candidates(ctx, token.Query, completion.MaxSessions)
		return sessionsMsg{generation, found, err}
	}
	if m.o.Candidates == nil {
		m.list.SetSessions(generation, nil)
		sessions = nil
	}
	return tea.Batch(sessions, m.searchFiles(ctx, generation, token.Query),
		tea.Tick(settle, func(time.Time) tea.Msg { return settleMsg(generation) }))
}

func (m *Model) searchFiles(ctx context.Context, generation int, query string) tea.Cmd {
	return func() tea.Msg {
		found, err := m.o.Files.Search(ctx, query, completion.MaxFiles)
		return filesMsg{generation, query, ctx, found, err}
	}
}

// sessionsFound shows what a search found. One that failed found nothing: what is
// wrong with a store is told by whoever is asked for a session of it.
func (m *Model) sessionsFound(msg sessionsMsg) tea.Cmd {
	m.list.SetSessions(msg.generation, msg.found)
	return m.pressed()
}

func (m *Model) filesFound(msg filesMsg) tea.Cmd {
	m.list.SetFiles(msg.generation, msg.found.Paths, msg.found.Partial)
	if msg.err == nil && msg.found.Partial && msg.ctx.Err() == nil {
		return tea.Batch(m.pressed(), m.searchFiles(msg.ctx, msg.generation, msg.query))
	}
	return m.pressed()
}

// pressed makes up for the keys that came before the first rows did.
func (m *Model) pressed() tea.Cmd {
	if len(m.early) == 0 || m.list.Pending() {
		return nil
	}
	keys := m.early
	m.early = nil
	var cmds []tea.Cmd
	for _, k := range keys {
		cmds = append(cmds, m.key(k))
	}
	return tea.Batch(cmds...)
}

// accept puts the chosen row in place of the token.
func (m *Model) accept() {
	item, ok := m.list.Chosen()
	if token, still := completion.Find(m.editor.Before()); ok && still {
		m.editor.Replace(token.Len, item.Insert())
	}
	m.closeList()
}

func (m *Model) closeList() {
	m.early = nil
	m.stopSearching()
	m.list.Close()
}

func (m *Model) stopSearching() {
	if m.stopSearch != nil {
		m.stopSearch()
		m.stopSearch = nil
	}
}
