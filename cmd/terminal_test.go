package cmd_test

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// terminal PROGRAM [ARG…] is exec on a terminal of 80 by 24 with nobody at it: all
// three streams are that terminal, and stdout has what appeared on it, with plain
// newlines.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 0, "[!] terminal program [arg...]")
	env, dir := surroundings(ts)
	program, err := lookPath(args[0], env)
	ts.Check(err)
	cmd := exec.Command(program, args[1:]...)
	cmd.Env, cmd.Dir = env, dir
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	ts.Check(err)
	defer tty.Close()
	_, err = tty.Write([]byte{4}) // the end of what is typed
	ts.Check(err)
	var screen bytes.Buffer
	// Linux says EIO when the last process has left the terminal.
	if _, err := io.Copy(&screen, tty); err != nil && !errors.Is(err, syscall.EIO) {
		ts.Check(err)
	}
	if err := cmd.Wait(); (err != nil) != neg {
		ts.Fatalf("%s: %v\n%s", args[0], err, screen.Bytes())
	}
	out := strings.ReplaceAll(screen.String(), "\r\n", "\n")
	// The line discipline may echo the end that was typed.
	_, err = io.WriteString(ts.Stdout(), strings.ReplaceAll(out, "^D\b\b", ""))
	ts.Check(err)
}

// surroundings is the script's environment and directory, which testscript gives
// to no command but exec.
func surroundings(ts *testscript.TestScript) (env []string, dir string) {
	ts.Check(ts.Exec("env", "-0"))
	env = strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\x00"), "\x00")
	return env, ts.MkAbs(".")
}

func lookPath(program string, env []string) (string, error) {
	for _, e := range env {
		if dirs, ok := strings.CutPrefix(e, "PATH="); ok {
			for _, dir := range filepath.SplitList(dirs) {
				if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
					return path, nil
				}
			}
		}
	}
	return "", &exec.Error{Name: program, Err: exec.ErrNotFound}
}
