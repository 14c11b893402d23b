package tui

import (
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
)

// draw runs a model on a terminal until it ends, and leaves the terminal as it was.
func draw(c *cli.Call, m tea.Model, in io.Reader, out io.Writer) error {
	profile := colorprofile.ANSI // no style needs more, and nobody has to be asked
	if !c.Sys.Color(true) {
		profile = colorprofile.Ascii
	}
	_, err := tea.NewProgram(m,
		tea.WithContext(c.Ctx()), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environment(c.Sys)),
		tea.WithColorProfile(profile), tea.WithoutSignalHandler(), tea.WithFPS(120), // a key is seen within 8 ms
	).Run()
	switch {
	case c.Ctx().Err() != nil:
		return c.Ctx().Err()
	case errors.Is(err, tea.ErrProgramPanic):
		return &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Message: "it has failed inside; what stands above says where"}
	}
	return err
}

// environment is what the library may know: what kind of terminal this is.
func environment(sys *cli.System) []string {
	var env []string
	for _, name := range []string{
		"TERM", "TERM_PROGRAM", "COLORTERM", "NO_COLOR", "COLUMNS", "LINES", "SSH_TTY", "WT_SESSION", "TMUX", "STY",
	} {
		if v := sys.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}
