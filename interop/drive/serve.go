package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"
)

// Web is a program of the agent that listens at a port of this machine.
type Web struct {
	w   *World
	cmd *exec.Cmd
	URL string // without a slash at the end
}

// Serve starts the agent's program with these arguments, and waits until it says at
// which URL it listens. What it prints goes into a file of the world.
func (w *World) Serve(args ...string) (*Web, error) {
	out, err := os.CreateTemp(w.root, "serve-*")
	if err != nil {
		return nil, err
	}
	defer out.Close() //nolint:errcheck // the program has it
	web := &Web{w: w, cmd: w.Command(args...)}
	web.cmd.Stdout, web.cmd.Stderr = out, out
	if err := web.cmd.Start(); err != nil {
		return nil, err
	}
	said := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	err = w.Follow("the agent says where it listens", func() (bool, error) {
		text, err := os.ReadFile(out.Name())
		web.URL = string(said.Find(text))
		return web.URL != "", err
	})
	if err != nil {
		return nil, fmt.Errorf("%w (see %s)", err, out.Name())
	}
	return web, nil
}

// Call makes a request with a JSON body, where body is not nil, and reads the JSON of the
// answer into answer, where that is not nil. It may take four minutes: a turn may go
// with it.
func (s *Web) Call(method, path string, body, answer any) error {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(s.w.ctx, method, s.URL+path, in)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, tail(string(data)))
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("%s %s: %w: %s", method, path, err, tail(string(data)))
	}
	return nil
}

// Close ends the program and all that it started.
func (s *Web) Close() error {
	if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		return err
	}
	stop := time.AfterFunc(10*time.Second, func() { s.cmd.Cancel() }) //nolint:errcheck // it may be gone
	defer stop.Stop()
	s.cmd.Wait() //nolint:errcheck // by a signal
	return nil
}
