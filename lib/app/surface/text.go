package surface

import (
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// writeText prints the conversation to be read: a title, a cwd, and each message
// under a heading. On a terminal nothing in it reaches the screen raw.
func writeText(c *cli.Call, reading *store.Reading) error {
	line, block := jstext.ToUTF8, jstext.ToUTF8
	if c.Sys.StdoutTTY {
		line = func(s string) string { return termtext.Line(jstext.ToUTF8(s)) }
		block = termtext.Block
	}
	p := reference.Project(reading.Surface)
	title := reading.Surface.Header.ID
	if t := reading.Surface.Title; t != nil && *t != "" {
		title = *t
	}
	fmt.Fprintln(c.Out, line(title))
	if cwd := reading.Surface.Header.Cwd; cwd != nil {
		fmt.Fprintln(c.Out, line(*cwd))
	}
	for _, item := range p.Conversation {
		heading := item.Role
		if item.Checkpoint {
			heading += " (checkpoint)"
		}
		if _, err := fmt.Fprintf(c.Out, "\n## %s\n%s\n", heading, block(item.Text)); err != nil {
			return err
		}
	}
	return nil
}
