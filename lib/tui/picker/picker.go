// Package picker is the screen of dsh-tui --pick: a list of sessions filtered as
// one types, some of them chosen in an order, and below it exactly what of the
// session at hand would be sent.
//
// Update and View do no I/O and never wait; a key ends the search or the preview
// that it makes pointless. A Model is a tea.Model.
package picker

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
	"github.com/dsh-toolkit/dsh/lib/tui/editor"
)

// Limit is the most sessions that one search shows.
const Limit = 200

// Candidates finds sessions: at most limit, the best first.
type Candidates interface {
	Candidates(ctx context.Context, query string, limit int) ([]candidate.Session, error)
}

// Preview is what would be sent for one session.
type Preview struct {
	Text  string // the whole context, to the byte
	Bytes int    // of the session in it
	Cap   int    // the most that these may be
	Stats reference.Stats
}

// Previews makes them. Preview need not return when ctx is done.
type Previews interface {
	Preview(ctx context.Context, s candidate.Session) (Preview, error)
}

// Options is what a picker is made of.
type Options struct {
	Candidates Candidates
	Previews   Previews
	Query      string              // to begin with
	Found      []candidate.Session // what is already known to match it; nil: nothing is
	Max        int                 // how many may be chosen
	Home       string              // shown as ~
	Now        func() time.Time
}

// Model is the state of the picker; New makes one.
type Model struct {
	o   Options
	ctx context.Context

	width, height int
	method        cells.Method

	query      *editor.Editor
	found      []candidate.Session
	at, top    int // the row at hand, and the first in sight
	searching  bool
	accepting  bool // Enter was pressed before the search had answered
	search     int  // the number of the last search
	stopSearch context.CancelFunc
	chosen     []candidate.Session
	notice     string

	preview preview
	done    bool
	err     error
}

type (
	foundMsg struct {
		search int
		found  []candidate.Session
		err    error
	}
	previewMsg struct {
		id      string
		preview Preview
		err     error
	}
)

// New returns a picker. It ends when ctx is done.
func New(ctx context.Context, o Options) *Model {
	m := &Model{o: o, ctx: ctx, width: 80, height: 24, query: editor.New(), found: o.Found}
	m.query.SetText(o.Query)
	return m
}

// Chosen is what was chosen, in order; the error says that nothing was, because a
// person left or a search failed.
func (m *Model) Chosen() ([]candidate.Session, error) {
	if m.err == nil && !m.done {
		return nil, &fault.Error{Kind: fault.Cancelled, Code: fault.CancelledCode, Message: "nothing was chosen"}
	}
	return m.chosen, m.err
}

// Init begins the first search, unless its answer is known.
func (m *Model) Init() tea.Cmd {
	if m.o.Found != nil {
		return m.show()
	}
	return m.ask()
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeSet || msg.Value == ansi.ModeReset || msg.Value == ansi.ModePermanentlySet) {
			m.method = ansi.GraphemeWidth // as the renderer decides it
		}
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.PasteMsg:
		m.query.Type(oneLine(msg.Content))
		return m, m.ask()
	case foundMsg:
		return m, m.answered(msg)
	case previewMsg:
		m.previewed(msg)
	}
	return m, nil
}

// ask searches for what the query says. What was found before stays until then.
func (m *Model) ask() tea.Cmd {
	if m.stopSearch != nil {
		m.stopSearch()
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.stopSearch = cancel
	m.search++
	m.searching = true
	n, query := m.search, m.query.Text()
	return func() tea.Msg {
		found, err := m.o.Candidates.Candidates(ctx, query, Limit)
		return foundMsg{n, found, err}
	}
}

func (m *Model) answered(msg foundMsg) tea.Cmd {
	if msg.search != m.search {
		return nil
	}
	m.searching = false
	if msg.err != nil {
		m.err = msg.err
		return tea.Quit
	}
	m.found, m.at, m.top = msg.found, 0, 0
	if m.accepting {
		m.accepting = false
		return m.accept()
	}
	return m.show()
}

// hand is the session at hand, if there is one.
func (m *Model) hand() (candidate.Session, bool) {
	if m.at >= len(m.found) {
		return candidate.Session{}, false
	}
	return m.found[m.at], true
}

// toggle chooses the session at hand, or lets it go again.
func (m *Model) toggle() {
	s, ok := m.hand()
	if !ok {
		return
	}
	if i := m.order(s.ID); i >= 0 {
		m.chosen = slices.Delete(m.chosen, i, i+1)
	} else if len(m.chosen) == m.o.Max {
		m.notice = fmt.Sprintf("at most %d %s a message", m.o.Max, plural(m.o.Max, "session"))
		return
	} else {
		m.chosen = append(m.chosen, s)
	}
	m.at = min(m.at+1, len(m.found)-1)
}

// order is the place of a session among the chosen, -1 if it is not.
func (m *Model) order(id string) int {
	return slices.IndexFunc(m.chosen, func(s candidate.Session) bool { return s.ID == id })
}

// accept ends with what is chosen, else with the session at hand.
func (m *Model) accept() tea.Cmd {
	if len(m.chosen) == 0 {
		if m.searching {
			m.accepting = true
			return nil
		}
		s, ok := m.hand()
		if !ok {
			return nil
		}
		m.chosen = []candidate.Session{s}
	}
	m.done = true
	return tea.Quit
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
