// Package opencode drives OpenCode through its server, which its other programs use too.
package opencode

import (
	"errors"
	"net/http"
	"path/filepath"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Agent is OpenCode.
var Agent = &drive.Agent{
	Name: "opencode", Title: "OpenCode", Package: "opencode-ai", Version: "1.18.33", Program: "opencode",
	Rules: oracle.OpenCode, Setup: setup, Start: start, Files: []string{".local/share/opencode"},
	HookRole: "user", HookBefore: true,
	NotTried: map[string]string{"typed": "its terminal program speaks to the server, which is driven here"},
}

// plugin is our hook at each prompt: a part of its own before the prompt's.
const plugin = `import { spawnSync } from "node:child_process";

export const Interop = async ({ directory }) => ({
	"chat.message": async (input, output) => {
		const part = output.parts.find((p) => p.type === "text" && !p.synthetic);
		if (!part) return;
		const stdin = JSON.stringify({ session_id: input.sessionID, cwd: directory, prompt: part.text });
		const run = spawnSync("dsh-ref", ["hook", "opencode"], { input: stdin, encoding: "utf8" });
		const answer = run.stdout ? JSON.parse(run.stdout) : {};
		if (answer.block) throw new Error(answer.block);
		if (!answer.context) return;
		output.parts.unshift({
			id: "prt_000000000000" + Math.random().toString(36).slice(2, 12), sessionID: part.sessionID,
			messageID: part.messageID, type: "text", text: answer.context, synthetic: true,
		});
	},
});
`

func setup(w *drive.World, hook bool) error {
	w.Env("OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
	if hook {
		if err := w.WriteHome(".config/opencode/plugin/interop.js", plugin); err != nil {
			return err
		}
	}
	return w.WriteHome(".config/opencode/opencode.json", map[string]any{
		"$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled",
		"model": "fake/fake", "small_model": "fake/fake",
		"provider": map[string]any{"fake": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "fake",
			"options": map[string]any{"baseURL": w.Model.URL() + "/v1", "apiKey": "x"},
			"models":  map[string]any{"fake": map[string]any{"name": "fake", "limit": map[string]any{"context": 200000, "output": 4096}}},
		}},
	})
}

// session is one session, and the server while it runs.
type session struct {
	w   *drive.World
	id  string
	web *drive.Web
}

func start(w *drive.World) (drive.Session, error) { return &session{w: w}, nil }

func (s *session) ID() (string, error) {
	if s.id == "" {
		return "", nil
	}
	return "opencode:" + s.id, nil
}

func (s *session) data() string { return filepath.Join(s.w.Home, ".local", "share", "opencode") }

// Prompt goes to the server: "opencode run" puts quotes around a text with white space.
func (s *session) Prompt(text string) error {
	return s.call(http.MethodPost, "/message", message(text), nil)
}

func message(text string) map[string]any {
	return map[string]any{"parts": []any{map[string]any{"type": "text", "text": text}}}
}

// open starts the server, and the session where there is none.
func (s *session) open() error {
	if s.web != nil {
		return nil
	}
	web, err := s.w.Serve("serve", "--port", "0")
	if err != nil {
		return err
	}
	s.web = web
	if s.id != "" {
		return nil
	}
	var created struct{ ID string }
	err = web.Call(http.MethodPost, "/session", map[string]any{}, &created)
	s.id = created.ID
	return err
}

// call is a request about the session.
func (s *session) call(method, path string, body, answer any) error {
	if err := s.open(); err != nil {
		return err
	}
	return s.web.Call(method, "/session/"+s.id+path, body, answer)
}

func (s *session) Begin(text string) error {
	mark := s.w.Model.Count()
	if err := s.call(http.MethodPost, "/prompt_async", message(text), nil); err != nil {
		return err
	}
	return s.w.Asked(mark, func(r oracle.Request) bool { return oracle.EndsWith(oracle.OpenCode(r.Items), text) })
}

func (s *session) Wait() error { return s.w.Settled(s.data()) }

func (s *session) Interrupt() error { return s.call(http.MethodPost, "/abort", nil, nil) }

func (s *session) Steer(text string) error {
	return s.call(http.MethodPost, "/prompt_async", message(text), nil)
}

func (s *session) Fork() (drive.Session, error) {
	var forked struct{ ID string }
	if err := s.call(http.MethodPost, "/fork", map[string]any{}, &forked); err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return &session{w: s.w, id: forked.ID}, nil
}

// Rewind reverts to before the newest prompt.
func (s *session) Rewind() error {
	var messages []struct{ Info struct{ ID, Role string } }
	if err := s.call(http.MethodGet, "/message", nil, &messages); err != nil {
		return err
	}
	last := ""
	for _, m := range messages {
		if m.Info.Role == "user" {
			last = m.Info.ID
		}
	}
	if last == "" {
		return errors.New("the session has no prompt to revert")
	}
	return s.call(http.MethodPost, "/revert", map[string]any{"messageID": last}, nil)
}

func (s *session) Compact() error {
	err := s.call(http.MethodPost, "/summarize", map[string]any{"providerID": "fake", "modelID": "fake"}, nil)
	return errors.Join(err, s.w.Settled(s.data()))
}

func (s *session) Close() error {
	if s.web == nil {
		return nil
	}
	web := s.web
	s.web = nil
	return web.Close()
}

// Title is the session's in the server's list.
func (s *session) Title() (string, error) {
	var info struct{ Title string }
	if err := s.call(http.MethodGet, "", nil, &info); err != nil {
		return "", err
	}
	return info.Title, s.Close()
}
