// Package qwen is Qwen Code as a host of our prompt hook. Seen with 0.15.10:
//
// Its UserPromptSubmit hook gets session_id, transcript_path, cwd and prompt. A
// context is a part of the user message behind the prompt, whole with 200,000 bytes.
// "qwen -p" ends without a word where the prompt was blocked.
package qwen

import (
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
)

// Host is the agent of this package.
var Host = host.Host{
	Name:    "qwen",
	Place:   frame.InPrompt,
	Context: func(context string) []byte { return host.EventContext("UserPromptSubmit", context) },
	Block:   host.DecisionBlock,
}
