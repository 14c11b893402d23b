// Package surface is the program dsh-surface: one session read exactly, a list of
// sessions, or a verdict on a log.
package surface

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
)

// Main runs dsh-surface and returns its exit status.
func Main(sys *cli.System) int {
	return cli.Program{
		Name:    "dsh-surface",
		Usage:   "[flags] ID|FILE|KIND:FILE|-",
		Summary: "Print a session's current surface as JSON, or list sessions",
		Examples: []string{
			"dsh-surface --list | jq -r .title          what there is, newest first",
			"dsh-surface --project ID | jq .conversation  who said what, everything",
			"dsh-surface ID | dsh-ref --surface - 'Port @[it](dsh-session:…)'",
		},
		Flags: []urfave.Flag{
			stores.Flag(),
			&urfave.BoolFlag{Name: "project", Usage: "print the conversation instead: roles and texts, no budget"},
			&urfave.BoolFlag{Name: "text", Usage: "print the conversation to be read"},
			&urfave.BoolFlag{Name: "list", Usage: "list sessions, newest first: JSON lines, a table on a terminal"},
			&urfave.BoolFlag{Name: "check", Usage: "print a verdict on the log: format, damage, whether it can be referenced"},
			&urfave.StringFlag{Name: "query", Usage: "with --list: only sessions whose id, cwd or title contains `TEXT`"},
			&urfave.StringFlag{Name: "cwd", Usage: "with --list: rank sessions of `DIR` first"},
			&urfave.StringFlag{Name: "self", Usage: "with --list: leave out session `ID` (DSH_SESSION_ID)"},
			&urfave.IntFlag{Name: "limit", Value: 50, Usage: "with --list: at most `N` sessions, 0 for all"},
			&urfave.StringFlag{Name: "receipt", Usage: "write what was observed to `FILE`, as JSON; - for standard error"},
			&urfave.BoolFlag{Name: "verify", Usage: "check every record in full, also those that cannot matter"},
			&urfave.StringFlag{Name: "json-id", Usage: "the id as a JSON string, for ids that no argument can carry"},
		},
		Action: run,
	}.Main(sys)
}

func run(c *cli.Call) error {
	if err := checkModes(c); err != nil {
		return err
	}
	switch {
	case c.Bool("list"):
		return list(c)
	case c.Bool("check"):
		return check(c)
	}
	return show(c)
}

func checkModes(c *cli.Call) error {
	modes := 0
	for _, m := range []string{"project", "text", "list", "check"} {
		if c.Bool(m) {
			modes++
		}
	}
	operands := c.NArg()
	if c.IsSet("json-id") {
		operands++
	}
	switch {
	case modes > 1:
		return cli.Usage("give one of --project, --text, --list, --check")
	case c.Bool("list") && operands > 0:
		return cli.Usage("--list takes no session: did you mean --query?")
	case !c.Bool("list") && operands != 1:
		return cli.Usage("give one session: ID, FILE, KIND:FILE or -")
	case c.Int("limit") < 0:
		return cli.Usage("--limit %d: not a number of sessions", c.Int("limit"))
	}
	for _, f := range []string{"query", "cwd", "self", "limit"} {
		if c.IsSet(f) && !c.Bool("list") {
			return cli.Usage("--%s goes with --list", f)
		}
	}
	return nil
}
