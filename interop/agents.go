package main

import (
	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/drive/claude"
	"github.com/dsh-toolkit/dsh/interop/drive/codex"
	"github.com/dsh-toolkit/dsh/interop/drive/dsh"
	"github.com/dsh-toolkit/dsh/interop/drive/gemini"
	"github.com/dsh-toolkit/dsh/interop/drive/opencode"
	"github.com/dsh-toolkit/dsh/interop/drive/pi"
)

// agents is every agent that is driven, in the order of the table.
var agents = []*drive.Agent{claude.Agent, codex.Agent, gemini.Agent, opencode.Agent, pi.Agent, dsh.Agent}
