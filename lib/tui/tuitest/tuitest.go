// Package tuitest runs a terminal program's model on a headless terminal, presses
// keys on it and compares frames with golden files.
package tuitest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/dsh-toolkit/dsh/lib/tui/screen"
)

var update = flag.Bool("update-frames", false, "rewrite the golden frames")

// Patience is how long a frame may take to come.
const Patience = 10 * time.Second

// Stage is a model that runs on a screen.
type Stage struct {
	*screen.Screen
	t       *testing.T
	in      *io.PipeWriter
	program *tea.Program
	done    chan struct{}
	err     error
}

// Start runs a model on a terminal of the given size until the test ends.
func Start(t *testing.T, m tea.Model, width, height int) *Stage {
	t.Helper()
	in, keys := io.Pipe()
	s := &Stage{Screen: screen.New(width, height), t: t, in: keys, done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	s.program = tea.NewProgram(m,
		tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(cooked{s.Screen}), tea.WithWindowSize(width, height),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithColorProfile(colorprofile.ANSI), tea.WithoutSignalHandler(),
	)
	go func() { _, _ = io.Copy(keys, s.Screen) }() // the terminal's answers
	go func() {
		defer close(s.done)
		_, s.err = s.program.Run()
	}()
	t.Cleanup(func() {
		cancel()
		_ = keys.Close()
		_ = s.Close()
		<-s.done
	})
	return s
}

// cooked is a terminal whose driver puts a carriage return before each newline:
// what the library expects where its input is no terminal.
type cooked struct{ *screen.Screen }

func (c cooked) Write(p []byte) (int, error) {
	_, err := c.Screen.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

var names = strings.NewReplacer(
	"<Enter>", "\r", "<Esc>", "\x1b", "<Tab>", "\t", "<BS>", "\x7f", "<C-c>", "\x03", "<C-d>", "\x04", "<C-j>", "\n", "<A-Enter>", "\x1b\r",
	"<Up>", "\x1b[A", "<Down>", "\x1b[B", "<Right>", "\x1b[C", "<Left>", "\x1b[D", "<Home>", "\x1b[H", "<End>", "\x1b[F",
	"<PgUp>", "\x1b[5~", "<PgDn>", "\x1b[6~", "<C-u>", "\x15", "<C-w>", "\x17", "<C-_>", "\x1f",
)

// Keys presses keys: characters as they are, others by name, as in "hi<Enter>".
func (s *Stage) Keys(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, names.Replace(keys)); err != nil {
		s.t.Fatalf("keys %q: %v", keys, err)
	}
}

// Paste pastes text, as a terminal with bracketed paste does.
func (s *Stage) Paste(text string) {
	s.Keys("\x1b[200~" + text + "\x1b[201~")
}

// Resize changes the size of the terminal.
func (s *Stage) Resize(width, height int) {
	s.Screen.Resize(width, height)
	s.program.Send(tea.WindowSizeMsg{Width: width, Height: height})
}

// Graphemes makes the terminal one that measures whole clusters (mode 2027), and
// tells the program.
func (s *Stage) Graphemes() {
	s.program.Send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
}

// Until waits for a frame, and fails the test where it does not come.
func (s *Stage) Until(what string, ok func(frame string) bool) string {
	s.t.Helper()
	for deadline := time.Now().Add(Patience); ; time.Sleep(2 * time.Millisecond) {
		frame := s.Frame()
		if ok(frame) {
			return frame
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("no frame %s; the last is\n%s", what, frame)
		}
	}
}

// Shows waits for a frame that holds a text.
func (s *Stage) Shows(text string) string {
	s.t.Helper()
	return s.Until("with "+text, func(f string) bool { return strings.Contains(f, text) })
}

// Hides waits for a frame that does not hold a text.
func (s *Stage) Hides(text string) string {
	s.t.Helper()
	return s.Until("without "+text, func(f string) bool { return !strings.Contains(f, text) })
}

// Golden waits for the frame in testdata/frames/NAME.txt. With -update-frames it
// waits for a frame to stay, and writes it there.
func (s *Stage) Golden(name string) {
	s.t.Helper()
	file := filepath.Join("testdata", "frames", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(s.still()), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Until("of "+file+"\n"+string(want), func(f string) bool { return f == string(want) })
}

// still is a frame that has not changed for a while.
func (s *Stage) still() string {
	frame, since := s.Frame(), time.Now()
	for time.Since(since) < 300*time.Millisecond {
		time.Sleep(5 * time.Millisecond)
		if f := s.Frame(); f != frame {
			frame, since = f, time.Now()
		}
	}
	return frame
}

// Wait waits for the program's end and returns its error; a program whose context
// ended has none.
func (s *Stage) Wait() error {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(Patience):
		s.t.Fatalf("the program does not end; its frame is\n%s", s.Frame())
	}
	if errors.Is(s.err, context.Canceled) {
		return nil
	}
	return s.err
}
