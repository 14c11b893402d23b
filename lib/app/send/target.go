package send

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/app/state"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

func toFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "to", Usage: "the session the message is for, `ID` (DSH_SESSION_ID)"}
}

// target is the id that --to gives, before or after the command, else the session
// one is in.
func target(c *cli.Call) (string, error) {
	arg, given := c.Sys.Getenv("DSH_SESSION_ID"), false
	for _, level := range c.Lineage() { // the command's own first
		if level.Command != nil && level.IsSet("to") {
			arg, given = level.String("to"), true
			break
		}
	}
	switch {
	case given && arg == "":
		return "", cli.Usage("--to: the empty id names no session")
	case arg == "":
		return "", &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Message: "no session to send to",
			Hint: "give --to ID; inside dsh's own shell DSH_SESSION_ID says it",
		}
	}
	if at := jstext.InvalidAt(arg); at >= 0 {
		return "", &fault.Error{
			Kind: fault.Reference, Code: fault.InvalidReference,
			Subject: fault.Quote(arg), Message: fmt.Sprintf("not UTF-8 at byte %d", at),
		}
	}
	return sessionuri.ParseID(arg)
}

// targetInbox is what the commands work on: no flag of sending, the target and the
// inbox.
func targetInbox(c *cli.Call) (to string, box *inbox.Inbox, err error) {
	if err := onlyTo(c); err != nil {
		return "", nil, err
	}
	if to, err = target(c); err != nil {
		return "", nil, err
	}
	box, err = state.Inbox(c.Sys)
	return to, box, err
}

// onlyTo refuses what belongs to sending where a command stands: it would be
// silently ignored.
func onlyTo(c *cli.Call) error {
	for _, level := range c.Lineage()[1:] {
		for _, f := range enqueueFlags() {
			if name := f.Names()[0]; name != "to" && level.Command != nil && level.IsSet(name) {
				return cli.Usage("--%s is not for %s", name, c.Command.Name)
			}
		}
	}
	return nil
}
