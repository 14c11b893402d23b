package cmd_test

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// run is what one run of a program left behind.
type run struct {
	status         int
	stdout, stderr string
}

func runProgram(name string, args ...string) run {
	var out bytes.Buffer
	r := runInto(&out, name, args...)
	r.stdout = out.String()
	return r
}

func runInto(stdout io.Writer, name string, args ...string) run {
	var errs bytes.Buffer
	status := programs[name](&cli.System{
		Args: append([]string{name}, args...), Stdin: strings.NewReader(""), Stdout: stdout, Stderr: &errs,
		Getenv: func(string) string { return "" }, Now: time.Now, Context: context.Background(), Columns: 80,
	})
	return run{status: status, stderr: errs.String()}
}

// eachProgram runs f for every program: what they share has one test.
func eachProgram(t *testing.T, f func(t *testing.T, name string)) {
	for name := range programs {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

// Standard error is lines that begin with the program's name.
func wantVoice(t *testing.T, name, stderr string) {
	t.Helper()
	text, ok := strings.CutSuffix(stderr, "\n")
	if !ok || strings.HasSuffix(text, "\n") {
		t.Errorf("%q does not end in one newline", stderr)
	}
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, name+": ") || strings.HasSuffix(line, ".") {
			t.Errorf("%q is not how %s speaks", line, name)
		}
	}
}

func TestBadFlagsAreUsage(t *testing.T) {
	eachProgram(t, func(t *testing.T, name string) {
		got := runProgram(name, "--no-such-flag")
		if got.status != 2 || got.stdout != "" || !strings.Contains(got.stderr, "--no-such-flag\n") {
			t.Errorf("got %+v", got)
		}
		wantVoice(t, name, got.stderr)
		got = runProgram(name, "--json-errors", "--no-such-flag")
		v, err := jstext.Parse(got.stderr)
		if err != nil || !v.Get("error", "code").Is("USAGE") || !v.Get("error", "message").Exists() {
			t.Errorf("as JSON: %+v, %v", got, err)
		}
		if got.status != 2 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("as JSON: %+v", got)
		}
	})
}

// Help opens with one line of use and three examples.
func TestHelp(t *testing.T) {
	eachProgram(t, func(t *testing.T, name string) {
		got := runProgram(name, "--help")
		parts := strings.SplitN(got.stdout, "\n\n", 3)
		if got.status != 0 || got.stderr != "" || len(parts) < 3 {
			t.Fatalf("got %+v", got)
		}
		if !strings.HasPrefix(parts[0], "usage: "+name+" ") || strings.Contains(parts[0], "\n") {
			t.Errorf("the first line is %q", parts[0])
		}
		examples := strings.Split(parts[1], "\n")
		if len(examples) != 3 {
			t.Errorf("%d examples, want 3: %q", len(examples), examples)
		}
		for _, e := range examples {
			if !strings.HasPrefix(e, "  ") || !strings.Contains(e, name) {
				t.Errorf("example %q does not show %s", e, name)
			}
		}
	})
}

// The test binary has no module version and may have no commit (-buildvcs=false):
// the form is what holds.
func TestVersion(t *testing.T) {
	form := regexp.MustCompile(`^\S+ \S+ \([^)]+\) go1\.\d+\S*\n$`)
	eachProgram(t, func(t *testing.T, name string) {
		got := runProgram(name, "--version")
		if got.status != 0 || got.stderr != "" || !form.MatchString(got.stdout) || !strings.HasPrefix(got.stdout, name+" ") {
			t.Errorf("got %+v", got)
		}
	})
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputThatFails(t *testing.T) {
	eachProgram(t, func(t *testing.T, name string) {
		got := runInto(brokenWriter{syscall.ENOSPC}, name, "--help")
		if want := name + ": write <stdout>: no space left on device\n"; got.status != 1 || got.stderr != want {
			t.Errorf("a full disk: %+v, want %q", got, want)
		}
		if got := runInto(brokenWriter{syscall.EPIPE}, name, "--help"); got.status != 0 || got.stderr != "" {
			t.Errorf("a closed pipe: %+v", got)
		}
	})
}
