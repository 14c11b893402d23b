package send

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func cancelCommand() *urfave.Command {
	return &urfave.Command{
		Name: "cancel", ArgsUsage: "[RECORD…]", Action: cli.Action(cancel), Flags: []urfave.Flag{toFlag()},
		Usage: "Drop what waits for a session, or these records, and abort a running turn",
	}
}

// cancel prints the records that are gone, and those whose turn is told to end.
func cancel(c *cli.Call) error {
	ids := c.Args().Slice()
	for _, id := range ids {
		if at := jstext.InvalidAt(id); at >= 0 {
			return &fault.Error{
				Kind: fault.Reference, Code: fault.InvalidReference,
				Subject: "record " + fault.Quote(id), Message: fmt.Sprintf("not UTF-8 at byte %d", at),
			}
		}
	}
	to, box, err := targetInbox(c)
	if err != nil {
		return err
	}
	done, cancelErr := box.Cancel(c.Ctx(), to, ids...)
	var rows []row
	for _, r := range done.Dropped {
		rows = append(rows, row{r, "dropped"})
	}
	for _, r := range done.Aborting {
		rows = append(rows, row{r, "aborting"})
	}
	if err := putRows(c, rows); err != nil {
		return err
	}
	return cancelErr
}
