package tui

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hook"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/model"
)

// answers is who answers, and who sees the prompts first.
type answers struct {
	model agent.Model
	name  string // in a word or two
	hooks []agent.Hook
}

// answerer is what --model, --exec and --hook say.
func answerer(c *cli.Call) (answers, error) {
	var a answers
	for _, line := range c.StringSlice("hook") {
		a.hooks = append(a.hooks, hook.Command(line, nil))
	}
	name, line := c.String("model"), c.String("exec")
	switch {
	case name != "" && line != "":
		return a, cli.Usage("--model or --exec, not both")
	case line != "":
		if c.IsSet("base-url") {
			return a, cli.Usage("--base-url is for --model")
		}
		said := &lastWords{}
		a.model = told{model.Exec{Line: line, Stderr: said}, said}
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		a.name = path.Base(word)
	case name != "":
		endpoint, err := model.FindEndpoint(name, c.String("base-url"), c.Sys.Getenv)
		if err != nil {
			return a, err
		}
		a.model = model.NewChat(model.ChatOptions{Endpoint: endpoint, Model: name})
		a.name = name
	default:
		return a, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Message: "nobody to answer",
			Hint: "give --model MODEL for a chat endpoint, or --exec CMD for a command such as 'claude -p'",
		}
	}
	return a, nil
}

// told is a command whose failures come with the last that it said on standard
// error: nothing else may be written to a screen that is being drawn on.
type told struct {
	agent.Model
	said *lastWords
}

func (t told) Ask(ctx context.Context, r agent.Request, delta func(string)) (agent.Answer, error) {
	t.said.reset()
	a, err := t.Model.Ask(ctx, r, delta)
	if words := t.said.line(); err != nil && ctx.Err() == nil && words != "" {
		return a, fmt.Errorf("%w\n%s", err, words)
	}
	return a, err
}

// lastWords keeps the end of what is written to it.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// maxWords is enough for a line that says what went wrong.
const maxWords = 2 << 10

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if over := len(w.text) - maxWords; over > 0 {
		w.text = append(w.text[:0], w.text[over:]...)
	}
	return len(p), nil
}

func (w *lastWords) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = w.text[:0]
}

// line is the last line that is not empty.
func (w *lastWords) line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.TrimSpace(jstext.Decode(w.text))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
