package send

import (
	"strconv"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func queueCommand() *urfave.Command {
	return &urfave.Command{
		Name: "queue", Action: cli.Action(queue), Flags: []urfave.Flag{toFlag()},
		Usage: "Print what waits for a session, in order",
	}
}

func queue(c *cli.Call) error {
	if c.NArg() > 0 {
		return cli.Usage("queue takes no operand: give the session with --to")
	}
	to, box, err := targetInbox(c)
	if err != nil {
		return err
	}
	records, listErr := box.List(c.Ctx(), to)
	rows := make([]row, len(records))
	for i, r := range records {
		rows[i] = row{r, string(r.State)}
	}
	if err := putRows(c, rows); err != nil {
		return err
	}
	return listErr // of those that are damaged; the others have been printed
}

// row is one record and what is to be said of it.
type row struct {
	inbox.Record
	state string
}

// putRows prints a record a line, or a table on a terminal.
func putRows(c *cli.Call, rows []row) error {
	if c.Sys.StdoutTTY {
		return table(c, rows)
	}
	for _, r := range rows {
		if err := putLine(c, r.json()); err != nil {
			return err
		}
	}
	return nil
}

// json is the record as it was printed when it was sent, with what has become of
// it: "time","state","attempts".
func (r row) json() string {
	b := r.AppendJSON(nil)
	b = append(b[:len(b)-1], `,"time":`...)
	b = strconv.AppendInt(b, r.Time, 10)
	b = append(b, `,"state":`...)
	b = jstext.AppendQuote(b, r.state)
	b = append(b, `,"attempts":`...)
	b = strconv.AppendInt(b, int64(r.Attempts), 10)
	return string(append(b, '}'))
}
