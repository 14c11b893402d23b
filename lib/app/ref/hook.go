package ref

import (
	"context"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/host"
	"github.com/dsh-toolkit/dsh/lib/host/known"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// hookTimeout is less than any agent waits for its hook. An agent that stops waiting
// lets the prompt go on without its snapshot.
const hookTimeout = "20s"

// hookMain is "dsh-ref hook HOST": what an agent runs at each prompt.
func hookMain(sys *cli.System) int {
	return cli.Program{
		Name:    "dsh-ref",
		Usage:   "hook [flags] " + strings.Join(known.Names(), "|"),
		Summary: "Bring the sessions that a prompt mentions to the agent it was typed into",
		Examples: []string{
			`dsh-ref hook claude <<< '{"prompt":"Port @[it](dsh-session:…)"}'`,
			"dsh-ref hook --max-bytes 3000 codex",
			"dsh-ref hook --on-error pass gemini",
		},
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{Name: "to", Usage: "the session the prompt is for, `ID`; it cannot be referenced (default: the agent's own)"},
		}, hookFlags()...),
		Other: []cli.Listed{
			{Name: "install", Usage: "put the hook into an agent's configuration"},
			{Name: "status", Usage: "say how things stand with each agent"},
			{Name: "remove", Usage: "take the hook out again"},
		},
		Action: runHook,
	}.Main(sys)
}

// hookFlags is what a person can choose for every prompt: install writes these into
// the command.
func hookFlags() []urfave.Flag {
	return []urfave.Flag{
		stores.Flag(),
		&urfave.IntFlag{Name: "max-refs", Value: reference.DefaultMaxReferences, Usage: "refuse more than `N` references, 1 to 3"},
		&urfave.IntFlag{Name: "max-bytes", Value: reference.DefaultMaxReferenceBytes, Usage: "at most `N` bytes a referenced session, and no more than the agent takes"},
		&urfave.StringFlag{Name: "timeout", Value: hookTimeout, Usage: "give up after `TIME`: 5, 1.5s, 2m"},
		&urfave.StringFlag{Name: "on-error", Value: "block", Usage: "`WHAT` becomes of a prompt whose sessions cannot be brought: block or pass"},
	}
}

func runHook(c *cli.Call) error {
	name, err := agent(c)
	if err != nil {
		return err
	}
	h, ok := known.Named(name)
	if !ok {
		return noAgent(name)
	}
	pass, err := passes(c)
	if err != nil {
		return err
	}
	ctx, cancel, err := withTimeout(c)
	if err != nil {
		return err
	}
	defer cancel()
	context, err := hookContext(ctx, c, h)
	switch {
	case err != nil && fault.KindOf(err) == fault.Usage:
		return err
	case err != nil && pass:
		c.Report(err)
		c.Note("the prompt goes on without what it mentions")
		return nil
	case err != nil:
		c.Report(err)
		_, err = c.Out.Write(h.Block(c.Describe(err)))
		return err
	case context == "":
		return nil
	}
	_, err = c.Out.Write(h.Context(context))
	return err
}

// agent is the one operand, an agent's name.
func agent(c *cli.Call) (string, error) {
	if c.NArg() != 1 {
		return "", cli.Usage("give one agent: %s", strings.Join(known.Names(), ", "))
	}
	return c.Args().First(), nil
}

func noAgent(name string) error {
	return cli.Usage("no agent %q: give one of %s", name, strings.Join(known.Names(), ", "))
}

// passes is the meaning of --on-error.
func passes(c *cli.Call) (bool, error) {
	switch what := c.String("on-error"); what {
	case "block", "pass":
		return what == "pass", nil
	default:
		return false, cli.Usage("--on-error %q: not one of block, pass", what)
	}
}

// hookContext returns what to add to the prompt on standard input; empty: nothing.
func hookContext(ctx context.Context, c *cli.Call, h host.Host) (string, error) {
	raw, err := cli.ReadAll(ctx, c.Sys.Stdin, "<stdin>")
	if err != nil {
		return "", err
	}
	text := jstext.Decode(raw)
	in, ok := host.ReadInput(text)
	if !ok {
		return "", unreadableInput(c, h, text)
	}
	msg, err := parseMessage(jstext.ToUTF8(in.Prompt))
	if err != nil || len(msg.refs) == 0 {
		return "", err
	}
	if in.Cwd != "" {
		// Relative stores and homes are meant as the agent sees them. Where the
		// directory is gone, they cannot be meant.
		_ = os.Chdir(in.Cwd)
	}
	target, err := hookTarget(c, h, in)
	if err != nil {
		return "", err
	}
	src, err := openSources(ctx, c)
	if err != nil {
		return "", err
	}
	prepared, err := reference.Prepare(ctx, src, reference.Request{
		Target: target, Content: msg.content, References: msg.refs,
		Config: reference.Config{MaxReferences: intFlag(c, "max-refs"), MaxReferenceBytes: intFlag(c, "max-bytes")},
		Block:  reference.Block{Place: h.Place, MaxBytes: h.MaxBytes},
	})
	if err != nil {
		return "", err
	}
	src.printNotes(c)
	return prepared.BlockFor(h.Place), nil
}

// hookTarget is the session that the prompt was typed into: --to, else what the
// agent says.
func hookTarget(c *cli.Call, h host.Host, in host.Input) (*string, error) {
	if c.IsSet("to") {
		id, err := sessionuri.ParseID(c.String("to"))
		return &id, err
	}
	if in.SessionID == "" {
		return nil, nil
	}
	id := h.SessionID(in.SessionID)
	return &id, nil
}

// unreadableInput decides about input whose prompt cannot be found. If a session is
// named anywhere in it, the prompt must not go on without it. Else the prompt is
// none of our business, and the agent's log of hooks has a note.
func unreadableInput(c *cli.Call, h host.Host, text string) error {
	const what = `not a JSON object with a string "prompt"`
	if !strings.Contains(text, strings.TrimSuffix(sessionuri.Scheme, ":")) {
		c.Note("the input of %s is %s", h.Name, what)
		return nil
	}
	return &fault.Error{
		Kind: fault.Unexpected, Code: fault.Failed, Subject: "<stdin>", Message: what,
		Hint: "this may be a version of " + h.Name + " that dsh-ref does not know",
	}
}
