// Package ref is the program dsh-ref: it prepares the snapshot for one message.
package ref

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
)

// Main runs dsh-ref and returns its exit status.
func Main(sys *cli.System) int {
	if run, args := command(sys.Args); run != nil {
		inner := *sys
		inner.Args = args
		return run(&inner)
	}
	refs := &orderedRefs{}
	return cli.Program{
		Name:    "dsh-ref",
		Usage:   "[flags] [MESSAGE…]",
		Summary: "Bring the sessions a message mentions into it, as one read-only snapshot",
		Examples: []string{
			"dsh-ref 'Port the fix from @[retry bug](dsh-session:…)' | dsh-send --to ID",
			"dsh-ref --format prompt 'Port @[it](dsh-session:…)' | claude -p",
			"ssh box dsh-surface ID | dsh-ref --surface - 'Port @[it](dsh-session:…)'",
		},
		Flags: []urfave.Flag{
			stores.Flag(),
			&urfave.StringFlag{Name: "to", Usage: "the session the message is for, `ID`; it cannot be referenced (DSH_SESSION_ID)"},
			&urfave.GenericFlag{Name: "ref", Value: refs.flag(false), Usage: "also reference session `ID`; repeatable"},
			&urfave.GenericFlag{Name: "ref-json", Value: refs.flag(true), Usage: "also reference `{\"sessionId\",\"label\"}`; repeatable"},
			&urfave.StringFlag{Name: "content-json", Usage: "the message as `BLOCKS`, a JSON array; not parsed for mentions"},
			&urfave.StringSliceFlag{Name: "surface", Usage: "take a session from `FILE`, printed by dsh-surface, - for stdin; repeatable"},
			&urfave.IntFlag{Name: "max-refs", Value: 3, Usage: "refuse more than `N` references, 1 to 3"},
			&urfave.IntFlag{Name: "max-bytes", Value: 65536, Usage: "at most `N` bytes a referenced session"},
			&urfave.StringFlag{Name: "timeout", Usage: "give up after `TIME`: 5, 1.5s, 2m"},
			&urfave.StringFlag{Name: "format", Value: "json", Usage: "json, block (the snapshot alone) or prompt (one text for any agent)"},
		},
		Other:  []cli.Listed{{Name: "hook", Usage: "what an agent runs at each prompt"}},
		Action: func(c *cli.Call) error { return run(c, refs) },
	}.Main(sys)
}
