package tui

import (
	"context"
	"os"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	host "github.com/dsh-toolkit/dsh/lib/tui"
	"github.com/dsh-toolkit/dsh/lib/tui/files"
	"github.com/dsh-toolkit/dsh/lib/tui/plain"
)

// talk is the program without --pick: a conversation at the terminal.
func talk(c *cli.Call) error {
	if !c.Sys.StdinTTY || !c.Sys.StdoutTTY {
		return &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Message: "not at a terminal",
			Hint: "dsh-ref and dsh-send do the same through pipes; dsh-tui --pick needs no more than a terminal to draw on",
		}
	}
	conf, err := config(c)
	if err != nil {
		return err
	}
	answers, err := answerer(c)
	if err != nil {
		return err
	}
	set, err := stores.Open(c)
	if err != nil {
		return err
	}
	id, err := sessionuri.ParseID(c.String("to"))
	if err != nil {
		return err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Message: "no working directory", Err: err}
	}
	v := newConversation(c, id, cwd, set, answers)
	o := host.Options{
		Open:     v.open,
		Preparer: preparer{reader: set, target: &v.id, config: conf},
		Files:    files.New(c.Ctx(), cwd, c.Sys.Now),
		Cwd:      cwd, Home: c.Sys.Home(), Model: answers.name, Now: c.Sys.Now,
	}
	if !c.Bool("no-references") {
		known := &candidates{set: set, cwd: cwd, now: c.Sys.Now, self: v.id}
		o.Candidates = known
		o.Open = func(ctx context.Context) (*host.Target, error) {
			go known.warm(ctx) // behind the first frame, before the first @
			return v.open(ctx)
		}
	}
	err = show(c, o)
	if closeErr := v.close(); err == nil {
		err = closeErr
	}
	if v.begun() {
		c.Note("dsh-tui --to %s goes on with this session", shellWord(v.id))
	}
	return err
}

// show runs the host, drawn or in lines.
func show(c *cli.Call, o host.Options) error {
	if term := c.Sys.Getenv("TERM"); c.Bool("plain") || term == "dumb" || term == "" {
		var interrupts <-chan struct{}
		if c.Sys.Interrupts != nil {
			interrupts = c.Sys.Interrupts()
		}
		return plain.Run(c.Ctx(), o, plain.Streams{In: c.Sys.Stdin, Out: c.Sys.Stdout, Interrupts: interrupts})
	}
	m := host.New(c.Ctx(), o)
	if err := draw(c, m, c.Sys.Stdin, c.Sys.Stdout); err != nil {
		return err
	}
	return m.Err()
}

// shellWord is an id as a shell takes it: as it is where that is safe, else its
// URI, which is.
func shellWord(id string) string {
	for _, r := range id {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
		default:
			return sessionuri.Encode(id)
		}
	}
	return id
}
