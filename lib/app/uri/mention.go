package uri

import (
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

func mention(c *cli.Call) error {
	id, err := mentionID(c)
	if err != nil {
		return err
	}
	var label *string
	if c.IsSet("label") {
		s := c.String("label")
		if at := jstext.InvalidAt(s); at >= 0 {
			return cli.Usage("--label %s: not UTF-8 at byte %d", fault.Quote(s), at)
		}
		label = &s
	}
	return put(c, sessionuri.Mention(id, label), false, '\n')
}

func mentionID(c *cli.Call) (string, error) {
	switch {
	case c.IsSet("json-id") && c.NArg() == 0:
		return c.JSONText("json-id")
	case c.IsSet("json-id") || c.NArg() != 1:
		return "", cli.Usage("give one session: ID or --json-id")
	}
	arg := c.Args().First()
	if err := checkText(arg); err != nil {
		return "", err
	}
	return sessionuri.ParseID(arg)
}

func parse(c *cli.Call) error {
	text, err := parseInput(c)
	if err != nil {
		return err
	}
	if at := jstext.InvalidAt(text); at >= 0 {
		return &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Subject: "text",
			Message: fmt.Sprintf("not UTF-8 at byte %d", at), Hint: "convert it first, as with iconv -t UTF-8",
		}
	}
	plain, refs, err := sessionuri.ParseText(text)
	if err != nil {
		return err
	}
	out := resultJSON(plain, refs)
	if c.Sys.StdoutTTY {
		out = termtext.JSON(out)
	}
	_, err = c.Out.WriteString(out + "\n")
	return err
}

// parseInput is the text, exactly: a message's last newline is part of it.
func parseInput(c *cli.Call) (string, error) {
	switch arg := c.Args().First(); {
	case c.NArg() > 1:
		return "", cli.Usage("give one text, in quotes")
	case c.NArg() == 1 && arg != "-":
		return arg, nil
	}
	if c.Sys.StdinTTY {
		c.Note("reading the text from the terminal; end it with Ctrl-D")
	}
	b, err := cli.ReadAll(c.Ctx(), c.Sys.Stdin, "<stdin>")
	return string(b), err
}

func resultJSON(plain string, refs []sessionuri.Reference) string {
	var w jstext.Writer
	w.BeginObject()
	w.Key("text")
	w.Text(plain)
	w.Key("references")
	w.BeginArray()
	for _, r := range refs {
		w.BeginObject()
		w.Key("sessionId")
		w.Text(r.SessionID)
		w.Key("label")
		w.Text(r.Label)
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	return w.String()
}
