package tui

import (
	"context"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/files"
)

// Agent owns the messages of the target session (*agent.Agent).
type Agent interface {
	Send(context.Context, agent.Message) (agent.Record, error)
	Steer(context.Context, agent.Message) (agent.Record, error)
	Cancel(context.Context) error
	Running() bool
	Surface() *session.Surface
}

// Preparer turns what was typed into a message that carries its sources. It is
// given the text with whole mentions in it, and need not return when ctx is done.
type Preparer interface {
	Prepare(ctx context.Context, text string) (agent.Message, error)
}

// Candidates finds sessions to mention: at most limit, the best first.
type Candidates interface {
	Candidates(ctx context.Context, query string, limit int) ([]candidate.Session, error)
}

// Files finds files of the working directory (*files.Index).
type Files interface {
	Search(ctx context.Context, query string, limit int) (files.Result, error)
}

// Target is the session that is talked with.
type Target struct {
	Surface *session.Surface // what there is of it so far
	Agent   Agent
	Events  *Feed // what the agent tells
}

// Options is what a host is made of.
type Options struct {
	// Open opens the target. It runs after the first frame.
	Open func(context.Context) (*Target, error)

	Preparer   Preparer
	Candidates Candidates // nil: references are switched off
	Files      Files

	Cwd   string // shown on the first screen
	Home  string // shown as ~
	Model string // what answers, in a word or two
	Now   func() time.Time
}
