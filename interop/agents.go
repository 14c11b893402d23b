package main

import (
	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/drive/claude"
	"github.com/dsh-toolkit/dsh/interop/drive/codex"
)

// agents is every agent that is driven, in the order of the table.
var agents = []*drive.Agent{claude.Agent, codex.Agent}
