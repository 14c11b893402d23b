package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
)

// result is what one run of a program left behind.
type result struct {
	status         int
	stdout, stderr string
}

func system(args ...string) *cli.System {
	return &cli.System{
		Args: append([]string{"dsh-x"}, args...), Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		Getenv: func(string) string { return "" }, Now: time.Now, Context: context.Background(),
	}
}

func run(p cli.Program, args ...string) result {
	var out, errs bytes.Buffer
	sys := system(args...)
	sys.Stdout, sys.Stderr = &out, &errs
	status := p.Main(sys)
	return result{status, out.String(), errs.String()}
}

// failing is a program that prints and then ends in err.
func failing(err error) cli.Program {
	return cli.Program{Name: "dsh-x", Usage: "[flags]", Summary: "Fail", Action: func(c *cli.Call) error {
		fmt.Fprintln(c.Out, "printed")
		return err
	}}
}

func TestExitStatus(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("while testing: %w", err) }
	of := func(k fault.Kind) error { return &fault.Error{Kind: k, Message: "broken"} }
	tests := []struct {
		name   string
		err    error
		status int
	}{
		{"nil", nil, cli.ExitDone},
		{"unknown", errors.New("broken"), cli.ExitFailed},
		{"unexpected", of(fault.Unexpected), cli.ExitFailed},
		{"usage", of(fault.Usage), cli.ExitUsage},
		{"usage helper", cli.Usage("bad %d", 1), cli.ExitUsage},
		{"reference", of(fault.Reference), cli.ExitReference},
		{"unreadable", of(fault.Unreadable), cli.ExitUnreadable},
		{"over budget", of(fault.OverBudget), cli.ExitOverBudget},
		{"unsupported", of(fault.Unsupported), cli.ExitUnsupported},
		{"damaged", of(fault.Damaged), cli.ExitDamaged},
		{"blocked", of(fault.Blocked), cli.ExitBlocked},
		{"cancelled", of(fault.Cancelled), cli.ExitCancelled},
		{"context", context.Canceled, cli.ExitCancelled},
		{"deadline", wrap(context.DeadlineExceeded), cli.ExitCancelled},
		{"wrapped", wrap(of(fault.Damaged)), cli.ExitDamaged},
		{"joined", errors.Join(of(fault.Unreadable), of(fault.Damaged)), cli.ExitUnreadable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cli.ExitStatus(tt.err); got != tt.status {
				t.Errorf("ExitStatus = %d, want %d", got, tt.status)
			}
			got := run(failing(tt.err))
			if got.status != tt.status || got.stdout != "printed\n" || (got.stderr == "") != (tt.err == nil) {
				t.Errorf("Main left %+v, want status %d", got, tt.status)
			}
		})
	}
	numbers := []int{
		cli.ExitDone, cli.ExitFailed, cli.ExitUsage, cli.ExitReference, cli.ExitUnreadable, cli.ExitOverBudget,
		cli.ExitUnsupported, cli.ExitDamaged, cli.ExitBlocked, cli.ExitCancelled,
	}
	if got, want := fmt.Sprint(numbers), "[0 1 2 3 4 5 6 7 8 130]"; got != want {
		t.Errorf("the table is %s, want %s", got, want)
	}
}

func TestReport(t *testing.T) {
	reference := &fault.Error{
		Kind: fault.Reference, Code: fault.InvalidReference, Subject: `reference "x"`, Message: "not a URI",
		Err: errors.New("cause"), Hint: "type\nsomething",
	}
	tests := []struct {
		name       string
		err        error
		text, json string
	}{
		{
			"hint", reference,
			"dsh-x: reference \"x\": not a URI: cause\ndsh-x: hint: type; something\n",
			`{"error":{"code":"SESSION_REFERENCE_INVALID_REFERENCE","message":"reference \"x\": not a URI: cause","hint":"type; something"}}` + "\n",
		},
		{
			"wrapped", fmt.Errorf("<stdin>:2: %w", &fault.Error{Code: fault.ReadFailed, Message: "broken"}),
			"dsh-x: <stdin>:2: broken\n",
			`{"error":{"code":"SESSION_REFERENCE_READ_FAILED","message":"<stdin>:2: broken"}}` + "\n",
		},
		{
			"several", errors.Join(errors.New("one"), errors.New("two")),
			"dsh-x: one\ndsh-x: two\n",
			`{"error":{"code":"FAILED","message":"one"}}` + "\n" + `{"error":{"code":"FAILED","message":"two"}}` + "\n",
		},
		{
			"hostile", errors.New("\n a\x1b[2J\u202eb\nc\xff\r\n"),
			`dsh-x: a\x1b[2J\u202eb; c\xff` + "\n",
			`{"error":{"code":"FAILED","message":"a\\x1b[2J\\u202eb; c\\xff"}}` + "\n",
		},
		{
			"cancelled", fmt.Errorf("reading: %w", context.Canceled),
			"dsh-x: cancelled\n",
			`{"error":{"code":"SESSION_REFERENCE_CANCELLED","message":"cancelled"}}` + "\n",
		},
		{
			"timed out", context.DeadlineExceeded,
			"dsh-x: timed out\n",
			`{"error":{"code":"SESSION_REFERENCE_CANCELLED","message":"timed out"}}` + "\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(failing(tt.err)).stderr; got != tt.text {
				t.Errorf("got %q\nwant %q", got, tt.text)
			}
			if got := run(failing(tt.err), "--json-errors").stderr; got != tt.json {
				t.Errorf("got %q\nwant %q", got, tt.json)
			}
		})
	}
}

func TestNote(t *testing.T) {
	got := run(cli.Program{Name: "dsh-x", Action: func(c *cli.Call) error {
		c.Note("two\nlines of %q\x07", "x")
		return nil
	}})
	if want := `dsh-x: note: two; lines of "x"\x07` + "\n"; got.stderr != want || got.stdout != "" {
		t.Errorf("got %+v, want %q", got, want)
	}
}

// failWriter takes some bytes and then fails.
type failWriter struct {
	room int
	err  error
}

func (w *failWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	w.room -= n
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

func TestStdoutThatFails(t *testing.T) {
	reference := &fault.Error{Kind: fault.Reference, Message: "broken"}
	tests := []struct {
		name   string
		size   int
		room   int
		write  error
		action error
		status int
		stderr string
	}{
		{"full at the last flush", 10, 0, syscall.ENOSPC, nil, 1, "dsh-x: write <stdout>: no space left on device\n"},
		{"full on the way", 1 << 20, 70_000, syscall.ENOSPC, nil, 1, "dsh-x: write <stdout>: no space left on device\n"},
		{"closed pipe at the last flush", 10, 0, syscall.EPIPE, nil, 0, ""},
		{"closed pipe on the way", 1 << 20, 70_000, syscall.EPIPE, nil, 0, ""},
		{"full after another failure", 10, 0, syscall.ENOSPC, reference, 3, "dsh-x: broken\n"},
		{"closed pipe after another failure", 10, 0, syscall.EPIPE, reference, 3, "dsh-x: broken\n"},
		{"closed pipe of something else", 10, 10, nil, fmt.Errorf("write hook: %w", syscall.EPIPE), 1, "dsh-x: write hook: broken pipe\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var errs bytes.Buffer
			sys := system()
			sys.Stdout, sys.Stderr = &failWriter{tt.room, tt.write}, &errs
			status := cli.Program{Name: "dsh-x", Action: func(c *cli.Call) error {
				if _, err := c.Out.Write(make([]byte, tt.size)); err != nil {
					return err
				}
				return tt.action
			}}.Main(sys)
			if status != tt.status || errs.String() != tt.stderr {
				t.Errorf("status %d, %q; want %d, %q", status, errs.String(), tt.status, tt.stderr)
			}
		})
	}
}

// echo prints its flags and operands, at the top and in its command.
func echo() cli.Program {
	show := func(c *cli.Call) error {
		_, err := fmt.Fprintf(c.Out, "%s %q %q\n", c.String("one"), c.StringSlice("many"), c.Args().Slice())
		return err
	}
	flags := []urfave.Flag{
		&urfave.StringFlag{Name: "one", Usage: "keep `THING`", Value: "x"},
		&urfave.StringSliceFlag{Name: "many", Usage: "one of many"},
		&urfave.IntFlag{Name: "n", Usage: "a number"},
		&urfave.BoolFlag{Name: "loud", Usage: "louder"},
	}
	return cli.Program{
		Name: "dsh-x", Usage: "[flags] [ARG…]", Summary: "Echo",
		Examples: []string{"dsh-x a", "dsh-x b", "dsh-x c"},
		Flags:    flags,
		Commands: []*urfave.Command{{Name: "sub", Usage: "Echo below", ArgsUsage: "[ARG…]", Flags: flags, Action: cli.Action(show)}},
		Action:   show,
	}
}

func TestFlags(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"default", nil, `x [] []`},
		{"the last of two wins", []string{"--one", "1", "--one=2"}, `2 [] []`},
		{"values are not split", []string{"--many", "a,b", "--many", "c"}, `x ["a,b" "c"] []`},
		{"-- ends flags", []string{"--", "--one", "--help"}, `x [] ["--one" "--help"]`},
		{"the name of a flag as an operand", []string{"one"}, `x [] ["one"]`},
		{"command", []string{"sub", "--one", "1", "a", "b"}, `1 [] ["a" "b"]`},
		{"-- in a command", []string{"sub", "--", "--one"}, `x [] ["--one"]`},
		{"help is no command", []string{"help"}, `x [] ["help"]`},
		{"nor is it below a command", []string{"sub", "help"}, `x [] ["help"]`},
		{"a word that looks like the JSON flag", []string{"json-errors"}, `x [] ["json-errors"]`},
	}
	p := echo() // one value: a program may be run again and again
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(p, tt.args...); got.stdout != tt.want+"\n" || got.stderr != "" || got.status != 0 {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
		})
	}
}

// A flag behind an operand is an operand, and said to be one.
func TestFlagsBehindOperands(t *testing.T) {
	for _, tt := range []struct{ args, stray, stdout string }{
		{"a --one 1", "--one", `x [] ["a" "--one" "1"]`},
		{"--one 1 a -one=2", "-one=2", `1 [] ["a" "-one=2"]`},
		{"a b -n", "-n", `x [] ["a" "b" "-n"]`},
		{"a --json-errors", "--json-errors", `x [] ["a" "--json-errors"]`},
		{"-- a --one", "", `x [] ["a" "--one"]`},
		{"a --frob - -- x", "", `x [] ["a" "--frob" "-" "--" "x"]`},
		{"sub --one 1 a", "", `1 [] ["a"]`},
		{"sub a --loud", "--loud", `x [] ["a" "--loud"]`},
		{"sub -- a --loud", "", `x [] ["a" "--loud"]`},
	} {
		want := result{stdout: tt.stdout + "\n"}
		if tt.stray != "" {
			want.stderr = fmt.Sprintf("dsh-x: note: %q is an operand here: flags come before operands\n", tt.stray)
		}
		if got := run(echo(), strings.Fields(tt.args)...); got != want {
			t.Errorf("%s: got %+v, want %+v", tt.args, got, want)
		}
	}
}

func TestBadFlags(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"unknown", []string{"--frob"}, "flag provided but not defined: --frob"},
		{"unknown, short", []string{"-q"}, "flag provided but not defined: -q"},
		{"unknown, hostile", []string{"--\x1b[2J"}, `flag provided but not defined: --\x1b[2J`},
		{"below a command", []string{"sub", "--frob", "a"}, "flag provided but not defined: --frob"},
		{"no value", []string{"--one"}, "flag needs an argument: --one"},
		{"not a number", []string{"-n", "many: -n:"}, `invalid value "many: -n:" for flag -n: parse error`},
		{"not a boolean", []string{"--loud=maybe"}, `invalid boolean value "maybe" for --loud: parse error`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(echo(), tt.args...)
			if want := "dsh-x: " + tt.want + "\ndsh-x: hint: dsh-x --help\n"; got.status != 2 || got.stdout != "" || got.stderr != want {
				t.Errorf("got %+v\nwant %q", got, want)
			}
			for _, flag := range []string{"--json-errors", "-json-errors", "--json-errors=true"} {
				got = run(echo(), append([]string{flag}, tt.args...)...)
				if got.status != 2 || got.stdout != "" || !strings.HasPrefix(got.stderr, `{"error":{"code":"USAGE","message":"`) {
					t.Errorf("with %s: %+v", flag, got)
				}
			}
		})
	}
	if got := run(echo(), "--frob", "--", "--json-errors"); !strings.HasPrefix(got.stderr, "dsh-x: ") {
		t.Errorf("an operand was taken for a flag: %+v", got)
	}
	if got := run(failing(errors.New("broken")), "--", "--json-errors"); got.stderr != "dsh-x: broken\n" {
		t.Errorf("an operand was taken for a flag: %+v", got)
	}
}

func TestCommands(t *testing.T) {
	p := echo()
	p.Action = nil
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"none":    {nil, "no command: give one of sub"},
		"unknown": {[]string{"\x1b"}, `no command "\x1b": give one of sub`},
	} {
		if got, want := run(p, tt.args...), "dsh-x: "+tt.want+"\ndsh-x: hint: dsh-x --help\n"; got.status != 2 || got.stdout != "" || got.stderr != want {
			t.Errorf("%s: got %+v, want %q", name, got, want)
		}
	}
	if got := run(p, "--json-errors", "sub", "a"); got.stdout != "x [] [\"a\"]\n" {
		t.Errorf("a common flag before the command: %+v", got)
	}
}

const wantHelp = `usage: dsh-x [flags] [ARG…]

  dsh-x a
  dsh-x b
  dsh-x c

Echo.

commands:
  sub  Echo below

flags:
  --one THING    keep THING (default "x")
  --many VALUE   one of many
  -n VALUE       a number
  --loud         louder
  --json-errors  report failures as JSON on standard error
  --help, -h     show this help
  --version      print the version, the commit and the version of Go
`

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"--help", "topic"}, {"--help", "sub"}, {"--version", "--help"}} {
		if got := run(echo(), args...); got.status != 0 || got.stderr != "" || got.stdout != wantHelp {
			t.Errorf("%q: %d, %q\n%s", args, got.status, got.stderr, got.stdout)
		}
	}
	got := run(echo(), "sub", "--help", "x")
	if got.status != 0 || !strings.HasPrefix(got.stdout, "usage: dsh-x sub [flags] [ARG…]\n\nEcho below.\n\nflags:\n  --one THING ") {
		t.Errorf("of a command: %+v", got)
	}
}

func TestVersion(t *testing.T) {
	got := run(echo(), "--version")
	if want := "dsh-x " + cli.Version() + "\n"; got.status != 0 || got.stdout != want || got.stderr != "" {
		t.Errorf("got %+v, want %q", got, want)
	}
}
