// Package pi is pi as a host of our prompt hook. pi runs no command at a prompt: an
// extension of ours does (see its source in this folder). So the shape of its input
// and output is ours: {"session_id","cwd","prompt"} in, and {"context"} or {"block"}
// out.
//
// Seen with 0.74.2: a custom message that an extension returns is a user message
// behind the prompt.
package pi

import (
	_ "embed"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
)

// Host is the agent of this package.
var Host = host.Host{
	Name:    "pi",
	Place:   frame.InPrompt,
	Context: func(context string) []byte { return host.Members("context", context) },
	Block:   func(reason string) []byte { return host.Members("block", reason) },
}

// Extension is the source of the extension. Its command is empty.
//
//go:embed extension.ts
var Extension string
