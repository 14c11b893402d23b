// Package copilot is GitHub Copilot CLI as a host of our prompt hook. Seen with
// 1.0.102:
//
// Its userPromptSubmitted hook gets sessionId, timestamp, cwd and prompt. A context
// lands in the user message behind the prompt, inside <system_reminder>, whole with
// 200,000 bytes. A blocked prompt ends "copilot -p" with status 1 and the reason.
package copilot

import (
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
)

// Host is the agent of this package.
var Host = host.Host{
	Name:    "copilot",
	Place:   frame.InPrompt,
	Context: func(context string) []byte { return host.Members("additionalContext", context) },
	Block:   host.DecisionBlock,
}
