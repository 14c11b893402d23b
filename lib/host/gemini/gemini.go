// Package gemini is Gemini CLI as a host of our prompt hook. Seen with 0.61.0:
//
// Its BeforeAgent hook gets session_id, transcript_path, cwd and prompt. A context
// lands in the user message behind the prompt, inside <hook_context>, whole with
// 200,000 bytes, and with < and > written as entities.
package gemini

import (
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
)

// Host is the agent of this package.
var Host = host.Host{
	Name:    "gemini",
	Place:   frame.InPrompt,
	Context: func(context string) []byte { return host.EventContext("BeforeAgent", context) },
	Block:   host.DecisionBlock,
}
