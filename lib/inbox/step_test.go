//go:build unix

package inbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
)

// These tests stop every operation on the disk that a call does, one after the
// other: by an error, and by SIGKILL of the process in the moment before it.

// call is what a step is taken of. It starts from a queue of a and b, a steering
// s, with Keep 1 and one finished record "old".
type call struct {
	name string
	// ready prepares, unharmed; run is what is stopped.
	ready func(*inbox.Inbox) any
	run   func(*inbox.Inbox, any) error
	// after is the queue when run has succeeded; before is the same when it has not.
	after string
}

const before = "a b s"

var calls = []call{
	{
		name: "enqueue", after: "a b s new",
		run: func(box *inbox.Inbox, _ any) error {
			_, err := box.Enqueue(ctx, inbox.Draft{To: "t", Content: text("x"), ID: "new"})
			return err
		},
	},
	{
		name: "enqueue again", after: before,
		run: func(box *inbox.Inbox, _ any) error {
			_, err := box.Enqueue(ctx, inbox.Draft{To: "t", Content: text("hello"), ID: "a"})
			return err
		},
	},
	{
		name: "drive", after: before,
		run: func(box *inbox.Inbox, _ any) error {
			d, err := box.Drive(ctx, "t")
			if err != nil {
				return err
			}
			return d.Close()
		},
	},
	{
		name: "claim", after: before,
		ready: func(box *inbox.Inbox) any { return ready(box.Drive(ctx, "t")) },
		run: func(_ *inbox.Inbox, d any) error {
			_, err := d.(*inbox.Driver).TryNext(ctx)
			return err
		},
	},
	{
		name: "done", after: "b s",
		ready: func(box *inbox.Inbox) any { return ready(ready(box.Drive(ctx, "t")).TryNext(ctx)) },
		run:   func(_ *inbox.Inbox, c any) error { return c.(*inbox.Claim).Done() },
	},
	{
		name: "release", after: before,
		ready: func(box *inbox.Inbox) any { return ready(ready(box.Drive(ctx, "t")).TryNext(ctx)) },
		run:   func(_ *inbox.Inbox, c any) error { return c.(*inbox.Claim).Release() },
	},
	{
		name: "cancel one", after: "a s",
		run: func(box *inbox.Inbox, _ any) error {
			_, err := box.Cancel(ctx, "t", "b")
			return err
		},
	},
	{
		name: "cancel a running one", after: "b s", // once the driver is dead
		ready: func(box *inbox.Inbox) any { return ready(ready(box.Drive(ctx, "t")).TryNext(ctx)) },
		run: func(box *inbox.Inbox, _ any) error {
			_, err := box.Cancel(ctx, "t", "a")
			return err
		},
	},
}

func ready[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// setUp makes the queue that calls start from.
func setUp(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(memoryDir(t), "inbox")
	box := openStep(dir)
	send(t, box, inbox.Draft{ID: "old"})
	d := drive(t, box)
	must(t, next(t, d, "old", 1).Done())
	must(t, d.Close())
	for _, id := range []string{"a", "b"} {
		send(t, box, inbox.Draft{ID: id})
	}
	send(t, box, inbox.Draft{ID: "s", Kind: inbox.Steer})
	return dir
}

// memoryDir is a temporary directory in memory, where there is such a place: what a
// process leaves that was killed is the same there, and flushing takes no time.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "dsh-inbox-test-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func openStep(dir string) *inbox.Inbox {
	return ready(inbox.Open(dir, inbox.Options{Now: func() time.Time { return start }, Keep: 1}))
}

func TestFailAtEachStep(t *testing.T) {
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			for n := 0; failAt(t, c, n); n++ {
			}
		})
	}
}

// failAt fails the step n of a call with a full disk. It reports whether there is
// one.
func failAt(t *testing.T, c call, n int) bool {
	dir := setUp(t)
	box := openStep(dir)
	var arg any
	if c.ready != nil {
		arg = c.ready(box)
	}
	step, failed := 0, ""
	box.SetProbe(func(op string) error {
		defer func() { step++ }()
		if step == n {
			failed = op
			return syscall.ENOSPC
		}
		return nil
	})
	err := c.run(box, arg)
	box.SetProbe(nil)
	name := fmt.Sprintf("step %d (%s)", n, failed)
	if err != nil {
		var f *fault.Error
		if !errors.As(err, &f) || !errors.Is(err, syscall.ENOSPC) || f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
		if got := drained(t, dir, arg); got != before && got != c.after {
			t.Errorf("%s: failed and left %q", name, got)
		} else if strings.HasPrefix(c.name, "enqueue") && got != before {
			t.Errorf("%s: an enqueue that failed left %q", name, got)
		}
	} else if got := drained(t, dir, arg); got != c.after {
		t.Errorf("%s: succeeded and left %q, want %q", name, got, c.after)
	}
	return failed != ""
}

// drained ends the driver that a call had, takes everything out of the queue as
// the next driver would, and returns the ids. It holds what must be true whatever
// happened before.
func drained(t *testing.T, dir string, arg any) string {
	t.Helper()
	if d, ok := arg.(*inbox.Driver); ok {
		must(t, d.Close())
	}
	if c, ok := arg.(*inbox.Claim); ok {
		must(t, c.Driver().Close())
	}
	box := openStep(dir)
	listed := list(t, box)
	d, err := box.Drive(ctx, "t")
	must(t, err)
	defer d.Close()
	var got []string
	for {
		c, err := d.TryNext(ctx)
		must(t, err)
		if c == nil {
			break
		}
		got = append(got, c.Record.ID)
		if want := map[bool]string{true: "x", false: "hello"}[c.Record.ID == "new"]; c.Record.Content.Raw() != text(want).Raw() {
			t.Errorf("%s has the content %s", c.Record.ID, c.Record.Content.Raw())
		}
		must(t, c.Done())
	}
	if len(listed) < len(got) {
		t.Errorf("%d records were listed and %q came", len(listed), got)
	}
	for _, sub := range []string{"tmp", "new", "cur"} {
		if files, err := os.ReadDir(filepath.Join(dir, "t", sub)); err != nil || sub != "cur" && len(files) > 0 {
			t.Errorf("left in %s: %v, %v", sub, files, err)
		}
	}
	return strings.Join(got, " ")
}

func TestKillAtEachStep(t *testing.T) {
	for i, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for n := 0; ; n++ {
				dir := setUp(t)
				killed := runChild(t, "step", dir, strconv.Itoa(i), strconv.Itoa(n))
				got := drained(t, dir, nil)
				if got != c.after && (!killed || got != before) {
					t.Errorf("killed at step %d: %t; left %q", n, killed, got)
				}
				if !killed {
					return
				}
			}
		})
	}
}

// The first message of all makes directories; dying over that harms nobody.
func TestKillWhileMaking(t *testing.T) {
	for n := 0; ; n++ {
		dir := filepath.Join(memoryDir(t), "a", "b", "inbox")
		killed := runChild(t, "first", dir, strconv.Itoa(n))
		box := openStep(dir)
		if got := ids(list(t, box)); got != "x:waiting" && (!killed || got != "") {
			t.Errorf("killed at step %d: %t; left %q", n, killed, got)
		}
		send(t, box, inbox.Draft{ID: "y"})
		if got := drained(t, dir, nil); got != "x y" && (!killed || got != "y") {
			t.Errorf("killed at step %d: %t; then %q", n, killed, got)
		}
		if !killed {
			if n < 15 {
				t.Errorf("only %d steps", n)
			}
			return
		}
	}
}

const childEnv = "DSH_INBOX_TEST_CHILD"

// runChild runs one of the children in a process of its own and reports whether
// it was killed.
func runChild(t *testing.T, args ...string) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(args, "\n"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("child %q: %v\n%s", args, err, out.Bytes())
	}
	return false
}

var children = map[string]func(args []string){
	"step": func(args []string) { // dir, index into calls, step
		c := calls[ready(strconv.Atoi(args[1]))]
		box := openStep(args[0])
		var arg any
		if c.ready != nil {
			arg = c.ready(box)
		}
		dieAt(box, ready(strconv.Atoi(args[2])))
		if err := c.run(box, arg); err != nil {
			panic(err)
		}
	},
	"first": func(args []string) { // dir, step
		box := openStep(args[0])
		dieAt(box, ready(strconv.Atoi(args[1])))
		ready(box.Enqueue(ctx, inbox.Draft{To: "t", ID: "x", Content: text("hello")}))
	},
}

// dieAt kills this process before operation n on the disk.
func dieAt(box *inbox.Inbox, n int) {
	box.SetProbe(func(string) error {
		if n--; n < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // a signal to oneself may take a moment
		}
		return nil
	})
}

func TestMain(m *testing.M) {
	if args := os.Getenv(childEnv); args != "" {
		name, rest, _ := strings.Cut(args, "\n")
		children[name](strings.Split(rest, "\n"))
		return
	}
	os.Exit(m.Run())
}

// What is acknowledged has been flushed, the bytes before the name and the name
// before the answer. That a disk keeps what it has flushed no test can show.
func TestFlushes(t *testing.T) {
	dir := setUp(t)
	box := openStep(dir)
	var ops []string
	box.SetProbe(func(op string) error {
		switch op {
		case "create", "write", "rename", "remove", "flush":
			ops = append(ops, op)
		}
		return nil
	})
	want := func(name, want string) {
		t.Helper()
		if got := strings.Join(ops, " "); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		ops = nil
	}
	send(t, box, inbox.Draft{ID: "n", Content: text("x")})
	want("enqueue", "create write flush write rename flush") // the second write is the number
	send(t, box, inbox.Draft{ID: "n", Content: text("x")})
	want("enqueue again", "create write flush flush flush flush")
	d := drive(t, box)
	ops = nil
	a, b := next(t, d, "a", 1), next(t, d, "b", 1)
	want("two claims", "rename flush flush rename flush flush")
	must(t, a.Release())
	want("release", "rename flush flush")
	must(t, b.Done())
	want("done", "rename remove flush flush") // and the one that is kept no longer
	must(t, next(t, d, "a", 1).Release())
	ops = nil
	_, err := box.Cancel(ctx, "t", "s")
	must(t, err)
	want("cancel", "rename remove flush flush flush")
	must(t, d.Close())
	ops = nil

	// With the first record come, one after the other, the target's directory, what
	// is in it (four directories, two files), and what makes it a queue. The inbox
	// has another above it whose maker may have died before flushing that.
	ready(box.Enqueue(ctx, inbox.Draft{To: "first", Content: text("x")}))
	want("first", "flush create create create create create create create flush flush "+
		"create write flush rename flush create write flush write rename flush")
}
