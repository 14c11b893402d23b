// Package codex is Codex CLI as a host of our prompt hook. Seen with 0.171.0:
//
// Its UserPromptSubmit hook gets session_id, transcript_path, cwd and prompt, as
// Claude Code gives them. A context lands in a developer message behind the prompt.
// One of more than 10,000 bytes of UTF-8 loses its middle, and the whole is written
// to a file. "codex exec" says that a prompt was blocked and not why.
package codex

import (
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
)

// Host is the agent of this package.
var Host = host.Host{
	Name:     "codex",
	Place:    frame.BesidePrompt,
	MaxBytes: 10_000,
	Context:  func(context string) []byte { return host.EventContext("UserPromptSubmit", context) },
	Block:    host.DecisionBlock,
}
