//go:build unix

package cli_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/cli"
)

// TestMain lets the test binary be a program on the real system.
func TestMain(m *testing.M) {
	role := roles[os.Getenv("CLI_TEST_ROLE")]
	if role == nil {
		os.Exit(m.Run())
	}
	os.Exit(cli.Program{Name: "dsh-x", Action: role}.Main(cli.OS()))
}

var roles = map[string]func(c *cli.Call) error{
	"print": func(c *cli.Call) error {
		_, err := c.Out.WriteString(strings.Repeat("x", 1<<20))
		return err
	},
	"wait": func(c *cli.Call) error {
		fmt.Fprintln(os.Stderr, "ready")
		<-c.Ctx().Done()
		return c.Ctx().Err()
	},
	"ignore": func(c *cli.Call) error {
		fmt.Fprintln(os.Stderr, "ready")
		<-c.Ctx().Done()
		fmt.Fprintln(os.Stderr, "heard")
		time.Sleep(time.Minute)
		return nil
	},
	"run": func(c *cli.Call) error {
		out, err := exec.Command("sh", "-c", "kill -PIPE $$; echo alive").Output()
		fmt.Fprintf(c.Out, "%s%v", out, err)
		return nil
	},
}

func play(role string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CLI_TEST_ROLE="+role)
	return cmd
}

func TestClosedPipeOfTheSystem(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := play("print")
	var errs strings.Builder
	cmd.Stdout, cmd.Stderr = w, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("%v, %q", err, errs.String())
	}
}

// Our children must die of a closed pipe as they always did.
func TestChildrenKeepSIGPIPE(t *testing.T) {
	out, err := play("run").Output()
	if got, want := string(out), "signal: broken pipe"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		lines, finish := start(t, "wait")
		expect(t, lines, "ready")
		finish.send(t, sig)
		expect(t, lines, "dsh-x: cancelled")
		var status *exec.ExitError
		if err := finish.wait(); !errors.As(err, &status) || status.ExitCode() != cli.ExitCancelled {
			t.Errorf("%v: %v, want exit %d", sig, err, cli.ExitCancelled)
		}
	}
}

func TestSecondSignal(t *testing.T) {
	lines, finish := start(t, "ignore")
	expect(t, lines, "ready")
	finish.send(t, syscall.SIGTERM)
	expect(t, lines, "heard")
	// The handler goes away in its own time: a signal that comes too soon is lost.
	for range 100 {
		finish.send(t, syscall.SIGTERM)
		time.Sleep(10 * time.Millisecond)
		if finish.done() {
			break
		}
	}
	var status *exec.ExitError
	if err := finish.wait(); !errors.As(err, &status) || status.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("%v, want death by SIGTERM", err)
	}
}

// child is a program under test that has been started.
type child struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error
}

func start(t *testing.T, role string) (*bufio.Scanner, *child) {
	t.Helper()
	cmd := play(role)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	c := &child{cmd: cmd, exited: make(chan struct{})}
	go func() {
		c.err = cmd.Wait()
		close(c.exited)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		r.Close()
	})
	return bufio.NewScanner(r), c
}

func (c *child) send(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

func (c *child) done() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

func (c *child) wait() error {
	<-c.exited
	return c.err
}

func expect(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	if !lines.Scan() || lines.Text() != want {
		t.Fatalf("got %q, %v; want %q", lines.Text(), lines.Err(), want)
	}
}
