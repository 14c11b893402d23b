package ref

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

func run(c *cli.Call, flags *orderedRefs) error {
	write, err := writer(c.String("format"))
	if err != nil {
		return err
	}
	if flags.err != nil {
		return flags.err
	}
	ctx, cancel, err := withTimeout(c)
	if err != nil {
		return err
	}
	defer cancel()
	msg, err := readMessage(ctx, c)
	if err != nil {
		return err
	}
	target, err := target(c)
	if err != nil {
		return err
	}
	src, err := openSources(ctx, c)
	if err != nil {
		return err
	}
	prepared, err := reference.Prepare(ctx, src, reference.Request{
		Target: target, Content: msg.content, References: append(msg.refs, flags.values...),
		Config: reference.Config{MaxReferences: intFlag(c, "max-refs"), MaxReferenceBytes: intFlag(c, "max-bytes")},
	})
	if err != nil {
		return err
	}
	src.printNotes(c)
	return write(c, prepared)
}

// intFlag is the flag's value where it was given: an explicit 0 is a mistake, not
// the default.
func intFlag(c *cli.Call, name string) *int {
	if !c.IsSet(name) {
		return nil
	}
	n := c.Int(name)
	return &n
}

func target(c *cli.Call) (*string, error) {
	arg := c.SelfID("to")
	if arg == "" && !c.IsSet("to") {
		return nil, nil
	}
	id, err := sessionuri.ParseID(arg)
	return &id, err
}

// withTimeout bounds everything that waits, the message on standard input too.
func withTimeout(c *cli.Call) (context.Context, context.CancelFunc, error) {
	s := c.String("timeout")
	if s == "" && !c.IsSet("timeout") {
		return c.Ctx(), func() {}, nil
	}
	d, err := parseTimeout(s)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(c.Ctx(), d, &fault.Error{
		Kind: fault.Cancelled, Code: fault.CancelledCode, Message: "no answer within " + d.String(),
	})
	return ctx, cancel, nil
}

func parseTimeout(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if seconds, numErr := strconv.ParseFloat(s, 64); numErr == nil {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || d <= 0 {
		return 0, cli.Usage("--timeout %q: not a time such as 5, 1.5s or 2m", s)
	}
	return d, nil
}

// readMessage takes the message from --content-json, the operands or standard
// input.
func readMessage(ctx context.Context, c *cli.Call) (message, error) {
	stdinTaken := false
	for _, f := range c.StringSlice("surface") {
		stdinTaken = stdinTaken || f == "-"
	}
	switch {
	case c.IsSet("content-json") && c.NArg() > 0:
		return message{}, cli.Usage("--content-json is the message: give no other")
	case c.IsSet("content-json"):
		return parseContent(c.String("content-json"))
	case c.NArg() > 0:
		return parseMessage(strings.Join(c.Args().Slice(), " "))
	case stdinTaken:
		return message{}, cli.Usage("--surface - takes standard input: give the message as an argument")
	}
	if c.Sys.StdinTTY {
		c.Note("reading the message from the terminal; end it with Ctrl-D")
	}
	text, err := cli.ReadAll(ctx, c.Sys.Stdin, "<stdin>")
	if err != nil {
		return message{}, err
	}
	return parseMessage(withoutNewline(string(text)))
}

// writer returns how the result is printed.
func writer(format string) (func(*cli.Call, *reference.Prepared) error, error) {
	var text func(*reference.Prepared) string
	switch format {
	case "json":
		text = func(p *reference.Prepared) string { return string(p.AppendJSON(nil)) + "\n" }
	case "block":
		text = func(p *reference.Prepared) string { return endLine(p.BlockText()) }
	case "prompt":
		text = func(p *reference.Prepared) string { return p.PromptText() + "\n" }
	default:
		return nil, cli.Usage("--format %q: not one of json, block, prompt", format)
	}
	return func(c *cli.Call, p *reference.Prepared) error {
		_, err := c.Out.WriteString(text(p))
		return err
	}, nil
}

// endLine ends a text with a newline; nothing stays nothing.
func endLine(s string) string {
	if s == "" {
		return ""
	}
	return s + "\n"
}
