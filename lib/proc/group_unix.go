//go:build unix

package proc

import (
	"os/exec"
	"syscall"
)

func shell(line string) *exec.Cmd { return exec.Command("/bin/sh", "-c", line) }

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate and kill signal the group; that it is gone already is no matter.
func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
