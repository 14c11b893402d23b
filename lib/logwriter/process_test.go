//go:build unix

package logwriter_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
)

// TestMain lets the test binary be the other process.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "other" {
		if err := other(os.Args[2], os.Args[3]); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func other(what, dir string) error {
	r, err := logwriter.OpenRoot(dir)
	if err != nil {
		return err
	}
	l, err := r.Open(logwriter.Options{ID: "s", Now: clock})
	if err != nil {
		return err
	}
	switch what {
	case "hold": // the lock, until killed
		fmt.Println("held")
		select {}
	case "append": // and say what is acknowledged, until killed
		for i := 0; ; i++ {
			if _, err := l.Append(note(fmt.Sprint("a", i)), note(fmt.Sprint("b", i))); err != nil {
				return err
			}
			fmt.Println(i)
		}
	case "full": // a file may grow no further than this
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 4096, Max: 4096}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		for i := 0; ; i++ {
			if _, err := l.Append(note(strings.Repeat("x", 300)), note(fmt.Sprint(i))); err != nil {
				fmt.Println(i)
				return err
			}
		}
	}
	return fmt.Errorf("no such thing to do: %q", what)
}

func start(t *testing.T, what, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "other", what, dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// One process writes; the next may when it is gone, however it went.
func TestOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "root")
	r := openRoot(t, dir)
	cmd, lines := start(t, "hold", dir)
	if !lines.Scan() || lines.Text() != "held" {
		t.Fatalf("the other process said %q", lines.Text())
	}
	_, err := r.Open(logwriter.Options{ID: "s", Now: clock})
	wantFault(t, err, fault.Unexpected, "locked")
	open(t, r, "another", nil)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	open(t, r, "s", nil)
}

// Killed at any moment, a writer leaves everything it acknowledged, in order, and
// a log that can be continued.
func TestKilledWriter(t *testing.T) {
	for round := range 8 {
		dir := filepath.Join(t.TempDir(), "root")
		cmd, lines := start(t, "append", dir)
		last := -1
		for lines.Scan() {
			if _, err := fmt.Sscan(lines.Text(), &last); err != nil {
				t.Fatalf("the other process said %q", lines.Text())
			}
			if last >= 3+round*7 {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
		l := open(t, openRoot(t, dir), "s", nil)
		n := 0
		for ev, err := range l.Events() {
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint("ab"[n%2:n%2+1], n/2)
			if got, _ := ev.Data.Get("n").Text(); got != want {
				t.Errorf("event %d is %q, want %q", n, got, want)
			}
			n++
		}
		if n < 2*(last+1) {
			t.Errorf("%d events, but batch %d was acknowledged", n, last)
		}
		l.Close()
	}
}

// A full disk: the batch that did not fit is not there, those before it are, and
// the log can be continued when there is room.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "root")
	cmd, lines := start(t, "full", dir)
	if !lines.Scan() {
		t.Fatal("the other process said nothing")
	}
	var acknowledged int
	if _, err := fmt.Sscan(lines.Text(), &acknowledged); err != nil {
		t.Fatalf("the other process said %q", lines.Text())
	}
	if !lines.Scan() || !strings.Contains(lines.Text(), "file too large") || !strings.Contains(lines.Text(), `session "s": write `) {
		t.Errorf("the other process said %q", lines.Text())
	}
	_ = cmd.Wait()
	l := open(t, openRoot(t, dir), "s", nil)
	if got, want := l.Next(), int64(2*acknowledged); got != want || want == 0 {
		t.Errorf("%d events, want %d", got, want)
	}
	if _, err := l.Append(note(strings.Repeat("y", 5000))); err != nil {
		t.Fatal(err)
	}
}
