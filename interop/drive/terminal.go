package drive

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Terminal is a program in a terminal of its own, of 200 columns and 50 lines.
type Terminal struct {
	w      *World
	socket string
}

// Open starts the agent's program with these arguments in a terminal.
func (w *World) Open(args ...string) (*Terminal, error) {
	t := &Terminal{w: w, socket: filepath.Join(w.root, fmt.Sprintf("tmux-%d", time.Now().UnixNano()))}
	command := append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", w.Place.Program(w.Agent)}, args...)
	if _, err := t.tmux(command...); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Terminal) tmux(args ...string) (string, error) {
	cmd := exec.CommandContext(t.w.ctx, "tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Dir, cmd.Env = t.w.Work, t.w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// Screen is what the terminal shows.
func (t *Terminal) Screen() (string, error) { return t.tmux("capture-pane", "-p") }

// Keys presses keys, by tmux's names.
func (t *Terminal) Keys(keys ...string) error {
	_, err := t.tmux(append([]string{"send-keys"}, keys...)...)
	return err
}

// Type types a text, in one piece, as a paste would come where it has several lines.
func (t *Terminal) Type(text string) error {
	if _, err := t.tmux("set-buffer", text); err != nil {
		return err
	}
	_, err := t.tmux("paste-buffer", "-p")
	return err
}

// Submit types a text and presses Enter once the program has taken the text in.
func (t *Terminal) Submit(text string) error {
	if err := t.Type(text); err != nil {
		return err
	}
	time.Sleep(time.Second)
	return t.Keys("Enter")
}

// Shows waits until the screen holds one of these texts.
func (t *Terminal) Shows(texts ...string) error {
	var screen string
	err := t.w.Follow("the screen shows "+strings.Join(texts, " or "), func() (bool, error) {
		var err error
		if screen, err = t.Screen(); err != nil {
			return false, err
		}
		for _, text := range texts {
			if strings.Contains(screen, text) {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("%w; it shows:\n%s", err, strings.TrimSpace(screen))
	}
	return nil
}

// Close ends the program and all that it started, and waits until they are gone: agents
// write at their end.
func (t *Terminal) Close() error {
	out, err := t.tmux("display-message", "-p", "#{pane_pid}")
	if err != nil {
		return err
	}
	group, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		return fmt.Errorf("tmux gave no process id: %w", err)
	}
	if _, err := t.tmux("kill-server"); err != nil {
		return err
	}
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGKILL} {
		if err := syscall.Kill(-group, signal); errors.Is(err, syscall.ESRCH) {
			return nil
		}
		for range 30 {
			time.Sleep(100 * time.Millisecond)
			if !running(group) {
				return nil
			}
		}
	}
	return fmt.Errorf("the process group %d of the terminal does not end", group)
}

// running is whether a process of the group runs; one that is dead and that nobody has
// asked about does not.
func running(group int) bool {
	out, err := exec.Command("ps", "-e", "-o", "pgid=,stat=").Output()
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == strconv.Itoa(group) && !strings.HasPrefix(fields[1], "Z") {
			return true
		}
	}
	return false
}
