package drive

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Lines is a program that is spoken to in JSON, a value a line.
type Lines struct {
	w     *World
	cmd   *exec.Cmd
	stdin io.WriteCloser

	mu      sync.Mutex
	heard   []json.RawMessage
	arrived chan struct{} // closed, and made anew, when a line has come
	ended   error         // set when no more lines come
}

// Talk starts the agent's program with these arguments. What it says on standard error
// goes into a file of the world.
func (w *World) Talk(args ...string) (*Lines, error) {
	l := &Lines{w: w, cmd: w.Command(args...), arrived: make(chan struct{})}
	errs, err := os.OpenFile(w.path("stderr"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer errs.Close() //nolint:errcheck // the program has it
	l.cmd.Stderr = errs
	if l.stdin, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	go l.listen(stdout)
	return l, nil
}

func (l *Lines) listen(stdout io.Reader) {
	in := bufio.NewReader(stdout)
	for {
		line, err := in.ReadBytes('\n')
		l.mu.Lock()
		if err != nil {
			l.ended = fmt.Errorf("%s ended: %w", l.cmd.Args[0], err)
		} else if json.Valid(line) {
			l.heard = append(l.heard, line)
		}
		close(l.arrived)
		l.arrived = make(chan struct{})
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Send says a value.
func (l *Lines) Send(value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = l.stdin.Write(append(data, '\n'))
	return err
}

// Mark is how many lines have been heard.
func (l *Lines) Mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.heard)
}

// Await waits, a minute at the most, for a line behind the first mark for which ok holds.
func (l *Lines) Await(mark int, what string, ok func(json.RawMessage) bool) (json.RawMessage, error) {
	deadline := time.After(time.Minute)
	for {
		l.mu.Lock()
		heard, arrived, ended := l.heard[mark:], l.arrived, l.ended
		l.mu.Unlock()
		for _, line := range heard {
			if ok(line) {
				return line, nil
			}
		}
		if ended != nil {
			return nil, fmt.Errorf("waiting for %s: %w", what, ended)
		}
		mark += len(heard)
		select {
		case <-arrived:
		case <-deadline:
			return nil, fmt.Errorf("not within a minute: %s", what)
		case <-l.w.ctx.Done():
			return nil, l.w.ctx.Err()
		}
	}
}

// Close ends the program by ending its input, or after ten seconds by a signal.
func (l *Lines) Close() error {
	err := l.stdin.Close()
	stop := time.AfterFunc(10*time.Second, func() { l.cmd.Cancel() }) //nolint:errcheck // it may be gone
	defer stop.Stop()
	var exit *exec.ExitError
	if waited := l.cmd.Wait(); waited != nil && !errors.As(waited, &exit) {
		err = errors.Join(err, waited)
	}
	return err
}
