package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/proc"
)

// Exec answers with a command of the user's: it gets the step's prompt on its
// standard input, and what it writes to its standard output is the answer, byte
// for byte. It is not given the conversation: a command that wants one keeps it.
type Exec struct {
	Line   string    // a shell line
	Stderr io.Writer // where the command's own messages go; nil: nowhere
}

// Ask implements agent.Model. A command that fails, or that does not end before
// ctx does, gives no answer; its whole process group is ended then.
func (e Exec) Ask(ctx context.Context, r agent.Request, delta func(string)) (agent.Answer, error) {
	prompt, err := freshPrompt(r)
	if err != nil {
		return agent.Answer{}, err
	}
	var out decoder
	text := pieces{emit: delta}
	err = proc.Run(ctx, proc.Command{Line: e.Line, Stdin: prompt, Stderr: e.Stderr, Stdout: func(p []byte) error {
		if text.all.Len()+len(p) > maxAnswer {
			return fmt.Errorf("answered with more than %d bytes", maxAnswer)
		}
		text.write(out.decode(p))
		return nil
	}})
	text.write(out.end())
	switch {
	case ctx.Err() != nil:
		return agent.Answer{}, context.Cause(ctx)
	case err != nil:
		return agent.Answer{}, &fault.Error{
			Kind: fault.Unexpected, Code: fault.Failed, Subject: fault.Quote(e.Line), Err: err,
		}
	}
	return agent.Answer{Text: text.all.String(), Provider: "exec", Model: program(e.Line)}, nil
}

// freshPrompt is what a step brought as one text. Pictures cannot be in it.
func freshPrompt(r agent.Request) (string, error) {
	fresh := r.Messages[len(r.Messages)-r.Fresh:]
	texts := make([]string, len(fresh))
	for i, m := range fresh {
		for b := range m.Get("content").Elements() {
			if !b.Get("type").Is("text") {
				kind, _ := b.Get("type").Text()
				return "", errors.New("a command takes text only, and the message has a block of type " + fault.Quote(kind))
			}
		}
		texts[i] = Prompt(m.Get("content"))
	}
	return jstext.ToUTF8(strings.Join(texts, "\n\n")), nil
}

// program is the name of what a shell line runs: it goes into logs, and the rest
// of the line may hold what does not belong there.
func program(line string) string {
	for word := range strings.FieldsSeq(line) {
		if name, _, ok := strings.Cut(word, "="); ok && !strings.ContainsAny(name, `/"'`) {
			continue // VAR=value
		}
		return path.Base(strings.Trim(word, `"'`))
	}
	return ""
}

// decoder decodes UTF-8 that comes in pieces as if it came at once.
type decoder struct{ rest []byte }

func (d *decoder) decode(p []byte) string {
	b := append(d.rest, p...)
	keep := len(b)
	for i := max(len(b)-utf8.UTFMax+1, 0); i < len(b); i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			keep = i
			break
		}
	}
	s := jstext.Decode(b[:keep])
	d.rest = append([]byte(nil), b[keep:]...)
	return s
}

func (d *decoder) end() string {
	s := jstext.Decode(d.rest)
	d.rest = nil
	return s
}
