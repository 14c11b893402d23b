package ref

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/host/known"
	"github.com/dsh-toolkit/dsh/lib/host/setup"
	"github.com/dsh-toolkit/dsh/lib/reference"
)

// actions is what can be done with the hook of an agent.
var actions = map[string]func(*cli.System) int{
	"install": installMain, "remove": removeMain, "status": statusMain,
}

func projectFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "project", Usage: "the configuration of the project in `DIR`, not your own"}
}

func dryRunFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "dry-run", Usage: "print what would change as a diff, and change nothing"}
}

// installMain is "dsh-ref hook install AGENT".
func installMain(sys *cli.System) int {
	return cli.Program{
		Name: "dsh-ref", Usage: "hook install [flags] " + strings.Join(known.Names(), "|"),
		Summary: "Put the prompt hook into an agent's configuration; the flags of hook are kept in its command",
		Examples: []string{
			"dsh-ref hook install claude",
			"dsh-ref hook install codex --dry-run",
			"dsh-ref hook install gemini --project . --max-bytes 20000",
		},
		Flags: append([]urfave.Flag{projectFlag(), dryRunFlag()}, hookFlags()...),
		Action: func(c *cli.Call) error {
			options, err := hookOptions(c)
			if err != nil {
				return err
			}
			return edit(c, func(s setup.Setup, env setup.Env, project string) (*setup.Change, error) {
				return s.Install(env, project, options)
			}, "installed in")
		},
	}.Main(sys)
}

// removeMain is "dsh-ref hook remove AGENT".
func removeMain(sys *cli.System) int {
	return cli.Program{
		Name: "dsh-ref", Usage: "hook remove [flags] " + strings.Join(known.Names(), "|"),
		Summary: "Take the prompt hook out of an agent's configuration, and leave that as it would be without",
		Examples: []string{
			"dsh-ref hook remove claude",
			"dsh-ref hook remove codex --dry-run",
			"dsh-ref hook remove gemini --project .",
		},
		Flags: []urfave.Flag{projectFlag(), dryRunFlag()},
		Action: func(c *cli.Call) error {
			return edit(c, setup.Setup.Remove, "removed from")
		},
	}.Main(sys)
}

// edit does one change and says so on standard error; with --dry-run it is printed.
func edit(c *cli.Call, plan func(setup.Setup, setup.Env, string) (*setup.Change, error), done string) error {
	name, err := agent(c)
	if err != nil {
		return err
	}
	s, err := named(name)
	if err != nil {
		return err
	}
	env, project, err := where(c)
	if err != nil {
		return err
	}
	change, err := plan(s, env, project)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		_, err := c.Out.Write(change.Diff())
		return err
	}
	nothing := change.Nothing()
	if err := change.Make(); err != nil {
		return err
	}
	if nothing {
		c.Note("nothing to change in %s", change.Path)
		if left := change.Left(); left != "" {
			c.Note("%s is left: it is what the file was before", left)
		}
		return nil
	}
	c.Note("%s %s", done, change.Path)
	if kept := change.Kept(); kept != "" {
		c.Note("the entry had changes of yours: the file as it was is %s", kept)
	}
	if st, err := s.Status(env, project); err == nil && st.Trust != "" {
		c.Note("%s runs it once you trust it: %s", s.Agent, st.Trust)
	}
	return nil
}

func named(name string) (setup.Setup, error) {
	s, ok := setup.Named(name)
	if !ok {
		return s, noAgent(name)
	}
	return s, nil
}

// where is whose configuration is meant: the environment's, and that of a project where
// project is not empty.
func where(c *cli.Call) (env setup.Env, project string, err error) {
	if project, err = projectDir(c); err != nil {
		return env, "", err
	}
	env, err = setupEnv(c)
	return env, project, err
}

// projectDir is --project as an absolute path, which must be a folder.
func projectDir(c *cli.Call) (string, error) {
	dir := c.String("project")
	if !c.IsSet("project") {
		return "", nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", cli.Usage("--project %q: not a folder", dir)
	}
	return filepath.Abs(dir)
}

// setupEnv finds the path by which agents run this program: the one that a shell
// finds, where that is this program, because it outlives an update.
func setupEnv(c *cli.Call) (setup.Env, error) {
	env := setup.Env{Getenv: c.Sys.Getenv, Home: c.Sys.Home()}
	if c.Sys.Executable == nil {
		return env, nil
	}
	self, err := c.Sys.Executable()
	if err != nil {
		return env, &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Message: "cannot find this program's own file", Err: err}
	}
	env.Program = self
	if found := setup.LookPath(c.Sys.Getenv, "dsh-ref"); found != "" {
		a, errA := os.Stat(found)
		b, errB := os.Stat(self)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			env.Program = found
			return env, nil
		}
	}
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		return env, &fault.Error{
			Kind: fault.Usage, Code: fault.InvalidConfig, Message: "this program is not installed: its file goes away when it ends",
			Hint: "go install ./cmd/...",
		}
	}
	return env, nil
}

// hookOptions is the flags of hook that were given, checked as hook itself will.
func hookOptions(c *cli.Call) (o setup.Options, err error) {
	if _, err := passes(c); err != nil {
		return o, err
	}
	if n := c.Int("max-refs"); n < 1 || n > reference.HardMaxReferences {
		return o, cli.Usage("--max-refs %d: not 1 to %d", n, reference.HardMaxReferences)
	}
	if n := c.Int("max-bytes"); n < 1 {
		return o, cli.Usage("--max-bytes %d: not a size", n)
	}
	d, err := parseTimeout(c.String("timeout"))
	if err != nil {
		return o, err
	}
	// The agent must wait longer than the hook: a prompt goes on without a hook that is
	// late. 10 seconds are what the program needs at most to start on a busy machine.
	o.Seconds = int(d.Seconds()) + 10
	for _, spec := range c.StringSlice("store") {
		o.Flags = append(o.Flags, "--store", spec)
	}
	for _, name := range []string{"max-refs", "max-bytes"} {
		if c.IsSet(name) {
			o.Flags = append(o.Flags, "--"+name, strconv.Itoa(c.Int(name)))
		}
	}
	for _, name := range []string{"timeout", "on-error"} {
		if c.IsSet(name) {
			o.Flags = append(o.Flags, "--"+name, c.String(name))
		}
	}
	return o, nil
}
