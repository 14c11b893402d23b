// Package host is what an agent looks like that runs a command of ours at each
// prompt: what it tells the command, what it accepts for an answer, and how much of
// that reaches its model whole.
//
// Each agent has a package of its own below this one; lib/host/known lists them. A
// package states facts that were seen with the real program, with the version.
package host

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Host is one agent and its prompt hook.
type Host struct {
	// Name is the agent's name on the command line, and the kind of its store.
	Name string
	// Place is where the agent puts a context that a hook added.
	Place frame.Place
	// MaxBytes is the longest context, in bytes of UTF-8, that reaches the model
	// whole; 0: no limit was met up to 200,000 bytes.
	MaxBytes int
	// Context is the output that adds a context to the prompt.
	Context func(context string) []byte
	// Block is the output that stops the prompt and tells the person why.
	Block func(reason string) []byte
}

// SessionID is the id in our stores of the session that the agent calls id.
func (h Host) SessionID(id string) string { return h.Name + ":" + id }

// Input is what an agent tells its prompt hook.
type Input struct {
	SessionID string // as the agent calls it; empty: not told
	Cwd       string // empty: not told
	Prompt    string // exact, lone surrogates included
}

// ReadInput reads the JSON object that all agents of this list write: session_id
// (sessionId in GitHub Copilot CLI), cwd and prompt, among other members. ok is
// false where it is no object or has no prompt that is a text.
func ReadInput(text string) (in Input, ok bool) {
	v, err := jstext.Parse(strings.TrimSpace(text))
	if err != nil {
		return Input{}, false
	}
	prompt, ok := v.Get("prompt").Text()
	if !ok {
		return Input{}, false
	}
	in.Prompt = prompt
	in.Cwd, _ = v.Get("cwd").Text()
	for _, key := range []string{"session_id", "sessionId"} {
		if id, ok := v.Get(key).Text(); ok {
			in.SessionID = id
			break
		}
	}
	return in, true
}
