// Package claude is Claude Code as a host of our prompt hook. Seen with 2.1.197:
//
// Its UserPromptSubmit hook gets session_id, transcript_path, cwd and prompt. A
// context lands in a system message behind the prompt. One of more than 10,000
// UTF-16 units is written to a file, and the model gets its first 2 KB; UTF-8 never
// has fewer bytes than that. A blocked prompt is shown again below the reason.
package claude

import (
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
)

// Host is the agent of this package.
var Host = host.Host{
	Name:     "claude",
	Place:    frame.BesidePrompt,
	MaxBytes: 10_000,
	Context:  func(context string) []byte { return host.EventContext("UserPromptSubmit", context) },
	Block:    host.DecisionBlock,
}
