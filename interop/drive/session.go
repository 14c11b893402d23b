package drive

import "github.com/dsh-toolkit/dsh/interop/oracle"

// Agent is one agent that the suite drives.
type Agent struct {
	Name    string // as the programs name it
	Title   string // as its makers name it
	Package string // on npm
	Version string
	Program string // in node_modules/.bin

	// Rules is what of its requests is conversation.
	Rules oracle.Rules
	// Setup writes the configuration into a new world. With hook, our prompt hook is in it.
	Setup func(w *World, hook bool) error
	// Start gives a session in which nothing has been said; nil where the suite has no
	// session to compare (the hook is all that is tried then).
	Start func(w *World) (Session, error)
	// Files is where the agent keeps its sessions, below the home. Reading must leave
	// them as they are.
	Files []string
	// HookRole is the role of the item with the hook's context; HookBefore is whether it
	// stands before the prompt.
	HookRole   string
	HookBefore bool
	// HookUnescape undoes what the agent does to the context; nil for nothing.
	HookUnescape func(string) string
	// LateRewind says that a rewind is in the log from the next prompt on.
	LateRewind bool
	// NoWay says for a scenario's name why the agent has no way to do it, and NotTried
	// why the suite does not try it.
	NoWay, NotTried map[string]string
}

// Session is a session of an agent.
type Session interface {
	// ID is the session's, as our programs name it; "" before the first prompt.
	ID() (string, error)
	// Prompt has a prompt answered, to the end of its turn.
	Prompt(text string) error
	// Close ends every process of the session. It may be called again, and the session
	// may be used afterwards.
	Close() error
}

// What an agent may have a way for, beyond prompts.
type (
	// Forker copies the session, at its end.
	Forker interface{ Fork() (Session, error) }
	// Rewinder takes back the newest turn.
	Rewinder interface{ Rewind() error }
	// Compacter has the session summarised.
	Compacter interface{ Compact() error }
	// Beginner begins a turn and does not wait for its end. Wait does.
	Beginner interface {
		Begin(text string) error
		Wait() error
	}
	// Interrupter stops the turn that runs, as a person would.
	Interrupter interface {
		Beginner
		Interrupt() error
	}
	// Steerer says something to the turn that runs.
	Steerer interface {
		Beginner
		Steer(text string) error
	}
	// Person can type at a terminal from the first prompt on, where prompts go another
	// way else.
	Person interface{ AtTerminal() }
	// Titler asks the agent for the session's title.
	Titler interface{ Title() (string, error) }
)
