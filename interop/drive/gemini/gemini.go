// Package gemini drives Gemini CLI: "gemini -p" for whole turns, and its terminal program
// for what only a person at a terminal can do.
package gemini

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Agent is Gemini CLI.
var Agent = &drive.Agent{
	Name: "gemini", Title: "Gemini CLI", Package: "@google/gemini-cli", Version: "0.61.0", Program: "gemini",
	Rules: oracle.Gemini, Setup: setup, Start: start, Files: []string{".gemini"},
	HookRole: "user", HookUnescape: strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace,
	NoWay: map[string]string{"fork": "it has no command that copies a session"},
}

func setup(w *drive.World, hook bool) error {
	w.Env("GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL="+w.Model.URL(), "GEMINI_CLI_TRUST_WORKSPACE=true")
	settings := map[string]any{
		"security":     map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
		"general":      map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":      map[string]any{"usageStatisticsEnabled": false},
		"ui":           map[string]any{"hideTips": true, "hideBanner": true},
		"experimental": map[string]any{"modelSteering": true},
	}
	if hook {
		settings["hooks"] = map[string]any{"BeforeAgent": []any{map[string]any{
			"hooks": []any{map[string]any{"type": "command", "command": "dsh-ref hook gemini"}},
		}}}
	}
	return w.WriteHome(".gemini/settings.json", settings)
}

var always = []string{"--skip-trust", "-m", "gemini-2.5-flash", "-y"}

// session is one session. While the terminal program runs, prompts go there.
type session struct {
	w        *drive.World
	id       string
	begun    bool
	typed    bool
	terminal *drive.Terminal
}

func start(w *drive.World) (drive.Session, error) {
	return &session{w: w, id: uuid.NewString()}, nil
}

func (s *session) ID() (string, error) {
	if !s.begun {
		return "", nil
	}
	return "gemini:" + s.id, nil
}

// args begins the session, or goes on with it.
func (s *session) args(more ...string) []string {
	args := append(append([]string(nil), always...), more...)
	if s.begun {
		return append(args, "--resume", s.id)
	}
	return append(args, "--session-id", s.id)
}

func (s *session) logs() string { return filepath.Join(s.w.Home, ".gemini", "tmp") }

func (s *session) Prompt(text string) error {
	if s.terminal != nil || s.typed {
		if err := s.Begin(text); err != nil {
			return err
		}
		return s.Wait()
	}
	_, err := s.w.Run("", s.args("-p", text)...)
	s.begun = true
	return err
}

func (s *session) AtTerminal() { s.typed = true }

func (s *session) open() error {
	if s.terminal != nil {
		return nil
	}
	terminal, err := s.w.Open(s.args()...)
	if err != nil {
		return err
	}
	s.terminal = terminal
	if err := terminal.Shows("Type your message"); err != nil {
		return err
	}
	return s.w.Settled(s.logs())
}

func (s *session) Begin(text string) error {
	if err := s.open(); err != nil {
		return err
	}
	mark := s.w.Model.Count()
	if err := s.terminal.Submit(text); err != nil {
		return err
	}
	s.begun = true
	return s.w.Asked(mark, func(r oracle.Request) bool { return oracle.EndsWith(oracle.Gemini(r.Items), text) })
}

func (s *session) Wait() error { return s.w.Settled(s.logs()) }

func (s *session) Interrupt() error {
	if err := s.terminal.Keys("Escape"); err != nil {
		return err
	}
	return s.terminal.Shows("cancelled", "Cancelled", "canceled")
}

func (s *session) Steer(text string) error {
	if err := s.terminal.Submit(text); err != nil {
		return err
	}
	time.Sleep(time.Second) // nothing shows that the hint has been taken
	return nil
}

func (s *session) Compact() error {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.terminal.Submit("/compress"); err != nil {
		return err
	}
	if err := s.terminal.Shows("compressed", "Compressed"); err != nil {
		return err
	}
	return s.Wait()
}

// Rewind takes the newest turn back, conversation alone.
func (s *session) Rewind() error {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.terminal.Submit("/rewind"); err != nil {
		return err
	}
	if err := s.terminal.Shows("Rewind"); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return s.terminal.Keys("Up") },
		func() error { return s.terminal.Keys("Enter") },
		func() error { return s.terminal.Shows("Rewind conversation", "Confirm Rewind") },
		func() error { return s.terminal.Keys("Enter") },
		s.Wait,
		func() error { return s.terminal.Keys("C-u") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) Close() error {
	if s.terminal == nil {
		return nil
	}
	terminal := s.terminal
	s.terminal = nil
	return terminal.Close()
}

// row is one session of --list-sessions: its number, title, age and id.
var row = regexp.MustCompile(`^\s*\d+\. (.*) \([^()]*\) \[([^\]]*)\]$`)

// Title is what --list-sessions shows.
func (s *session) Title() (string, error) {
	out, err := s.w.Run("", append(append([]string(nil), always...), "--list-sessions")...)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if m := row.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil && m[2] == s.id {
			return m[1], nil
		}
	}
	return "", errors.New("the session is not in its list: " + fmt.Sprintf("%q", out))
}
