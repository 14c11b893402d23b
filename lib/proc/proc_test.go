//go:build unix

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/proc"
)

func run(t *testing.T, ctx context.Context, line, stdin string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := proc.Run(ctx, proc.Command{Line: line, Stdin: stdin, Stdout: func(p []byte) error {
		out.Write(p)
		return nil
	}})
	return out.String(), err
}

func TestRun(t *testing.T) {
	big := strings.Repeat("0123456789abcdef\n", 1<<16)
	for _, c := range []struct{ name, line, stdin, want, err string }{
		{name: "stdin to stdout", line: "cat", stdin: "a\x00b\xff", want: "a\x00b\xff"},
		{name: "more than a pipe holds", line: "cat", stdin: big, want: big},
		{name: "input that is not read", line: "echo x", stdin: big, want: "x\n"},
		{name: "input that is closed", line: "exec <&-; echo x", stdin: big, want: "x\n"},
		{name: "a shell line", line: "printf '%s' \"$((1+2))\"", want: "3"},
		{name: "status", line: "echo part; exit 3", want: "part\n", err: "exit status 3"},
		{name: "status with a reason", line: "echo one >&2; echo 'two \x1b[31m' >&2; exit 1", err: `exit status 1: "two \x1b[31m"`},
		{name: "signal", line: "kill -9 $$", err: "signal: killed"},
		{name: "no such program", line: "/no/such/program", err: "exit status 127"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := run(t, t.Context(), c.line, c.stdin)
			if got != c.want {
				t.Errorf("output %.80q, want %.80q", got, c.want)
			}
			switch {
			case c.err == "" && err != nil:
				t.Errorf("error %v", err)
			case c.err != "":
				var exit *proc.ExitError
				if !errors.As(err, &exit) || !strings.HasPrefix(err.Error(), c.err) {
					t.Errorf("error %v, want %s", err, c.err)
				}
			}
		})
	}
}

// What a command leaves in the background does not hold up its answer for long,
// and is not ended.
func TestRunBackground(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	start := time.Now()
	got, err := run(t, t.Context(), "sleep 60 & echo $! > "+file+"; echo done", "")
	if got != "done\n" || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	if took := time.Since(start); took > proc.Grace+5*time.Second {
		t.Errorf("took %v", took)
	}
	pid := readPid(t, file)
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("the background process is gone: %v", err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func TestRunCancel(t *testing.T) {
	for _, c := range []struct{ name, line string }{
		{"quiet", "sleep 60 & echo $! > PID; wait"},
		{"deaf to SIGTERM", "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > PID; while :; do sleep 1; done' & wait; wait"},
		{"talking", "sh -c 'echo $$ > PID; while :; do echo x; done'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("enough")
			go func() {
				for readPidOrZero(file) == 0 {
					time.Sleep(5 * time.Millisecond)
				}
				cancel(why)
			}()
			_, err := run(t, ctx, strings.ReplaceAll(c.line, "PID", file), "")
			if !errors.Is(err, why) {
				t.Errorf("error %v, want %v", err, why)
			}
			pid := readPid(t, file)
			for range 200 { // a killed orphan is gone once init has taken it in
				if !alive(pid) {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("process %d of the group is still alive", pid)
		})
	}
}

// alive is false for a zombie: where nobody reaps orphans, an ended one stays.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestRunStdoutError(t *testing.T) {
	full := errors.New("full")
	err := proc.Run(t.Context(), proc.Command{Line: "while :; do echo x; done", Stdout: func([]byte) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

func TestRunStderr(t *testing.T) {
	var b bytes.Buffer
	if err := proc.Run(t.Context(), proc.Command{Line: "echo note >&2", Stderr: &b}); err != nil || b.String() != "note\n" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func readPidOrZero(file string) int {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return pid
}

func readPid(t *testing.T, file string) int {
	t.Helper()
	pid := readPidOrZero(file)
	if pid == 0 {
		t.Fatalf("no pid in %s", file)
	}
	return pid
}
