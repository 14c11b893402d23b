// Package claude drives Claude Code: "claude -p" for whole turns, and its terminal
// program for what only a person at a terminal can do.
package claude

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Agent is Claude Code.
var Agent = &drive.Agent{
	Name: "claude", Title: "Claude Code", Package: "@anthropic-ai/claude-code", Version: "2.1.197", Program: "claude",
	Rules: oracle.Claude, Setup: setup, Start: start, Files: []string{".claude"},
	HookRole: "system", LateRewind: true,
}

const key = "interop-key-of-24-bytes-"

func setup(w *drive.World, hook bool) error {
	w.Env(
		"ANTHROPIC_BASE_URL="+w.Model.URL(), "ANTHROPIC_API_KEY="+key,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1",
	)
	settings := map[string]any{"permissions": map[string]any{"allow": []string{"Bash(echo:*)"}}}
	if hook {
		settings["hooks"] = map[string]any{"UserPromptSubmit": []any{map[string]any{
			"hooks": []any{map[string]any{"type": "command", "command": "dsh-ref hook claude"}},
		}}}
	}
	if err := w.WriteHome(".claude/settings.json", settings); err != nil {
		return err
	}
	return w.WriteHome(".claude.json", map[string]any{
		"hasCompletedOnboarding": true, "numStartups": 5, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{key[len(key)-20:]}, "rejected": []string{}},
		"projects":              map[string]any{w.Work: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
}

// session is one session. While the terminal program runs, prompts go there.
type session struct {
	w        *drive.World
	id       string
	typed    bool // from the first prompt on
	terminal *drive.Terminal
}

func start(w *drive.World) (drive.Session, error) { return &session{w: w}, nil }

func (s *session) ID() (string, error) {
	if s.id == "" {
		return "", nil
	}
	return "claude:" + s.id, nil
}

// logs is where the session's log grows.
func (s *session) logs() string { return filepath.Join(s.w.Home, ".claude", "projects") }

func (s *session) Prompt(text string) error {
	if s.terminal != nil || s.typed {
		if err := s.Begin(text); err != nil {
			return err
		}
		return s.Wait()
	}
	return s.print(text)
}

// print has a prompt answered by "claude -p".
func (s *session) print(text string, args ...string) error {
	if s.id != "" {
		args = append(args, "--resume", s.id)
	}
	out, err := s.w.Run(text, append([]string{"-p", "--output-format", "json"}, args...)...)
	if err != nil {
		return err
	}
	var result struct {
		SessionID string `json:"session_id"`
		IsError   bool   `json:"is_error"`
		Result    string
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		return fmt.Errorf("claude -p printed no JSON: %w: %s", err, out)
	}
	if result.IsError {
		return fmt.Errorf("claude -p: %s", result.Result)
	}
	s.id = result.SessionID
	return nil
}

func (s *session) Fork() (drive.Session, error) {
	fork := &session{w: s.w, id: s.id}
	return &forked{session: fork}, nil
}

// forked is a fork of which nothing has been said yet: Claude Code copies the session
// with the first prompt.
type forked struct {
	*session
	begun bool
}

func (f *forked) Prompt(text string) error {
	if f.begun {
		return f.session.Prompt(text)
	}
	f.begun = true
	return f.print(text, "--fork-session")
}

func (s *session) Compact() error { return s.print("/compact") }

// open starts the terminal program on the session.
func (s *session) open() error {
	if s.terminal != nil {
		return nil
	}
	var args []string
	if s.id != "" {
		args = []string{"--resume", s.id}
	}
	terminal, err := s.w.Open(args...)
	if err != nil {
		return err
	}
	s.terminal = terminal
	return terminal.Shows("? for shortcuts", "/effort", "❯")
}

func (s *session) Begin(text string) error {
	if err := s.open(); err != nil {
		return err
	}
	mark := s.w.Model.Count()
	if err := s.terminal.Submit(text); err != nil {
		return err
	}
	return s.w.Asked(mark, func(r oracle.Request) bool { return oracle.EndsWith(oracle.Claude(r.Items), text) })
}

func (s *session) Wait() error {
	if err := s.w.Settled(s.logs()); err != nil || s.id != "" {
		return err
	}
	logs, err := filepath.Glob(filepath.Join(s.logs(), "*", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		return fmt.Errorf("%d logs where the terminal program has one session", len(logs))
	}
	s.id = strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl")
	return nil
}

func (s *session) AtTerminal() { s.typed = true }

func (s *session) Interrupt() error {
	if err := s.terminal.Keys("Escape"); err != nil {
		return err
	}
	return s.terminal.Shows("Interrupted")
}

func (s *session) Steer(text string) error {
	if err := s.terminal.Submit(text); err != nil {
		return err
	}
	return s.w.Written(s.logs(), text) // the queue is in the log at once
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
	// The cursor stands on "(current)"; the newest prompt is above it.
	if err := s.terminal.Keys("Up"); err != nil {
		return err
	}
	if err := s.terminal.Keys("Enter"); err != nil {
		return err
	}
	if err := s.terminal.Shows("Restore conversation"); err != nil {
		return err
	}
	if err := s.terminal.Keys("Enter"); err != nil {
		return err
	}
	if err := s.w.Settled(s.logs()); err != nil {
		return err
	}
	return s.terminal.Keys("C-u") // the prompt comes back into the box
}

func (s *session) Close() error {
	if s.terminal == nil {
		return nil
	}
	terminal := s.terminal
	s.terminal = nil
	return terminal.Close()
}

// Title is what the list of sessions to resume shows.
func (s *session) Title() (string, error) {
	terminal, err := s.w.Open("--resume")
	if err != nil {
		return "", err
	}
	defer terminal.Close() //nolint:errcheck // the scenario is over
	if err := terminal.Shows("Resume session", "Resume Session"); err != nil {
		return "", err
	}
	screen, err := terminal.Screen()
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(screen) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "❯ "); ok {
			return strings.TrimSpace(title), nil
		}
	}
	return "", fmt.Errorf("no session in the list:\n%s", screen)
}
