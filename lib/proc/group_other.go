//go:build !unix

package proc

import "os/exec"

func shell(line string) *exec.Cmd { return exec.Command("cmd", "/C", line) }

func ownGroup(*exec.Cmd) {}

func terminate(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
