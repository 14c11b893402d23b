package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
	"github.com/dsh-toolkit/dsh/lib/tui/completion"
	"github.com/dsh-toolkit/dsh/lib/tui/editor"
	"github.com/dsh-toolkit/dsh/lib/tui/transcript"
)

// phase is where the message in the editor is on its way.
type phase int

const (
	editing    phase = iota
	opening          // Enter was pressed before the target was open; the editor is locked
	preparing        // its sources are being read; the editor is locked
	delivering       // the agent is taking it; the editor is locked
)

// Model is the state of the host; New makes one. It is a tea.Model.
type Model struct {
	o   Options
	ctx context.Context // done when the host ends

	width, height int
	method        cells.Method

	target *Target // nil until it is open
	err    error   // why the host ended

	conversation transcript.Transcript
	editor       *editor.Editor
	history      editor.History
	list         completion.List
	stopSearch   context.CancelFunc // of the search under way
	early        []tea.KeyPressMsg  // an Enter or Tab that waits for the list's first rows, and what came after it

	phase       phase
	submission  int // the number of the present one
	submitted   editor.State
	stopPrepare context.CancelFunc
	since       time.Time // of the submission under way

	running    bool      // a turn runs
	turnSince  time.Time // since when
	cancelling bool      // it was asked to end
	blocked    string    // why its prompt was blocked
	waiting    []agent.Record
	title      string // empty: none yet
	notice     notice
	ticking    bool
}

// notice is what is said above the editor until something is typed.
type notice struct {
	text, hint string
	alert      bool // it says what went wrong
}

// New returns a host. It ends when ctx is done.
func New(ctx context.Context, o Options) *Model {
	return &Model{o: o, ctx: ctx, width: 80, height: 24, editor: editor.New()}
}

// Err is why the host ended, nil where a person left.
func (m *Model) Err() error { return m.err }

type (
	openedMsg struct {
		target *Target
		err    error
	}
	eventsMsg []agent.Event
	titleMsg  string
	tickMsg   struct{}
)

// Init opens the target, which happens after the first frame.
func (m *Model) Init() tea.Cmd {
	return func() tea.Msg {
		target, err := m.o.Open(m.ctx)
		return openedMsg{target, err}
	}
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
		return m, m.paste(msg.Content)
	case openedMsg:
		return m, m.opened(msg)
	case eventsMsg:
		return m, m.events(msg)
	case titleMsg:
		m.title = string(msg)
	case tickMsg:
		return m, m.tick()
	case settleMsg:
		m.list.Settle(int(msg))
		return m, m.pressed()
	case sessionsMsg:
		return m, m.sessionsFound(msg)
	case filesMsg:
		return m, m.filesFound(msg)
	case preparedMsg:
		return m, m.prepared(msg)
	case deliveredMsg:
		m.delivered(msg)
	case cancelledMsg:
		if msg.err != nil {
			m.fail(msg.err)
		}
	}
	return m, nil
}

// opened begins the conversation.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		m.err = msg.err
		return tea.Quit
	}
	m.target = msg.target
	if t := msg.target.Surface.Title; t != nil {
		m.title = *t
	}
	for _, ev := range msg.target.Surface.Events {
		m.conversation.Add(ev)
	}
	for _, text := range m.conversation.Prompts() {
		past := editor.New()
		past.SetText(text)
		m.history.Add(past.Snapshot())
	}
	if m.phase == opening {
		m.phase = editing
		return tea.Batch(m.listen(), m.submit())
	}
	return m.listen()
}

// busy reports whether something is waited for.
func (m *Model) busy() bool { return m.phase != editing || m.running }

// startClock begins to count the seconds of a wait.
func (m *Model) startClock(since *time.Time) tea.Cmd {
	*since = m.o.Now()
	if m.ticking {
		return nil
	}
	m.ticking = true
	return tick()
}

// tick redraws the seconds of a wait, as long as there is one.
func (m *Model) tick() tea.Cmd {
	m.ticking = m.busy()
	if !m.ticking {
		return nil
	}
	return tick()
}

func tick() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

// quit leaves: what is under way is told to end, and nobody waits for it.
func (m *Model) quit() tea.Cmd {
	m.stopSearching()
	if m.stopPrepare != nil {
		m.stopPrepare()
	}
	return tea.Quit
}
