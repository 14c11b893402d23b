package inbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/smallfs"
)

// A full disk refuses a message and changes nothing; with room again it goes on.
func TestDiskFull(t *testing.T) {
	for _, tt := range []struct{ name, options, more string }{
		{"of bytes", "size=128k", "size=1m"},
		{"of files", "nr_inodes=40", "nr_inodes=400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mount, remount := smallfs.Mount(t, tt.options)
			box := openAt(t, filepath.Join(mount, "inbox"))
			var want []string
			var err error
			for i := 0; err == nil; i++ {
				id := fmt.Sprint(i)
				_, err = box.Enqueue(ctx, inbox.Draft{To: "t", ID: id, Content: text(strings.Repeat("x", 3000))})
				if err == nil {
					want = append(want, id+":waiting")
				}
			}
			refused := func(err error) {
				t.Helper()
				if f := fault.Of(err); !errors.Is(err, syscall.ENOSPC) || f.Kind != fault.Unexpected || f.Hint == "" {
					t.Errorf("%v, hint %q", err, f.Hint)
				}
				wantList(t, box, strings.Join(want, " "))
			}
			refused(err)
			if len(want) < 5 {
				t.Errorf("full after %d", len(want))
			}
			_, err = box.Enqueue(ctx, inbox.Draft{To: "another target", Content: text(strings.Repeat("x", 5000))})
			refused(err)
			for _, dir := range []string{"t/tmp", "another target/tmp"} {
				if files, _ := os.ReadDir(filepath.Join(mount, "inbox", dir)); len(files) != 0 {
					t.Errorf("left in %s: %v", dir, files)
				}
			}
			// What was queued can be worked on, for that takes no room.
			d := drive(t, box)
			must(t, next(t, d, "0", 1).Done())
			must(t, d.Close())
			want = want[1:]

			remount(0, tt.more)
			send(t, box, inbox.Draft{ID: "more"})
			wantList(t, box, strings.Join(append(want, "more:waiting"), " "))
		})
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	mount, remount := smallfs.Mount(t, "size=1m")
	box := openAt(t, filepath.Join(mount, "inbox"))
	send(t, box, inbox.Draft{ID: "a"})
	remount(unix.MS_RDONLY, "")
	notWritable(t, box, syscall.EROFS)
	wantList(t, box, "a:waiting")
	if rs, err := box.List(ctx, "other"); len(rs) != 0 || err != nil {
		t.Errorf("List of another = %v, %v", rs, err)
	}
}

func notWritable(t *testing.T, box *inbox.Inbox, want error) {
	t.Helper()
	for _, to := range []string{"t", "other"} {
		_, sendErr := box.Enqueue(ctx, inbox.Draft{To: to, Content: text("x")})
		_, driveErr := box.Drive(ctx, to)
		for _, err := range []error{sendErr, driveErr} {
			if f := fault.Of(err); !errors.Is(err, want) || f.Kind != fault.Unexpected || f.Subject == "" || f.Hint == "" {
				t.Errorf("to %s: %v, hint %q; want %v", to, err, f.Hint, want)
			}
		}
	}
	if _, err := box.Cancel(ctx, "t"); !errors.Is(err, want) {
		t.Errorf("Cancel: %v, want %v", err, want)
	}
}

// A directory that is closed to writing, and one that is closed altogether.
func TestNotPermitted(t *testing.T) {
	box, dir := open(t)
	send(t, box, inbox.Draft{ID: "a"})
	for p := filepath.Dir(dir); p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		must(t, os.Chmod(p, 0o755)) // for whoever the test is below
	}
	defer chmod(t, dir, 0o700, 0o600)
	chmod(t, dir, 0o555, 0o444)
	asNobody(t, func() {
		notWritable(t, box, syscall.EACCES)
		wantList(t, box, "a:waiting")
	})
	chmod(t, dir, 0o700, 0o600)
	must(t, os.Chmod(filepath.Join(dir, "t"), 0))
	asNobody(t, func() {
		if rs, err := box.List(ctx, "t"); !errors.Is(err, syscall.EACCES) {
			t.Errorf("List = %v, %v", rs, err)
		}
		_, err := box.Enqueue(ctx, inbox.Draft{To: "t", Content: text("x")})
		if !errors.Is(err, syscall.EACCES) || fault.Of(err).Hint == "" {
			t.Errorf("Enqueue: %v", err)
		}
	})
	must(t, os.Chmod(filepath.Join(dir, "t"), 0o700))
	wantList(t, box, "a:waiting")
}

func chmod(t *testing.T, dir string, dirs, files os.FileMode) {
	t.Helper()
	must(t, filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return os.Chmod(p, dirs)
		}
		return os.Chmod(p, files)
	}))
}

// asNobody runs f without the rights of root over files. Another user has none
// over them anyway.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	failed := make(chan error, 1)
	go func() { // on a thread that is thrown away with its rights
		defer close(failed)
		runtime.LockOSThread()
		if err := unix.Setfsuid(nobody); err != nil {
			failed <- err
			return
		}
		f()
	}()
	if err := <-failed; err != nil {
		smallfs.NeedsRoot(t, err)
	}
}
