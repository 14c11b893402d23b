// Package opencode is OpenCode as a host of our prompt hook. OpenCode runs no
// command at a prompt: a plugin of ours does (see its source in this folder). So the
// shape of its input and output is ours: {"session_id","cwd","prompt"} in, and
// {"context"} or {"block"} out.
//
// Its command /ref ends with an error on purpose: a command of OpenCode is a prompt,
// and an error is the one way to keep it from the model.
//
// Seen with 1.18.33: the plugin puts the context before the prompt, as a synthetic
// part of the user message.
package opencode

import (
	_ "embed"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
)

// Host is the agent of this package.
var Host = host.Host{
	Name:    "opencode",
	Place:   frame.InPrompt,
	Context: func(context string) []byte { return host.Members("context", context) },
	Block:   func(reason string) []byte { return host.Members("block", reason) },
}

// Plugin is the source of the plugin. Its command is empty.
//
//go:embed plugin.js
var Plugin string
