package send

import (
	"os"
	"strconv"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/app/state"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

func enqueueFlags() []urfave.Flag {
	return []urfave.Flag{
		toFlag(),
		&urfave.StringFlag{Name: "m", Usage: "the message is `TEXT`, instead of prepared JSON"},
		&urfave.BoolFlag{Name: "steer", Usage: "for the turn that runs, if it comes in time"},
		&urfave.BoolFlag{Name: "inject", Usage: "add context without asking the model"},
		&urfave.StringFlag{Name: "meta", Usage: "what an injected message carries along unseen, `JSON`"},
		&urfave.StringFlag{Name: "source", Usage: "who says it, `JSON` (default {\"kind\":\"user\"})"},
		&urfave.StringFlag{Name: "id", Usage: "name the record `ID`; sending it again changes nothing"},
	}
}

// enqueue freezes one message and prints its record when it is durable.
func enqueue(c *cli.Call) error {
	d, err := draft(c)
	if err != nil {
		return err
	}
	box, err := state.Inbox(c.Sys)
	if err != nil {
		return err
	}
	r, err := box.Enqueue(c.Ctx(), d)
	if err != nil {
		return err
	}
	if r.State != inbox.Waiting {
		c.Note("record %s was sent before and is %s", fault.Quote(r.ID), r.State)
	}
	return putLine(c, string(r.AppendJSON(nil)))
}

// putLine prints one JSON text. Into a pipe its bytes are exact; on a terminal
// nothing in it can act.
func putLine(c *cli.Call, line string) error {
	if c.Sys.StdoutTTY {
		line = termtext.JSON(line)
	}
	_, err := c.Out.WriteString(line + "\n")
	return err
}

// draft is what the flags and the message say. Everything else is checked before
// the message is read, which can take a while.
func draft(c *cli.Call) (d inbox.Draft, err error) {
	switch {
	case c.Bool("steer") && c.Bool("inject"):
		return d, cli.Usage("--steer or --inject, not both")
	case c.IsSet("meta") && !c.Bool("inject"):
		return d, cli.Usage("--meta is for --inject")
	case c.IsSet("id") && c.String("id") == "":
		return d, cli.Usage("--id: the empty id names no record")
	case c.IsSet("m") && c.NArg() > 0:
		return d, cli.Usage("-m is the message: give no FILE")
	case c.NArg() > 1:
		return d, cli.Usage("give one FILE; a message of several words is one argument of -m")
	}
	d.Kind, d.ID = kind(c), c.String("id")
	if d.Source, err = jsonFlag(c, "source"); err != nil {
		return d, err
	}
	if d.Meta, err = jsonFlag(c, "meta"); err != nil {
		return d, err
	}
	if d.To, err = target(c); err != nil {
		return d, err
	}
	if c.IsSet("m") {
		d.Content, err = textContent(c.String("m"))
	} else {
		d.Content, d.Contexts, err = prepared(c)
	}
	return d, err
}

func kind(c *cli.Call) inbox.Kind {
	switch {
	case c.Bool("steer"):
		return inbox.Steer
	case c.Bool("inject"):
		return inbox.Inject
	}
	return inbox.Send
}

// jsonFlag is a flag's JSON value, Absent without the flag.
func jsonFlag(c *cli.Call, name string) (jstext.Value, error) {
	if !c.IsSet(name) {
		return jstext.Value{}, nil
	}
	v, err := jstext.Parse(c.String(name))
	if err != nil {
		return jstext.Value{}, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Subject: "--" + name, Message: "not JSON", Err: err,
		}
	}
	return v, nil
}

// textContent is one text block. Nothing in the text is looked at.
func textContent(text string) (jstext.Value, error) {
	if at := jstext.InvalidAt(text); at >= 0 {
		return jstext.Value{}, notUTF8("-m", at)
	}
	return session.TextContent(text), nil
}

func notUTF8(subject string, at int) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.UsageCode, Subject: subject,
		Message: "not UTF-8 at byte " + strconv.Itoa(at), Hint: "convert it first, as with iconv -t UTF-8",
	}
}

// prepared reads {"content","contexts"} from FILE or standard input. A member that
// it does not know is refused: it might have been meant to matter.
func prepared(c *cli.Call) (content, contexts jstext.Value, err error) {
	name, text, err := input(c)
	if err != nil {
		return content, contexts, err
	}
	bad := &fault.Error{
		Kind: fault.Usage, Code: fault.UsageCode, Subject: name,
		Hint: `give {"content":[…],"contexts":[…]} as dsh-ref prints it, or a text with -m`,
	}
	if len(text) == 0 {
		bad.Message = "nothing is there to send"
		return content, contexts, bad
	}
	v, err := jstext.Parse(text)
	if err != nil {
		bad.Message, bad.Err = "not JSON", err
		return content, contexts, bad
	}
	if at := jstext.InvalidAt(text); at >= 0 {
		return content, contexts, notUTF8(name, at)
	}
	if v.Kind() != jstext.Object {
		bad.Message = "not an object"
		return content, contexts, bad
	}
	for key, m := range v.Members() {
		switch key {
		case "content":
			content = m
		case "contexts":
			contexts = m
		default:
			bad.Message = "no message has a member " + fault.Quote(key)
			return content, contexts, bad
		}
	}
	return content, contexts, nil
}

// input reads the message whole.
func input(c *cli.Call) (name, text string, err error) {
	r := c.Sys.Stdin
	name = "<stdin>"
	if arg := c.Args().First(); c.NArg() == 1 && arg != "-" {
		r, name = &lazyFile{path: arg}, strconv.Quote(arg)
	} else if c.Sys.StdinTTY {
		c.Note("reading a prepared message from the terminal; end it with Ctrl-D, or give a text with -m")
	}
	b, err := cli.ReadAll(c.Ctx(), r, name)
	return name, string(b), err
}

// lazyFile opens its file with the first read, so that a FIFO without a writer can
// be given up like a read that hangs. Who gave up must not close it: a read may
// still be under way. It lasts as long as the program.
type lazyFile struct {
	path string
	f    *os.File
}

func (l *lazyFile) Read(p []byte) (n int, err error) {
	if l.f == nil {
		if l.f, err = os.Open(l.path); err != nil {
			return 0, err
		}
	}
	return l.f.Read(p)
}
