package tui

import (
	"path"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hook"
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
		a.model = model.Exec{Line: line}
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
