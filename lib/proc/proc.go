// Package proc runs one shell command of the user's: text goes in, output comes
// out as it is written, and cancellation ends the command with everything it has
// started.
//
// A command gets a process group of its own. When the context is done the group
// is asked to end (SIGTERM) and, after Grace, made to (SIGKILL); Run returns
// only when the command is gone. A command that ends by itself may leave
// processes behind: they are left alone, and their hold on the output is waited
// for no longer than Grace.
//
// Where process groups do not exist (Windows) only the command itself is ended.
// Several commands may run at the same time.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Grace is how long a cancelled command may take to end by itself.
const Grace = 2 * time.Second

// Command is one command to run.
type Command struct {
	Line  string // a shell line, for `sh -c`
	Stdin string
	// Stdout gets the output as it is written; an error from it ends the command's
	// output, and Run returns that error. The bytes are only valid during the call.
	Stdout func([]byte) error
	Stderr io.Writer // nil: the output is thrown away but for the last line
}

// ExitError says how a command failed.
type ExitError struct {
	Line   string // the last line of its standard error, possibly empty, as it was
	Status string // "exit status 3", "signal: killed"
}

func (e *ExitError) Error() string {
	if e.Line == "" {
		return e.Status
	}
	return fmt.Sprintf("%s: %q", e.Status, e.Line)
}

// Run runs the command to its end. It returns ctx's cause if the context ended
// it, a *ExitError if it failed, the error of Stdout, or that of starting it.
// A command that does not read its input has not failed.
func Run(ctx context.Context, c Command) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	tail := &tailWriter{next: c.Stderr}
	out := &funcWriter{write: c.Stdout}
	cmd := shell(c.Line)
	cmd.Stdin = strings.NewReader(c.Stdin)
	cmd.Stdout, cmd.Stderr = out, tail
	cmd.WaitDelay = Grace
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	err := wait(ctx, cmd)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case out.err != nil:
		return out.err
	case errors.As(err, &exit):
		return &ExitError{Line: tail.line(), Status: exit.ProcessState.String()}
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it ended well; something it started still holds its output
	}
	return err
}

// wait waits for the command and ends its group when ctx is done.
func wait(ctx context.Context, cmd *exec.Cmd) error {
	gone := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-gone:
			return
		case <-ctx.Done():
		}
		terminate(cmd)
		timer := time.NewTimer(Grace)
		defer timer.Stop()
		select {
		case <-gone:
		case <-timer.C:
		}
		kill(cmd) // also those in the group that outlived the command
	}()
	err := cmd.Wait()
	close(gone)
	<-ended
	return err
}

type funcWriter struct {
	write func([]byte) error
	err   error
}

func (w *funcWriter) Write(p []byte) (int, error) {
	if w.write == nil {
		return len(p), nil
	}
	if w.err = w.write(p); w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// tailWriter passes output on and remembers its end.
type tailWriter struct {
	next io.Writer
	last []byte
}

const tailBytes = 1 << 10

func (w *tailWriter) Write(p []byte) (int, error) {
	w.last = append(w.last, p...)
	if n := len(w.last); n > tailBytes {
		w.last = append(w.last[:0], w.last[n-tailBytes:]...)
	}
	if w.next == nil {
		return len(p), nil
	}
	return w.next.Write(p)
}

func (w *tailWriter) line() string {
	text := strings.TrimRight(string(w.last), "\r\n \t")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
