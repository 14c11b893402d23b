package ref

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/host/known"
	"github.com/dsh-toolkit/dsh/lib/host/setup"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// statusMain is "dsh-ref hook status [AGENT]".
func statusMain(sys *cli.System) int {
	return cli.Program{
		Name: "dsh-ref", Usage: "hook status [flags] [" + strings.Join(known.Names(), "|") + "]",
		Summary: "Say for each agent whether it is there, and whether it runs the prompt hook",
		Examples: []string{
			"dsh-ref hook status",
			"dsh-ref hook status codex",
			"dsh-ref hook status --json | jq -r 'select(.installed).agent'",
		},
		Flags: []urfave.Flag{
			projectFlag(),
			&urfave.BoolFlag{Name: "json", Usage: "print a JSON object a line"},
		},
		Action: runStatus,
	}.Main(sys)
}

func runStatus(c *cli.Call) error {
	which := setup.All
	switch c.NArg() {
	case 0:
	case 1:
		s, err := named(c.Args().First())
		if err != nil {
			return err
		}
		which = []setup.Setup{s}
	default:
		return cli.Usage("give one agent, or none for all")
	}
	env, project, err := where(c)
	if err != nil {
		return err
	}
	var rows []setup.Status
	var errs []error
	for _, s := range which {
		st, err := s.Status(env, project)
		rows = append(rows, st)
		if err != nil {
			errs = append(errs, err)
		}
	}
	if c.Bool("json") {
		for _, st := range rows {
			if _, err := c.Out.Write(append(statusJSON(st), '\n')); err != nil {
				return err
			}
		}
	} else if err := statusTable(c, rows); err != nil {
		return err
	}
	return errors.Join(errs...)
}

func statusJSON(st setup.Status) []byte {
	var w jstext.Writer
	w.BeginObject()
	texts := func(pairs ...[2]string) {
		for _, pair := range pairs {
			w.Key(pair[0])
			if pair[1] == "" {
				w.Null()
			} else {
				w.Text(pair[1])
			}
		}
	}
	texts([2]string{"agent", st.Agent}, [2]string{"program", st.Program}, [2]string{"version", st.Version}, [2]string{"file", st.File})
	w.Key("installed")
	w.Bool(st.Installed)
	w.Key("current")
	w.Bool(st.Current)
	texts([2]string{"command", st.Command}, [2]string{"trust", st.Trust}, [2]string{"off", st.Off}, [2]string{"passedOver", st.PassedOver})
	w.Key("edited")
	w.Bool(st.Edited)
	w.EndObject()
	return w.Bytes()
}

func statusTable(c *cli.Call, rows []setup.Status) error {
	t := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "AGENT\tVERSION\tHOOK\tFILE")
	for _, st := range rows {
		version := st.Version
		switch {
		case st.Program == "":
			version = "not found"
		case version == "":
			version = "found"
		}
		hook := "not installed"
		switch {
		case st.Edited:
			hook = "changed by hand"
		case st.Installed && !st.Current:
			hook = "not current: dsh-ref hook install " + st.Agent
		case st.Installed && st.PassedOver != "":
			hook = "passed over: the file " + st.PassedOver
		case st.Installed && st.Off != "":
			hook = "switched off by " + st.Off
		case st.Installed && st.Trust != "":
			hook = "not trusted: " + st.Trust
		case st.Installed:
			hook = "installed"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", st.Agent, version, hook, termtext.Line(st.File))
	}
	return t.Flush()
}
