package surface

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
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
	return writeReceipt(c, reading.Receipt)
}

// read finds and reads the operand. A name with a separator in it that exists is a
// file; any other name is first an id, and then a file of that name.
func read(c *cli.Call) (*store.Reading, error) {
	opts := store.ReadOptions{Hash: c.IsSet("receipt"), Verify: c.Bool("verify")}
	arg := c.Args().First()
	switch {
	case c.IsSet("json-id"):
		id, err := jsonID(c.String("json-id"))
		if err != nil {
			return nil, err
		}
		return readID(c, id, opts)
	case arg == "-":
		return known.ReadStream(c.Ctx(), c.Sys.Stdin, "<stdin>", opts)
	case strings.ContainsAny(arg, `/\`) && known.IsFile(arg):
		return known.ReadFile(c.Ctx(), arg, opts)
	}
	id, err := sessionuri.ParseID(arg)
	if err != nil {
		return nil, err
	}
	reading, err := readID(c, id, opts)
	if f := fault.Of(err); f != nil && f.Rule == "not-found" && known.IsFile(arg) {
		return known.ReadFile(c.Ctx(), arg, opts)
	}
	return reading, err
}

func readID(c *cli.Call, id string, opts store.ReadOptions) (*store.Reading, error) {
	set, err := stores.Open(c)
	if err != nil {
		return nil, err
	}
	return set.Read(c.Ctx(), id, opts)
}

func jsonID(text string) (string, error) {
	v, err := jstext.Parse(text)
	id, ok := v.Text()
	if err != nil || !ok {
		return "", cli.Usage("--json-id %q: not a JSON string", text)
	}
	return id, nil
}
