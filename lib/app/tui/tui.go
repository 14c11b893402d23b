// Package tui is the program dsh-tui: the terminal host, in full, as plain lines,
// or as a picker for pipes.
package tui

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/reference"
)

// Main runs dsh-tui and returns its exit status.
func Main(sys *cli.System) int {
	return cli.Program{
		Name:    "dsh-tui",
		Usage:   "[flags]",
		Summary: "Talk with an agent and bring other sessions into it, at a terminal",
		Examples: []string{
			"dsh-tui --model deepseek-chat",
			"dsh-tui --to ID --exec 'claude -p'",
			`dsh-ref "Port the fix from $(dsh-tui --pick --query retry)"`,
		},
		Flags: []urfave.Flag{
			stores.Flag(),
			&urfave.StringFlag{Name: "to", Usage: "go on with session `ID` of the toolkit's own; default: a new one"},
			&urfave.StringFlag{Name: "model", Usage: "ask `MODEL` at an OpenAI-compatible endpoint"},
			&urfave.StringFlag{Name: "base-url", Usage: "that endpoint, `URL`"},
			&urfave.StringFlag{Name: "exec", Usage: "ask `CMD`: it gets the prompt and prints the answer"},
			&urfave.StringSliceFlag{Name: "hook", Usage: "show every prompt to `CMD` first; repeatable, the first is outermost"},
			&urfave.IntFlag{Name: "max-refs", Value: reference.DefaultMaxReferences, Usage: "refuse more than `N` references, 1 to 3"},
			&urfave.IntFlag{Name: "max-bytes", Value: reference.DefaultMaxReferenceBytes, Usage: "at most `N` bytes a referenced session"},
			&urfave.BoolFlag{Name: "no-references", Usage: "mention no sessions"},
			&urfave.BoolFlag{Name: "plain", Usage: "lines only: for screen readers and simple terminals"},
			&urfave.BoolFlag{Name: "pick", Usage: "choose sessions and print their mentions"},
			&urfave.StringFlag{Name: "query", Usage: "pick: begin with `TEXT` typed"},
			&urfave.BoolFlag{Name: "select-1", Usage: "pick: ask nobody where one session matches"},
			&urfave.BoolFlag{Name: "exit-0", Usage: "pick: ask nobody where none matches, and exit 4"},
			&urfave.BoolFlag{Name: "print0", Usage: "pick: end each mention with NUL instead of a newline"},
			&urfave.BoolFlag{Name: "json", Usage: "pick: print an object for each session"},
		},
		Action: run,
	}.Main(sys)
}

// pickOnly are the flags that mean nothing without --pick.
var pickOnly = []string{"query", "select-1", "exit-0", "print0", "json"}

// talkOnly are those that mean nothing with it.
var talkOnly = []string{"model", "base-url", "exec", "hook", "no-references", "plain"}

func run(c *cli.Call) error {
	if c.NArg() > 0 {
		return cli.Usage("%q: dsh-tui takes no operand", c.Args().First())
	}
	wrong, when := pickOnly, "without --pick"
	if c.Bool("pick") {
		wrong, when = talkOnly, "with --pick"
	}
	for _, f := range wrong {
		if c.IsSet(f) {
			return cli.Usage("--%s means nothing %s", f, when)
		}
	}
	if c.Bool("pick") {
		return pick(c)
	}
	return talk(c)
}

// config is what the flags say of references.
func config(c *cli.Call) (reference.Config, error) {
	var conf reference.Config
	for name, field := range map[string]**int{"max-refs": &conf.MaxReferences, "max-bytes": &conf.MaxReferenceBytes} {
		if c.IsSet(name) {
			n := c.Int(name)
			*field = &n
		}
	}
	_, err := conf.Candidates(nil) // it checks the whole configuration
	return conf, err
}
