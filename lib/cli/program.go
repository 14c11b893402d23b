package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// Program describes one of the five programs.
type Program struct {
	Name     string
	Usage    string   // its use in one line, without the name: "[flags] ID|FILE|-"
	Summary  string   // what it does, one line
	Examples []string // three shell lines
	Flags    []cli.Flag
	Commands []*cli.Command // actions made by Action
	Action   func(*Call) error
}

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

// Main runs the program and returns its exit status. All output has been written.
func (p Program) Main(sys *System) int {
	call := &Call{Sys: sys, Out: bufio.NewWriterSize(sys.Stdout, 64<<10), name: p.Name}
	err := p.app(call).RunContext(context.WithValue(sys.Context, callKey{}, call), sys.Args)
	if flushErr := call.Out.Flush(); err == nil && flushErr != nil {
		err = fmt.Errorf("write <stdout>: %w", flushErr)
	}
	if closedPipe(err) {
		return ExitDone
	}
	if err != nil {
		report(sys.Stderr, p.Name, err, wantsJSONErrors(sys.Args))
	}
	return ExitStatus(err)
}

// closedPipe reports whether the reader of standard output has gone away. Only
// bufio and os write errors carry EPIPE; no other descriptor of ours is a pipe
// that a failure could come from without being wrapped in a *fault.Error.
func closedPipe(err error) bool {
	var f *fault.Error
	return errors.Is(err, syscall.EPIPE) && !errors.As(err, &f)
}

// app sets urfave/cli up so that it suits a pipe: usage errors never print to
// standard output, nothing exits inside Run, values are not split at commas.
func (p Program) app(call *Call) *cli.App {
	usage := func(_ *cli.Context, err error, _ bool) error { return usageError(p.Name, err) }
	app := &cli.App{
		Name: p.Name, Usage: p.Summary, UsageText: p.Name + " " + p.Usage,
		CustomAppHelpTemplate: help(p), Version: Version(),
		Reader: call.Sys.Stdin, Writer: call.Out, ErrWriter: call.Sys.Stderr,
		ExitErrHandler: func(*cli.Context, error) {}, OnUsageError: usage,
		DisableSliceFlagSeparator: true, HideHelpCommand: true,
		Flags: append(slices.Clone(p.Flags), jsonErrorsFlag()), Commands: p.Commands,
	}
	for _, c := range app.Commands {
		c.OnUsageError = usage
		c.HideHelpCommand = true
		c.Flags = append(slices.Clone(c.Flags), jsonErrorsFlag())
		c.CustomHelpTemplate = commandHelp
	}
	app.Action = func(cc *cli.Context) error {
		call.Context = cc
		if p.Action == nil {
			return usageError(p.Name, unknownCommand(cc, app.Commands))
		}
		return p.Action(call)
	}
	return app
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

func jsonErrorsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json-errors", Usage: "report failures as JSON on standard error"}
}

// wantsJSONErrors looks at the bare arguments, so that a failure to parse flags
// is reported in the form that was asked for.
func wantsJSONErrors(args []string) bool {
	for _, a := range args[min(1, len(args)):] {
		switch strings.TrimPrefix(a, "-") {
		case "-json-errors", "json-errors", "-json-errors=true":
			return true
		case "-":
			return false
		}
	}
	return false
}

func init() {
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print the version", DisableDefaultText: true}
	cli.HelpFlag = &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show this help", DisableDefaultText: true}
	cli.VersionPrinter = func(cc *cli.Context) { fmt.Fprintln(cc.App.Writer, cc.App.Name, cc.App.Version) }
}

func help(p Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s %s\n\n", p.Name, p.Usage)
	for _, e := range p.Examples {
		fmt.Fprintf(&b, "  %s\n", e)
	}
	fmt.Fprintf(&b, "\n%s.\n", p.Summary)
	return escapeTemplate(b.String()) + `{{if .VisibleCommands}}
commands:{{range .VisibleCommands}}
  {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}
{{end}}{{if .VisibleFlags}}
flags:
  {{range $i, $f := .VisibleFlags}}{{if $i}}
  {{end}}{{$f}}{{end}}
{{end}}`
}

const commandHelp = `usage: {{.HelpName}}{{if .VisibleFlags}} [flags]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}

{{.Usage}}.
{{if .VisibleFlags}}
flags:
  {{range $i, $f := .VisibleFlags}}{{if $i}}
  {{end}}{{$f}}{{end}}
{{end}}`

func escapeTemplate(s string) string { return strings.ReplaceAll(s, "{{", `{{"{{"}}`) }

// ReadAll reads an input whole; name is what errors call it.
func ReadAll(ctx context.Context, r io.Reader, name string) ([]byte, error) {
	type result struct {
		b   []byte
		err error
	}
	done := make(chan result, 1) // buffered: a read that outlives the caller can end
	go func() {
		b, err := io.ReadAll(r)
		done <- result{b, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case res := <-done:
		if res.err != nil {
			return nil, &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: name, Message: "cannot read", Err: res.err}
		}
		return res.b, nil
	}
}
