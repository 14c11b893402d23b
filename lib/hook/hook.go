// Package hook makes prompt-submit listeners of the user's commands.
//
// A command gets one JSON object on its standard input,
//
//	{"sessionId","turn","content","source","contexts"}
//
// the message as it was claimed, and answers on its standard output with
//
//	nothing, or white space                                    delegate
//	{"kind":"allow","content"?,"additionalContexts"?}          let it through
//	{"kind":"block","reason"}                                  keep it out
//
// In a chain the first command is the outermost. It runs first; if it blocks, those
// further in do not run. If it lets the message through, the members it gives stand,
// and those it leaves out are what the commands further in came to; an allow
// without any of them overrules a block from further in, with the message as it
// was. A command that fails, or prints anything else (a misspelt member too), ends
// the turn as an error, and nothing is sent.
//
// Rules: SPEC 7; CLI.md, dsh-send.
package hook

import (
	"context"
	"fmt"
	"io"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/proc"
)

// maxAnswer bounds what a command may print, in bytes.
const maxAnswer = 16 << 20

// Command makes a listener of a shell line. stderr gets the command's own messages;
// nil throws them away.
func Command(line string, stderr io.Writer) agent.Hook {
	return func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		said, err := ask(ctx, line, stderr, p)
		if err != nil {
			return agent.Decision{}, err
		}
		if said.kind == blocks {
			return agent.Decision{Block: true, Reason: said.reason}, nil
		}
		d, err := next(ctx)
		if err != nil || said.kind == delegates {
			return d, err
		}
		return said.over(d, p), nil
	}
}

type kind int

const (
	delegates kind = iota
	allows
	blocks
)

// answer is what a command said.
type answer struct {
	kind     kind
	reason   string
	content  jstext.Value // Absent: not given
	contexts jstext.Value // Absent: not given
}

// over puts what an allowing command gave over what those further in came to.
func (a answer) over(d agent.Decision, p agent.Prompt) agent.Decision {
	if d.Block {
		d = agent.Decision{Content: p.Content, AdditionalContexts: p.Contexts}
	}
	if a.content.Exists() {
		d.Content = a.content
	}
	if a.contexts.Exists() {
		d.AdditionalContexts = a.contexts
	}
	return d
}

func ask(ctx context.Context, line string, stderr io.Writer, p agent.Prompt) (answer, error) {
	var out []byte
	err := proc.Run(ctx, proc.Command{Line: line, Stdin: input(p), Stderr: stderr, Stdout: func(b []byte) error {
		if len(out)+len(b) > maxAnswer {
			return fmt.Errorf("printed more than %d bytes", maxAnswer)
		}
		out = append(out, b...)
		return nil
	}})
	if ctx.Err() != nil {
		return answer{}, context.Cause(ctx)
	}
	var a answer
	if err == nil {
		a, err = parse(jstext.Decode(out))
	}
	if err != nil {
		return answer{}, &fault.Error{
			Kind: fault.Unexpected, Code: fault.Failed, Subject: "hook " + fault.Quote(line), Err: err,
		}
	}
	return a, nil
}

func input(p agent.Prompt) string {
	var w jstext.Writer
	w.BeginObject()
	w.Key("sessionId")
	w.Text(p.SessionID)
	w.Key("turn")
	w.Int(p.Turn)
	w.Key("content")
	w.Raw(p.Content)
	w.Key("source")
	w.Raw(p.Source)
	w.Key("contexts")
	w.Raw(p.Contexts)
	w.EndObject()
	return w.String() + "\n"
}
