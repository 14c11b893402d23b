// Package codex drives Codex: "codex exec" for whole turns, and its app server for
// what its other programs do.
package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Agent is Codex.
var Agent = &drive.Agent{
	Name: "codex", Title: "Codex", Package: "@openai/codex", Version: "0.171.0", Program: "codex",
	Rules: oracle.Codex, Setup: setup, Start: start, Files: []string{".codex"},
	HookRole: "developer",
	NotTried: map[string]string{"typed": "its terminal program speaks to the app server, which is driven here"},
}

func setup(w *drive.World, hook bool) error {
	w.Env("FAKE_KEY=x")
	if hook {
		hooks := map[string]any{"hooks": map[string]any{"UserPromptSubmit": []any{map[string]any{
			"hooks": []any{map[string]any{"type": "command", "command": "dsh-ref hook codex"}},
		}}}}
		if err := w.WriteHome(".codex/hooks.json", hooks); err != nil {
			return err
		}
	}
	return w.WriteHome(".codex/config.toml", fmt.Sprintf(`model = "gpt-fake"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
wire_api = "responses"
env_key = "FAKE_KEY"

[projects."%s"]
trust_level = "trusted"
`, w.Model.URL(), w.Work))
}

// session is one thread. While the app server runs, prompts go there.
type session struct {
	w      *drive.World
	id     string
	server *server
	turn   string // that was begun last
}

func start(w *drive.World) (drive.Session, error) { return &session{w: w}, nil }

func (s *session) ID() (string, error) {
	if s.id == "" {
		return "", nil
	}
	return "codex:" + s.id, nil
}

func (s *session) Prompt(text string) error {
	if s.server != nil {
		if err := s.Begin(text); err != nil {
			return err
		}
		return s.Wait()
	}
	args := []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--json"}
	if s.id != "" {
		args = append(args, "resume", s.id)
	}
	out, err := s.w.Run(text, append(args, "-")...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		var event struct {
			Type     string
			ThreadID string `json:"thread_id"`
		}
		if json.Unmarshal([]byte(line), &event) == nil && event.Type == "thread.started" {
			s.id = event.ThreadID
		}
	}
	if s.id == "" {
		return errors.New("codex exec named no thread")
	}
	return nil
}

// open has the app server resume the thread.
func (s *session) open() error {
	if s.server != nil {
		return nil
	}
	server, err := serve(s.w)
	if err != nil {
		return err
	}
	s.server = server
	if s.id != "" {
		return server.call("thread/resume", map[string]any{"threadId": s.id}, nil)
	}
	var started struct{ Thread struct{ ID string } }
	if err := server.call("thread/start", map[string]any{"cwd": s.w.Work}, &started); err != nil {
		return err
	}
	s.id = started.Thread.ID
	return nil
}

func input(text string) []any {
	return []any{map[string]any{"type": "text", "text": text, "text_elements": []any{}}}
}

func (s *session) Begin(text string) error {
	if err := s.open(); err != nil {
		return err
	}
	mark := s.w.Model.Count()
	var begun struct{ Turn struct{ ID string } }
	if err := s.server.call("turn/start", map[string]any{"threadId": s.id, "input": input(text)}, &begun); err != nil {
		return err
	}
	s.turn = begun.Turn.ID
	return s.w.Asked(mark, func(r oracle.Request) bool { return oracle.EndsWith(oracle.Codex(r.Items), text) })
}

func (s *session) Wait() error {
	_, err := s.server.lines.Await(0, "the end of a turn", func(line json.RawMessage) bool {
		var event struct {
			Method string
			Params struct{ Turn struct{ ID string } }
		}
		return json.Unmarshal(line, &event) == nil && event.Method == "turn/completed" && event.Params.Turn.ID == s.turn
	})
	return errors.Join(err, s.w.Settled(s.w.Home))
}

func (s *session) Interrupt() error {
	return s.server.call("turn/interrupt", map[string]any{"threadId": s.id, "turnId": s.turn}, nil)
}

func (s *session) Steer(text string) error {
	return s.server.call("turn/steer", map[string]any{"threadId": s.id, "expectedTurnId": s.turn, "input": input(text)}, nil)
}

func (s *session) Fork() (drive.Session, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	var forked struct{ Thread struct{ ID string } }
	if err := s.server.call("thread/fork", map[string]any{"threadId": s.id}, &forked); err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return &session{w: s.w, id: forked.Thread.ID}, nil
}

// Rewind reverts to before the newest turn.
func (s *session) Rewind() error {
	if err := s.open(); err != nil {
		return err
	}
	var read struct {
		Thread struct{ Turns []struct{ ID string } }
	}
	if err := s.server.call("thread/read", map[string]any{"threadId": s.id, "includeTurns": true}, &read); err != nil {
		return err
	}
	turns := read.Thread.Turns
	if len(turns) == 0 {
		return errors.New("the app server has no turn to revert")
	}
	err := s.server.call("thread/revert", map[string]any{"threadId": s.id, "beforeTurnId": turns[len(turns)-1].ID}, nil)
	return errors.Join(err, s.w.Settled(s.w.Home))
}

func (s *session) Compact() error {
	if err := s.open(); err != nil {
		return err
	}
	mark := s.server.lines.Mark()
	if err := s.server.call("thread/compact/start", map[string]any{"threadId": s.id}, nil); err != nil {
		return err
	}
	_, err := s.server.lines.Await(mark, "the end of a compaction", func(line json.RawMessage) bool {
		return strings.Contains(string(line), `"turn/completed"`)
	})
	return errors.Join(err, s.w.Settled(s.w.Home))
}

func (s *session) Close() error {
	if s.server == nil {
		return nil
	}
	server := s.server
	s.server = nil
	return server.lines.Close()
}

// Title is the thread's name in the app server's list, or its preview where it has none.
func (s *session) Title() (string, error) {
	if err := s.open(); err != nil {
		return "", err
	}
	defer s.Close() //nolint:errcheck // the scenario is over
	var list struct {
		Data []struct {
			ID      string
			Name    *string
			Preview string
		}
	}
	if err := s.server.call("thread/list", map[string]any{"sourceKinds": []string{"exec", "cli", "appServer", "vscode"}}, &list); err != nil {
		return "", err
	}
	for _, thread := range list.Data {
		if thread.ID != s.id {
			continue
		}
		if thread.Name != nil {
			return *thread.Name, nil
		}
		return thread.Preview, nil
	}
	return "", fmt.Errorf("the app server lists %d threads, and not this one", len(list.Data))
}
