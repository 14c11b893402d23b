package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"
)

// programHelp opens with one line of use and three examples (CLI.md).
func programHelp(w io.Writer, p Program, flags []cli.Flag) {
	fmt.Fprintf(w, "usage: %s %s\n\n", p.Name, p.Usage)
	for _, e := range p.Examples {
		fmt.Fprintf(w, "  %s\n", e)
	}
	fmt.Fprintf(w, "\n%s.\n", p.Summary)
	listed := p.Other
	for _, c := range p.Commands {
		listed = append(listed, Listed{c.Name, c.Usage})
	}
	if len(listed) > 0 {
		fmt.Fprint(w, "\ncommands:\n")
		t := table(w)
		for _, c := range listed {
			fmt.Fprintf(t, "  %s\t%s\n", c.Name, c.Usage)
		}
		t.Flush()
	}
	flagHelp(w, flags)
}

func commandHelp(w io.Writer, program string, c *cli.Command) {
	fmt.Fprintf(w, "usage: %s %s [flags] %s\n\n%s.\n", program, c.Name, c.ArgsUsage, c.Usage)
	flagHelp(w, c.Flags)
}

func flagHelp(w io.Writer, flags []cli.Flag) {
	fmt.Fprint(w, "\nflags:\n")
	t := table(w)
	for _, f := range flags {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		placeholder, usage := unquoteUsage(doc.GetUsage())
		names := make([]string, 0, 2)
		for _, n := range f.Names() {
			names = append(names, dashes(n)+n)
		}
		name := strings.Join(names, ", ")
		if doc.TakesValue() {
			name += " " + placeholder
			if d := doc.GetDefaultText(); d != "" && d != "0" {
				usage += " (default " + d + ")"
			}
		}
		fmt.Fprintf(t, "  %s\t%s\n", name, usage)
	}
	t.Flush()
}

func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

func dashes(name string) string {
	if len(name) == 1 {
		return "-"
	}
	return "--"
}

// unquoteUsage takes what stands in backquotes in a usage text as the name of the
// flag's value.
func unquoteUsage(usage string) (placeholder, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	name, after, closed := strings.Cut(rest, "`")
	if !ok || !closed {
		return "VALUE", usage
	}
	return name, before + name + after
}
