package tui

import (
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/picker"
)

// pick draws on the terminal and prints what was chosen.
func pick(c *cli.Call) error {
	conf, err := config(c)
	if err != nil {
		return err
	}
	set, err := stores.Open(c)
	if err != nil {
		return err
	}
	self, err := sessionuri.ParseID(c.SelfID("to"))
	if err != nil {
		return err
	}
	cwd, _ := os.Getwd() // one that is gone ranks no session
	known := &candidates{set: set, cwd: cwd, now: c.Sys.Now, self: self}
	o := picker.Options{
		Candidates: known, Previews: preparer{reader: set, config: conf},
		Query: c.String("query"), Max: reference.DefaultMaxReferences, Home: c.Sys.Home(), Now: c.Sys.Now,
	}
	if conf.MaxReferences != nil {
		o.Max = *conf.MaxReferences
	}
	chosen, err := settled(c, &o)
	if err != nil || chosen != nil {
		return printChosen(c, chosen, err)
	}
	chosen, err = ask(c, o)
	return printChosen(c, chosen, err)
}

// settled answers where --select-1 and --exit-0 need nobody. Else it keeps what it
// has found for the picker to begin with.
func settled(c *cli.Call, o *picker.Options) ([]candidate.Session, error) {
	if !c.Bool("select-1") && !c.Bool("exit-0") {
		return nil, nil
	}
	found, err := o.Candidates.Candidates(c.Ctx(), o.Query, picker.Limit)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0 && c.Bool("exit-0"):
		return nil, &fault.Error{
			Kind: fault.Unreadable, Code: fault.ReadFailed, Message: "no session matches " + jstext.Quote(o.Query),
			Hint: "dsh-surface --list shows what there is",
		}
	case len(found) == 1 && c.Bool("select-1"):
		return found, nil
	}
	o.Found = append([]candidate.Session{}, found...)
	return nil, nil
}

// ask shows the picker on the controlling terminal: standard output is for the
// answer.
func ask(c *cli.Call, o picker.Options) ([]candidate.Session, error) {
	in, out, err := tea.OpenTTY()
	if err != nil {
		return nil, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Message: "no terminal to draw on",
			Hint: "dsh-surface --list --query TEXT prints sessions with their mentions; --select-1 needs no terminal where one matches",
		}
	}
	defer in.Close()
	defer out.Close()
	m := picker.New(c.Ctx(), o)
	if err := draw(c, m, in, out); err != nil {
		return nil, err
	}
	return m.Chosen()
}

// printChosen prints mentions, or objects, in the order in which they were chosen.
func printChosen(c *cli.Call, chosen []candidate.Session, err error) error {
	if err != nil {
		return err
	}
	end := "\n"
	if c.Bool("print0") {
		end = "\x00"
	}
	for _, s := range chosen {
		text, safe := s.Mention(), termtext.Line
		if c.Bool("json") {
			text, safe = object(s), termtext.JSON
		}
		if c.Sys.StdoutTTY {
			text = safe(text)
		}
		if _, err := c.Out.WriteString(text + end); err != nil {
			return err
		}
	}
	return nil
}

func object(s candidate.Session) string {
	var w jstext.Writer
	w.BeginObject()
	w.Key("sessionId")
	w.Text(s.ID)
	w.Key("label")
	w.Text(s.Label)
	w.Key("cwd")
	w.OptText(s.Cwd)
	w.Key("mention")
	w.Text(s.Mention())
	w.EndObject()
	return w.String()
}
