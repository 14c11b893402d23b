//go:build unix

package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
)

// A link in the place of any part of the inbox is an error, and nothing appears
// where it leads.
func TestLinks(t *testing.T) {
	for _, at := range []string{"", "t", "t/tmp", "t/new", "t/cur", "t/done", "t/lock", "t/queue.json", "t/driver"} {
		t.Run("inbox/"+at, func(t *testing.T) {
			base := t.TempDir()
			dir, elsewhere := filepath.Join(base, "inbox"), filepath.Join(base, "elsewhere")
			box := openAt(t, dir)
			send(t, box, inbox.Draft{ID: "a"})
			d := drive(t, box)
			must(t, d.Close())
			path := filepath.Join(dir, at)
			must(t, os.Rename(path, elsewhere))
			before := tree(t, elsewhere)
			must(t, os.Symlink(elsewhere, path))
			_, sendErr := box.Enqueue(ctx, inbox.Draft{To: "t", ID: "b", Content: text("x")})
			_, driveErr := box.Drive(ctx, "t")
			if at == "t/driver" {
				sendErr = driveErr // sending has nothing to do with it
			}
			for _, err := range []error{sendErr, driveErr} {
				if err == nil || fault.Of(err).Hint == "" {
					t.Errorf("through the link: %v", err)
				}
			}
			if after := tree(t, elsewhere); after != before {
				t.Errorf("behind the link:\n%s\nwas\n%s", after, before)
			}
			// Nor through one that stays inside.
			must(t, os.Remove(path))
			inside := filepath.Join(filepath.Dir(path), "moved")
			must(t, os.Rename(elsewhere, inside))
			must(t, os.Symlink("moved", path))
			if _, err := box.Drive(ctx, "t"); err == nil {
				t.Error("a link inside the inbox was followed")
			}
		})
	}
}

// The way to the inbox may lead over links.
func TestLinkedHome(t *testing.T) {
	base := t.TempDir()
	must(t, os.Mkdir(filepath.Join(base, "real"), 0o700))
	must(t, os.Symlink("real", filepath.Join(base, "home")))
	box := openAt(t, filepath.Join(base, "home", "state", "inbox"))
	send(t, box, inbox.Draft{ID: "a"})
	if _, err := os.Stat(filepath.Join(base, "real", "state", "inbox", "t", "queue.json")); err != nil {
		t.Error(err)
	}
}

// What somebody has put in the place of a file can neither hang nor fool anybody.
func TestOddFiles(t *testing.T) {
	for _, at := range []string{"lock", "driver", "queue.json"} {
		for kind, put := range map[string]func(string) error{
			"FIFO":      func(p string) error { return syscall.Mkfifo(p, 0o600) },
			"directory": func(p string) error { return os.Mkdir(p, 0o700) },
			"device":    func(p string) error { return os.Symlink("/dev/zero", p) },
		} {
			t.Run(at+" "+kind, func(t *testing.T) {
				box, dir := open(t)
				send(t, box, inbox.Draft{ID: "a"})
				path := filepath.Join(dir, "t", at)
				_ = os.Remove(path)
				must(t, put(path))
				if _, err := box.Drive(ctx, "t"); err == nil {
					t.Error("no error")
				}
			})
		}
	}
	t.Run("a FIFO for a record", func(t *testing.T) {
		box, dir := open(t)
		send(t, box, inbox.Draft{ID: "a"})
		name := "0000000000000005.send.0123456789abcdef0123456789abcdef.0.json"
		must(t, syscall.Mkfifo(filepath.Join(dir, "t", "new", name), 0o600))
		if rs, err := box.List(ctx, "t"); ids(rs) != "a:waiting" || rule(err) != inbox.RuleDamaged {
			t.Errorf("List = %q, %v", ids(rs), err)
		}
		if c, err := box.Cancel(ctx, "t"); ids(c.Dropped) != "a:dropped" || err != nil {
			t.Errorf("Cancel = %q, %v", ids(c.Dropped), err)
		}
		wantList(t, box, "")
	})
}

func TestQueueOfAnother(t *testing.T) {
	box, dir := open(t)
	send(t, box, inbox.Draft{ID: "a"})
	head := filepath.Join(dir, "t", "queue.json")
	for content, want := range map[string]fault.Kind{
		`{"format":1,"to":"T"}`: fault.Damaged, // a file system that folds case
		`{"format":2,"to":"t"}`: fault.Unsupported,
		`{"format":1}`:          fault.Damaged,
		``:                      fault.Damaged,
	} {
		must(t, os.WriteFile(head, []byte(content), 0o600))
		if _, err := box.Enqueue(ctx, inbox.Draft{To: "t", Content: text("x")}); fault.KindOf(err) != want {
			t.Errorf("%s: %v", content, err)
		}
		if _, err := box.List(ctx, "t"); fault.KindOf(err) != want {
			t.Errorf("%s: List: %v", content, err)
		}
	}
}

// A queue that has lost a directory says so to a reader, and gets it back with the
// next record.
func TestLostDirectory(t *testing.T) {
	box, dir := open(t)
	send(t, box, inbox.Draft{ID: "a"})
	must(t, os.RemoveAll(filepath.Join(dir, "t", "done")))
	if _, err := box.List(ctx, "t"); fault.KindOf(err) != fault.Damaged {
		t.Errorf("List: %v", err)
	}
	send(t, box, inbox.Draft{ID: "b"})
	wantList(t, box, "a:waiting b:waiting")
}

// A machine that has crashed may have kept an old number. The directories know
// better.
func TestCounterAfterCrash(t *testing.T) {
	for name, content := range map[string]string{
		"another boot":         "0000000000000001 00000000-0000-0000-0000-000000000000\n",
		"no boot id":           "0000000000000001 -\n",
		"empty":                "",
		"torn":                 "000000000000",
		"zeros":                "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"negative":             "-000000000000001 x\n",
		"too large":            "9999999999999999 " + inbox.BootID() + "\n",
		"without an end":       strings.Repeat("0", 300),
		"another, and further": "0000000000000002 00000000-0000-0000-0000-000000000000\n",
	} {
		t.Run(name, func(t *testing.T) {
			box, dir := open(t)
			for i := range 4 {
				send(t, box, inbox.Draft{ID: fmt.Sprint(i)})
			}
			d := drive(t, box)
			defer d.Close()
			must(t, next(t, d, "0", 1).Done())
			next(t, d, "1", 1)
			must(t, os.WriteFile(filepath.Join(dir, "t", "lock"), []byte(content), 0o600))
			if r := send(t, box, inbox.Draft{ID: "x"}); r.Seq != 4 {
				t.Errorf("seq %d, want 4", r.Seq)
			}
			if r := send(t, box, inbox.Draft{ID: "y"}); r.Seq != 5 {
				t.Errorf("then %d, want 5", r.Seq)
			}
		})
	}
	t.Run("the last are claimed or finished", func(t *testing.T) {
		box, dir := open(t)
		d := drive(t, box)
		defer d.Close()
		for i, id := range []string{"claimed", "finished"} {
			send(t, box, inbox.Draft{ID: id})
			if c := next(t, d, id, 1); id == "finished" {
				must(t, c.Done())
			}
			must(t, os.Remove(filepath.Join(dir, "t", "lock")))
			if r := send(t, box, inbox.Draft{ID: "after " + id, Kind: inbox.Steer}); r.Seq != int64(2*i+1) {
				t.Errorf("seq %d after what is %s", r.Seq, id)
			}
			if cs, err := d.Take(ctx, inbox.Steer); err != nil || len(cs) != 1 || cs[0].Done() != nil {
				t.Fatal(cs, err)
			}
		}
	})
	t.Run("everything is gone", func(t *testing.T) {
		box, dir := open(t)
		send(t, box, inbox.Draft{ID: "a"})
		must(t, os.WriteFile(filepath.Join(dir, "t", "lock"), []byte("0000000000000041 elsewhere\n"), 0o600))
		if r := send(t, box, inbox.Draft{ID: "b"}); r.Seq != 41 {
			t.Errorf("seq %d, want 41", r.Seq)
		}
	})
}

// Half-written files of writers that are dead go; those of living ones stay.
func TestSweep(t *testing.T) {
	box, dir := open(t)
	send(t, box, inbox.Draft{ID: "a"})
	tmp := filepath.Join(dir, "t", "tmp")
	old := filepath.Join(tmp, "OLD")
	plant := func() { must(t, os.WriteFile(old, []byte(`{"id":"ha`), 0o600)) }
	gone := func() bool { _, err := os.Lstat(old); return errors.Is(err, os.ErrNotExist) }

	plant()
	send(t, openAt(t, dir), inbox.Draft{ID: "b"})
	if !gone() {
		t.Error("it is still there after a new process sent")
	}
	plant()
	d := drive(t, box)
	if !gone() {
		t.Error("it is still there after a driver came")
	}
	must(t, d.Close())

	// A writer that is stopped inside its write.
	held := make(chan struct{})
	going, sent := make(chan struct{}), make(chan error)
	slow := openAt(t, dir)
	slow.SetProbe(func(op string) error {
		if op == "write" {
			slow.SetProbe(nil)
			close(going)
			<-held
		}
		return nil
	})
	go func() {
		_, err := slow.Enqueue(ctx, inbox.Draft{To: "t", ID: "slow", Content: text("x")})
		sent <- err
	}()
	<-going
	must(t, drive(t, openAt(t, dir)).Close())
	close(held)
	must(t, <-sent)
	wantList(t, box, "a:waiting b:waiting slow:waiting")
}

// A process that dies takes its locks with it; one that is only stopped can be
// waited for, and no longer than the caller likes.
func TestLocksOfOthers(t *testing.T) {
	box, dir := open(t)
	send(t, box, inbox.Draft{ID: "a"})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=holder\n"+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	// It holds both locks now.
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := box.Enqueue(short, inbox.Draft{To: "t", ID: "b", Content: text("x")}); fault.KindOf(err) != fault.Cancelled {
		t.Errorf("Enqueue: %v", err)
	}
	if _, err := box.Drive(short, "t"); fault.KindOf(err) != fault.Cancelled {
		t.Errorf("Drive: %v", err)
	}
	if _, err := box.List(short, "t"); fault.KindOf(err) != fault.Cancelled {
		t.Errorf("List: %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("giving up took %v", took)
	}
	must(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait()
	wantList(t, box, "a:waiting")
	send(t, box, inbox.Draft{ID: "c"})
	d := drive(t, box)
	must(t, next(t, d, "a", 1).Done())
	must(t, next(t, d, "c", 1).Done())
	must(t, d.Close())
	if files, err := os.ReadDir(filepath.Join(dir, "t", "tmp")); err != nil || len(files) != 0 {
		t.Errorf("left in tmp: %v, %v", files, err)
	}
}

func init() {
	children["holder"] = func(args []string) { // dir
		box := openStep(args[0])
		d := ready(box.Drive(ctx, "t"))
		box.SetProbe(func(op string) error {
			if op == "rename" {
				fmt.Println()
				select {}
			}
			return nil
		})
		_, _ = d.TryNext(ctx)
	}
}

// tree lists a file or a directory with what is in it.
func tree(t *testing.T, path string) string {
	t.Helper()
	var out strings.Builder
	must(t, filepath.Walk(path, func(p string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s %v", strings.TrimPrefix(p, path), info.Mode())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(&out, " %q", b)
		}
		out.WriteString("\n")
		return nil
	}))
	return out.String()
}
