package surface

import (
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/known"
)

// show prints one session in the form that was asked for.
func show(c *cli.Call) error {
	reading, err := read(c)
	if err != nil {
		return err
	}
	for _, note := range reading.Receipt.Notes {
		c.Note("%s", note)
	}
	switch {
	case c.Bool("project"):
		_, err = c.Out.Write(append(reference.Project(reading.Surface).AppendJSON(nil), '\n'))
	case c.Bool("text"):
		err = writeText(c, reading)
	default:
		_, err = c.Out.Write(append(reading.Surface.AppendJSON(nil), '\n'))
	}
	if err != nil {
		return err
	}
	return writeReceipt(c, reading)
}

// operand is what the command line names: a file, or a session to be found.
type operand struct {
	file string // FILE or KIND:FILE; empty: id counts
	id   string
}

// parseOperand tells files from ids. A name with a separator in it that exists is a
// file; any other name is first an id, and then a file of that name.
func parseOperand(c *cli.Call, set *store.Set) (operand, error) {
	if c.IsSet("json-id") {
		id, err := c.JSONText("json-id")
		return operand{id: id}, err
	}
	arg := c.Args().First()
	if strings.ContainsAny(arg, `/\`) && known.IsFile(arg) {
		return operand{file: arg}, nil
	}
	id, err := sessionuri.ParseID(arg)
	if err != nil {
		return operand{}, err
	}
	if known.IsFile(arg) {
		if _, err := set.Find(c.Ctx(), id); err != nil && fault.Of(err).Rule == "not-found" {
			return operand{file: arg}, nil
		}
	}
	return operand{id: id}, nil
}

func read(c *cli.Call) (*store.Reading, error) {
	opts := store.ReadOptions{Hash: c.IsSet("receipt"), Verify: c.Bool("verify")}
	if c.Args().First() == "-" {
		return verified(opts)(known.ReadStream(c.Ctx(), c.Sys.Stdin, "<stdin>", opts))
	}
	set, err := stores.Open(c)
	if err != nil {
		return nil, err
	}
	op, err := parseOperand(c, set)
	switch {
	case err != nil:
		return nil, err
	case op.file != "":
		return verified(opts)(known.ReadFile(c.Ctx(), op.file, opts))
	}
	return verified(opts)(set.Read(c.Ctx(), op.id, opts))
}

// verified refuses a reading with damage where every record was to be checked. What is
// missing of a conversation is damage too. dsh's own logs have their own rule: what is
// damaged behind the last commit is no part of them.
func verified(opts store.ReadOptions) func(*store.Reading, error) (*store.Reading, error) {
	return func(r *store.Reading, err error) (*store.Reading, error) {
		if err != nil || !opts.Verify || r.Receipt.DamagedRecords == 0 || r.Receipt.Store == store.DSH {
			return r, err
		}
		return nil, &fault.Error{
			Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "damaged-records", Subject: fmt.Sprintf("%q", r.Receipt.Path),
			Message: strings.Join(append([]string{fmt.Sprintf("damaged or missing records: %d", r.Receipt.DamagedRecords)}, r.Receipt.Notes...), "; "),
			Hint:    "without --verify what can be read is printed",
		}
	}
}
