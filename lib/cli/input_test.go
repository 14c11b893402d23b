package cli_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"

	urfave "github.com/urfave/cli/v2"
)

func TestInterruptibleReads(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 20_000) // over its own buffer
	for name, r := range map[string]io.Reader{
		"whole":           bytes.NewReader(content),
		"byte by byte":    iotest.OneByteReader(bytes.NewReader(content)),
		"error with data": iotest.DataErrReader(bytes.NewReader(content)),
	} {
		t.Run(name, func(t *testing.T) {
			if err := iotest.TestReader(cli.Interruptible(context.Background(), r, "x"), content); err != nil {
				t.Error(err)
			}
		})
	}
}

// A read that blocks must not keep a cancelled program.
func TestInterruptibleGivesUp(t *testing.T) {
	blocked, w := io.Pipe() // nobody ever writes
	defer w.Close()
	cause := &fault.Error{Kind: fault.Cancelled, Message: "no answer within 1ms"}
	timeout, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, cause)
	defer cancel()
	if _, err := cli.ReadAll(timeout, blocked, "<stdin>"); !errors.Is(err, cause) {
		t.Errorf("ReadAll: %v, want %v", err, cause)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	r := cli.Interruptible(done, strings.NewReader("x"), "<stdin>")
	for range 2 { // and it stays so
		if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("Read = %d, %v", n, err)
		}
	}
}

func TestReadFailure(t *testing.T) {
	r := io.MultiReader(strings.NewReader("data"), iotest.ErrReader(os.ErrPermission))
	b, err := cli.ReadAll(context.Background(), r, "<stdin>")
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Unexpected || f.Subject != "<stdin>" || !errors.Is(err, os.ErrPermission) || b != nil {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestJSONText(t *testing.T) {
	tests := []struct {
		arg, want string
		bad       bool
	}{
		{arg: `"a"`, want: "a"},
		{arg: ` "\ud800\u0000" `, want: "\xed\xa0\x80\x00"},
		{arg: `""`},
		{arg: `a`, bad: true},
		{arg: `1`, bad: true},
		{arg: ``, bad: true},
		{arg: "\"\xff\"", bad: true},
	}
	for _, tt := range tests {
		got := run(cli.Program{
			Name: "dsh-x", Flags: []urfave.Flag{&urfave.StringFlag{Name: "json-id"}},
			Action: func(c *cli.Call) error {
				s, err := c.JSONText("json-id")
				c.Out.WriteString(s)
				return err
			},
		}, "--json-id", tt.arg)
		if tt.bad != (got.status == cli.ExitUsage) || got.stdout != tt.want {
			t.Errorf("%q: %+v, want %q", tt.arg, got, tt.want)
		}
	}
}
