// Package pi drives pi: "pi -p" for whole turns, and its RPC mode for the rest.
package pi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Agent is pi.
var Agent = &drive.Agent{
	Name: "pi", Title: "pi", Package: "@earendil-works/pi-coding-agent", Version: "0.74.2", Program: "pi",
	Rules: oracle.Pi, Setup: setup, Start: start, Files: []string{".pi"},
	HookRole: "user", LateRewind: true,
	NotTried: map[string]string{
		"typed": "its RPC mode runs the same session as its terminal program",
		"title": "only its terminal program shows the sessions",
	},
}

// extension has our hook at each prompt, and a command for what only /tree does else:
// to go back to an entry within the session.
const extension = `import { spawnSync } from "node:child_process";

export default function (pi) {
	pi.registerCommand("back", {
		description: "Go back to an entry",
		handler: async (args, ctx) => { await ctx.navigateTree(args.trim(), {}); },
	});
	if (!HOOK) return;
	pi.on("before_agent_start", async (event, ctx) => {
		const input = JSON.stringify({ session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, prompt: event.prompt });
		const run = spawnSync("dsh-ref", ["hook", "pi"], { input, encoding: "utf8" });
		const answer = run.stdout ? JSON.parse(run.stdout) : {};
		if (answer.block) throw new Error(answer.block);
		if (answer.context) return { message: { customType: "dsh-ref", content: answer.context, display: false } };
	});
}
`

func setup(w *drive.World, hook bool) error {
	w.Env("PI_OFFLINE=1")
	return errors.Join(
		w.WriteHome(".pi/agent/extensions/interop.ts", strings.Replace(extension, "HOOK", fmt.Sprint(hook), 1)),
		// So little is kept that three short turns are worth a compaction.
		w.WriteHome(".pi/agent/settings.json", map[string]any{"compaction": map[string]any{"keepRecentTokens": 20}}),
		w.WriteHome(".pi/agent/models.json", map[string]any{"providers": map[string]any{"fake": map[string]any{
			"baseUrl": w.Model.URL() + "/v1", "api": "openai-completions", "apiKey": "x",
			"models": []any{map[string]any{"id": "fake-model", "contextWindow": 200000, "maxTokens": 4096}},
		}}}),
	)
}

var model = []string{"--provider", "fake", "--model", "fake-model"}

// session is one session. While the RPC mode runs, prompts go there.
type session struct {
	w     *drive.World
	id    string
	lines *drive.Lines
	mark  int // before the turn that was begun last
}

func start(w *drive.World) (drive.Session, error) { return &session{w: w}, nil }

func (s *session) ID() (string, error) {
	if s.id == "" {
		return "", nil
	}
	return "pi:" + s.id, nil
}

func (s *session) args(more ...string) []string {
	args := append(more, model...)
	if s.id != "" {
		args = append(args, "--session", s.id)
	}
	return args
}

func (s *session) Prompt(text string) error {
	if s.lines != nil {
		if err := s.Begin(text); err != nil {
			return err
		}
		return s.Wait()
	}
	out, err := s.w.Run("", s.args("-p", text, "--mode", "json")...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		var header struct{ Type, ID string }
		if json.Unmarshal([]byte(line), &header) == nil && header.Type == "session" {
			s.id = header.ID
		}
	}
	if s.id == "" {
		return fmt.Errorf("pi named no session: %s", out)
	}
	return nil
}

func (s *session) open() error {
	if s.lines != nil {
		return nil
	}
	lines, err := s.w.Talk(s.args("--mode", "rpc")...)
	s.lines = lines
	return err
}

// call waits for a command's answer and reads its data, where that is not nil.
func (s *session) call(data any, command map[string]any) error {
	mark := s.lines.Mark()
	if err := s.lines.Send(command); err != nil {
		return err
	}
	var answer struct {
		Type, Command, Error string
		Success              bool
		Data                 json.RawMessage
	}
	line, err := s.lines.Await(mark, fmt.Sprintf("the answer to %s", command["type"]), func(line json.RawMessage) bool {
		answer.Type, answer.Command = "", ""
		return json.Unmarshal(line, &answer) == nil && answer.Type == "response" && answer.Command == command["type"]
	})
	if err != nil {
		return err
	}
	if !answer.Success {
		return fmt.Errorf("%s: %s", command["type"], line)
	}
	if data == nil {
		return nil
	}
	return json.Unmarshal(answer.Data, data)
}

func (s *session) Begin(text string) error {
	if err := s.open(); err != nil {
		return err
	}
	mark := s.w.Model.Count()
	s.mark = s.lines.Mark()
	if err := s.call(nil, map[string]any{"type": "prompt", "message": text}); err != nil {
		return err
	}
	return s.w.Asked(mark, func(r oracle.Request) bool { return oracle.EndsWith(oracle.Pi(r.Items), text) })
}

func (s *session) Wait() error {
	_, err := s.lines.Await(s.mark, "the end of a turn", func(line json.RawMessage) bool {
		var event struct{ Type string }
		return json.Unmarshal(line, &event) == nil && event.Type == "agent_end"
	})
	return errors.Join(err, s.w.Settled(s.w.Home))
}

func (s *session) Interrupt() error { return s.call(nil, map[string]any{"type": "abort"}) }

func (s *session) Steer(text string) error {
	return s.call(nil, map[string]any{"type": "steer", "message": text})
}

func (s *session) Compact() error {
	if err := s.open(); err != nil {
		return err
	}
	return s.call(nil, map[string]any{"type": "compact"})
}

func (s *session) Fork() (drive.Session, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	if err := s.call(nil, map[string]any{"type": "clone"}); err != nil {
		return nil, err
	}
	var state struct{ SessionID string }
	if err := s.call(&state, map[string]any{"type": "get_state"}); err != nil {
		return nil, err
	}
	// The process has gone over to the copy.
	if err := s.Close(); err != nil {
		return nil, err
	}
	return &session{w: s.w, id: state.SessionID}, nil
}

// Rewind goes back to the newest prompt: its turn is left as a branch.
func (s *session) Rewind() error {
	if err := s.open(); err != nil {
		return err
	}
	var prompts struct {
		Messages []struct{ EntryID, Text string }
	}
	if err := s.call(&prompts, map[string]any{"type": "get_fork_messages"}); err != nil {
		return err
	}
	if len(prompts.Messages) == 0 {
		return errors.New("pi has no prompt to go back to")
	}
	last := prompts.Messages[len(prompts.Messages)-1]
	if err := s.call(nil, map[string]any{"type": "prompt", "message": "/back " + last.EntryID}); err != nil {
		return err
	}
	return s.w.Settled(s.w.Home)
}

func (s *session) Close() error {
	if s.lines == nil {
		return nil
	}
	lines := s.lines
	s.lines = nil
	return lines.Close()
}
