// Command capture makes the pictures of dsh-tui in this folder: it builds the
// program, runs it on a terminal with the sample store, presses keys, and draws
// what is then on the screen.
//
//	go run ./docs/capture
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/creack/pty"

	"github.com/dsh-toolkit/dsh/lib/tui/screen"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "capture:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "capture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newStudio(dir)
	if err != nil {
		return err
	}
	for _, shot := range shots {
		if err := s.take(shot); err != nil {
			return fmt.Errorf("%s: %w", shot.file, err)
		}
	}
	return nil
}

// shot is one picture: what is run, and what is done until the screen is drawn.
type shot struct {
	file          string
	width, height int
	args          []string
	steps         []step
}

// step waits for a text on the screen and then presses keys.
type step struct{ wait, keys string }

var shots = []shot{
	{
		"docs/dsh-tui.svg", 96, 24,
		[]string{"--exec", "./answer"},
		[]step{
			{"Type a message", "Port the fix from @retry"},
			{"1/2", "\r"},
			{"› Port the fix from @retry bug", "to worker/queue.go\r"},
			{"in a row.", ""},
			{"Enter sends", "Then compare it with @"},
			{"1/6", ""},
		},
	},
	{
		"docs/dsh-tui-pick.svg", 96, 24,
		[]string{"--pick"},
		[]step{
			{"1/3", "\t"},
			{"1 of 3 chosen", "\x1b[A"},
			{"all 3 messages", ""},
		},
	},
}

const answer = `#!/bin/sh
cat >/dev/null
cat <<'END'
worker/queue.go slept at line 88 between Lock and Unlock, as retry.go did. I made the same
change there: the delay is computed under the lock, and the sleep comes after Unlock.

    delay := q.backoff(try)
    q.mu.Unlock()
    time.Sleep(delay)

The schedule is unchanged. The worker's tests pass, 200 times in a row.
END
`

// studio is a home, a working directory and a program.
type studio struct {
	program, work, state, store string
}

func newStudio(dir string) (*studio, error) {
	s := &studio{
		program: filepath.Join(dir, "dsh-tui"), work: filepath.Join(dir, "api-server"),
		state: filepath.Join(dir, "state"), store: filepath.Join(dir, "store"),
	}
	if out, err := exec.Command("go", "build", "-o", s.program, "./cmd/dsh-tui").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w\n%s", err, out)
	}
	for _, name := range []string{"retry.go", "worker/queue.go", "worker/queue_test.go"} {
		if err := write(filepath.Join(s.work, name), "", 0o600); err != nil {
			return nil, err
		}
	}
	if err := write(filepath.Join(s.work, ".git/HEAD"), "", 0o600); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(s.work, "answer"), answer, 0o700); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(s.work, ".gitignore"), "answer\n.gitignore\n", 0o600); err != nil {
		return nil, err
	}
	if err := os.CopyFS(s.store, os.DirFS("testdata/store")); err != nil {
		return nil, err
	}
	// A store that people work with: the ages of its sessions differ.
	for id, age := range map[string]time.Duration{"retry-bug": 40 * time.Minute, "error-texts": 26 * time.Hour, "lexer-flags": 9 * 24 * time.Hour} {
		if err := began(filepath.Join(s.store, "*", id, "session.jsonl"), age); err != nil {
			return nil, err
		}
	}
	return s, nil
}

var createdAt = regexp.MustCompile(`"createdAt":[0-9]+`)

// began makes the one log that a pattern names a session that began some time ago.
func began(pattern string, ago time.Duration) error {
	logs, err := filepath.Glob(pattern)
	if err != nil || len(logs) != 1 {
		return fmt.Errorf("%s: logs %v, %w", pattern, logs, err)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		return err
	}
	at := fmt.Sprintf(`"createdAt":%d`, time.Now().Add(-ago).UnixMilli())
	return os.WriteFile(logs[0], createdAt.ReplaceAll(text, []byte(at)), 0o600)
}

func write(name, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), mode)
}

// take runs the program, takes the steps and draws the screen.
func (s *studio) take(shot shot) error {
	cmd := exec.Command(s.program, append([]string{"--store", s.store}, shot.args...)...)
	cmd.Dir = s.work
	cmd.Env = []string{
		"HOME=/home/dev", "XDG_STATE_HOME=" + s.state, "XDG_CACHE_HOME=" + s.state, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"),
	}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(shot.height), Cols: uint16(shot.width)})
	if err != nil {
		return err
	}
	defer tty.Close()
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	sc := screen.New(shot.width, shot.height)
	defer sc.Close()
	go func() { _, _ = io.Copy(sc, tty) }()
	go func() { _, _ = io.Copy(tty, sc) }()
	for _, st := range shot.steps {
		if err := await(sc, st.wait); err != nil {
			return err
		}
		if _, err := io.WriteString(tty, st.keys); err != nil {
			return err
		}
	}
	time.Sleep(300 * time.Millisecond) // the last answers come
	f, err := os.Create(shot.file)
	if err != nil {
		return err
	}
	if err := sc.SVG(f, "dsh-tui "+strings.Join(shot.args, " ")); err != nil {
		return err
	}
	return f.Close()
}

func await(sc *screen.Screen, text string) error {
	for range 1000 {
		if strings.Contains(sc.Frame(), text) {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("nothing shows %q; the screen is\n%s", text, sc.Frame())
}
