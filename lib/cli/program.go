package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
)

// Program describes one of the five programs.
type Program struct {
	Name     string
	Usage    string   // its use in one line, without the name: "[flags] ID|FILE|-"
	Summary  string   // what it does, one line
	Examples []string // three shell lines
	Flags    []cli.Flag
	Commands []*cli.Command // actions made by Action
	Other    []Listed       // commands that are programs of their own, for the help
	Action   func(*Call) error
}

// Listed is a command in the help of a program.
type Listed struct{ Name, Usage string }

// Call is one run of a program's action.
type Call struct {
	*cli.Context
	Sys  *System
	Out  *bufio.Writer // standard output; flushed and checked at the end
	name string
}

// Ctx is done when the run is cancelled.
func (c *Call) Ctx() context.Context { return c.Context.Context }

type callKey struct{}

// Action adapts an action for a subcommand of a Program.
func Action(f func(*Call) error) cli.ActionFunc {
	return func(cc *cli.Context) error {
		call := *cc.Context.Value(callKey{}).(*Call)
		call.Context = cc
		return f(&call)
	}
}

// errAnswered ends a run that --help or --version has answered.
var errAnswered = errors.New("answered")

// run is the state of one Main.
type run struct {
	Program
	call       *Call
	jsonErrors bool
}

// Main runs the program and returns its exit status. All output has been written.
func (p Program) Main(sys *System) int {
	out := bufio.NewWriterSize(stdout{sys.Stdout}, 64<<10)
	r := &run{Program: p, call: &Call{Sys: sys, Out: out, name: p.Name}}
	err := r.app().RunContext(context.WithValue(sys.Context, callKey{}, r.call), sys.Args)
	if errors.Is(err, errAnswered) {
		err = nil
	}
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	if closedPipe(err) {
		return ExitDone
	}
	if err != nil {
		report(sys.Stderr, p.Name, err, r.jsonErrors)
	}
	return ExitStatus(err)
}

// stdout marks the errors of standard output, wherever the write came from.
type stdout struct{ io.Writer }

func (w stdout) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = &stdoutError{err}
	}
	return n, err
}

type stdoutError struct{ err error }

func (e *stdoutError) Error() string {
	err := e.err
	var path *fs.PathError // it would say /dev/stdout
	if errors.As(err, &path) {
		err = path.Err
	}
	return "write <stdout>: " + err.Error()
}

func (e *stdoutError) Unwrap() error { return e.err }

// closedPipe reports whether the reader of standard output has gone away. A
// closed pipe anywhere else, to a program that we run say, is a failure.
func closedPipe(err error) bool {
	var out *stdoutError
	return errors.As(err, &out) && errors.Is(out, syscall.EPIPE)
}

// app sets urfave/cli up so that it suits a pipe: usage errors never print to
// standard output, nothing exits inside Run, values are not split at commas, and
// help is ours (urfave's takes an operand for a topic). Commands are copied,
// because urfave writes into them and a Program may be run twice.
func (r *run) app() *cli.App {
	app := &cli.App{
		Name: r.Name, Usage: r.Summary,
		Reader: r.call.Sys.Stdin, Writer: r.call.Out, ErrWriter: r.call.Sys.Stderr,
		ExitErrHandler: func(*cli.Context, error) {}, OnUsageError: r.badFlags,
		DisableSliceFlagSeparator: true, HideHelp: true, HideVersion: true,
		Flags: append(slices.Clone(r.Flags), commonFlags(true)...),
	}
	for _, c := range r.Commands {
		c := *c
		c.OnUsageError, c.HideHelp = r.badFlags, true
		c.Flags = append(slices.Clone(c.Flags), commonFlags(false)...)
		c.Before = func(cc *cli.Context) error {
			if err := r.before(cc, func() { commandHelp(r.call.Out, r.Name, &c) }); err != nil {
				return err
			}
			r.strayFlags(cc, c.Flags)
			return nil
		}
		app.Commands = append(app.Commands, &c)
	}
	app.Before = func(cc *cli.Context) error {
		return r.before(cc, func() { programHelp(r.call.Out, r.Program, app.Flags) })
	}
	app.Action = func(cc *cli.Context) error {
		r.call.Context = cc
		if r.Action == nil {
			return usageError(r.Name, unknownCommand(cc, r.Commands))
		}
		r.strayFlags(cc, app.Flags)
		return r.Action(r.call)
	}
	return app
}

// before runs when a level's flags have been parsed: the program's, then the
// command's.
func (r *run) before(cc *cli.Context, help func()) error {
	r.jsonErrors = r.jsonErrors || cc.Bool("json-errors")
	switch {
	case cc.Bool("help"):
		help()
	case cc.Bool("version"):
		fmt.Fprintln(r.call.Out, r.Name, Version())
	default:
		return nil
	}
	return errAnswered
}

// strayFlags says where a flag of the command stands behind an operand. It is an
// operand there, as it has to be for texts and ids, but hardly ever meant to be.
func (r *run) strayFlags(cc *cli.Context, flags []cli.Flag) {
	argv, operands := r.call.Sys.Args, cc.Args().Slice()
	if n := len(argv) - len(operands); n > 0 && argv[n-1] == "--" {
		return
	}
	for _, arg := range operands {
		name, dashed := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
		known := func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }
		if dashed && slices.ContainsFunc(flags, known) {
			r.call.Note("%q is an operand here: flags come before operands", arg)
			return
		}
	}
}

// badFlags is called instead of before where flags cannot be parsed.
func (r *run) badFlags(_ *cli.Context, err error, _ bool) error {
	r.jsonErrors = r.jsonErrors || wantsJSONErrors(r.call.Sys.Args)
	return usageError(r.Name, err)
}

// wantsJSONErrors looks at the bare arguments, so that a failure to parse flags
// is reported in the form that was asked for.
func wantsJSONErrors(args []string) bool {
	for _, a := range args[min(1, len(args)):] {
		switch a {
		case "--json-errors", "-json-errors", "--json-errors=true", "-json-errors=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

func unknownCommand(cc *cli.Context, cmds []*cli.Command) error {
	names := make([]string, len(cmds))
	for i, c := range cmds {
		names[i] = c.Name
	}
	if cc.NArg() == 0 {
		return fmt.Errorf("no command: give one of %s", strings.Join(names, ", "))
	}
	return fmt.Errorf("no command %q: give one of %s", cc.Args().First(), strings.Join(names, ", "))
}

func commonFlags(root bool) []cli.Flag {
	flags := []cli.Flag{
		&cli.BoolFlag{Name: "json-errors", Usage: "report failures as JSON on standard error"},
		&cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show this help"},
	}
	if root {
		flags = append(flags, &cli.BoolFlag{Name: "version", Usage: "print the version, the commit and the version of Go"})
	}
	return flags
}

// urfave's own help flag would run its help command.
func init() { cli.HelpFlag = nil }
