package snapshot

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// The test binary is also the other process that owns the database: locks and
// shared indexes are per process, so a writer in this one would prove nothing.
func TestMain(m *testing.M) {
	if mode := os.Getenv("SNAPSHOT_TEST_WRITER"); mode != "" {
		if err := writer(mode, os.Args[1]); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writer owns the database at path until its standard input ends. It prints
// "ready" when the table is filled and, in the modes that go on writing, the number
// of its commits at the end. Two accounts always hold 1000 together.
func writer(mode, path string) error {
	journal, checkpoint := "wal", 0
	switch mode {
	case "delete", "delete-busy":
		journal = "delete"
	case "busy":
		checkpoint = 1000
	case "frantic":
		checkpoint = 1
	}
	dsn := fmt.Sprintf("file:%s?_pragma=busy_timeout(0)&_pragma=journal_mode(%s)&_pragma=wal_autocheckpoint(%d)&_pragma=synchronous(0)", path, journal, checkpoint)
	if mode == "delete-busy" {
		// In this mode a reader's lock holds a commit up for as long as it reads.
		dsn = strings.Replace(dsn, "busy_timeout(0)", "busy_timeout(5000)", 1)
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("create table account(name text primary key, sum int, pad text); insert into account values('a',600,''),('b',400,'')"); err != nil {
		return err
	}
	fmt.Println("ready")
	stop := make(chan bool)
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); close(stop) }()
	if mode == "wal" || mode == "delete" {
		<-stop
		return db.Close()
	}
	commits := 0
	for ; ; commits++ {
		select {
		case <-stop:
			fmt.Println("commits", commits)
			return db.Close()
		default:
		}
		n := commits%500 + 1
		if _, err := db.Exec(fmt.Sprintf("begin immediate; update account set sum=sum-%d, pad=hex(randomblob(3000)) where name='a'; update account set sum=sum+%d where name='b'; commit", n, n)); err != nil {
			return fmt.Errorf("blocked after %d commits: %w", commits, err)
		}
	}
}

type other struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.Closer
	out  *bufio.Scanner
	once bool
}

func startWriter(t *testing.T, mode, path string) *other {
	t.Helper()
	o := &other{t: t, cmd: exec.Command(os.Args[0], path)}
	o.cmd.Env = append(os.Environ(), "SNAPSHOT_TEST_WRITER="+mode)
	in, _ := o.cmd.StdinPipe()
	out, _ := o.cmd.StdoutPipe()
	o.in, o.out = in, bufio.NewScanner(out)
	if err := o.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.stop() })
	if !o.out.Scan() || o.out.Text() != "ready" {
		t.Fatalf("writer said %q", o.out.Text())
	}
	return o
}

// stop ends the writer and returns how often it committed.
func (o *other) stop() int {
	if o.once {
		return 0
	}
	o.once = true
	o.in.Close()
	commits := 0
	for o.out.Scan() {
		if n, ok := strings.CutPrefix(o.out.Text(), "commits "); ok {
			commits, _ = strconv.Atoi(n)
		} else {
			o.t.Errorf("writer: %s", o.out.Text())
		}
	}
	if err := o.cmd.Wait(); err != nil {
		o.t.Errorf("writer: %v", err)
	}
	return commits
}

// kill ends the writer as a crash would.
func (o *other) kill() {
	o.once = true
	_ = o.cmd.Process.Kill()
	_ = o.cmd.Wait()
}

// state is the directory's listing with sizes, times and contents.
func state(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		info, _ := e.Info()
		fmt.Fprintf(&b, "%s %d %v %x\n", e.Name(), len(data), info.ModTime(), sha256.Sum256(data))
	}
	return b.String()
}

func total(ctx context.Context, path string) (sum int, err error) {
	err = View(ctx, path, func(c *sql.Conn) error {
		return c.QueryRowContext(ctx, "select sum(sum) from account").Scan(&sum)
	})
	return sum, err
}

func TestViewLeavesNoTrace(t *testing.T) {
	copyOnly := func(names ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			w := startWriter(t, "wal", filepath.Join(dir, "src"))
			for _, suffix := range names {
				data, err := os.ReadFile(filepath.Join(dir, "src"+suffix))
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "x.db"+suffix), data, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			w.stop()
		}
	}
	cases := []struct {
		name string
		make func(t *testing.T, dir string)
	}{
		{"live writer, all data in the log", func(t *testing.T, dir string) { startWriter(t, "wal", filepath.Join(dir, "x.db")) }},
		{"writer gone, no log", func(t *testing.T, dir string) { startWriter(t, "wal", filepath.Join(dir, "x.db")).stop() }},
		{"writer crashed, log and index left", func(t *testing.T, dir string) { startWriter(t, "wal", filepath.Join(dir, "x.db")).kill() }},
		{"log without index", copyOnly("", "-wal")},
		{"rollback journal, live writer", func(t *testing.T, dir string) { startWriter(t, "delete", filepath.Join(dir, "x.db")) }},
		{"rollback journal", func(t *testing.T, dir string) { startWriter(t, "delete", filepath.Join(dir, "x.db")).stop() }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			c.make(t, dir)
			for _, mode := range []os.FileMode{0o700, 0o500} {
				if err := os.Chmod(dir, mode); err != nil {
					t.Fatal(err)
				}
				before := state(t, dir)
				for range 2 {
					got, err := total(t.Context(), filepath.Join(dir, "x.db"))
					if got != 1000 || err != nil {
						t.Errorf("total = %d, %v; want 1000", got, err)
					}
				}
				if after := state(t, dir); after != before {
					t.Errorf("directory was\n%sis\n%s", before, after)
				}
			}
			_ = os.Chmod(dir, 0o700)
		})
	}
}

// Whatever the writer does, a view is one committed state, and the writer is never
// held up: in write-ahead mode it has no patience at all and would fail.
func TestViewBesideABusyWriter(t *testing.T) {
	for _, mode := range []string{"busy", "frantic", "delete-busy"} {
		t.Run(mode, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			w := startWriter(t, mode, path)
			deadline := time.Now().Add(1500 * time.Millisecond)
			for n := 0; n < 40 && time.Now().Before(deadline); n++ {
				var sum, again int
				err := View(t.Context(), path, func(c *sql.Conn) error {
					if err := c.QueryRowContext(t.Context(), "select sum(sum) from account").Scan(&sum); err != nil {
						return err
					}
					time.Sleep(time.Millisecond)
					return c.QueryRowContext(t.Context(), "select a.sum+b.sum from account a, account b where a.name='a' and b.name='b'").Scan(&again)
				})
				if err != nil || sum != 1000 || again != 1000 {
					t.Fatalf("view %d: sums %d and %d, %v; want 1000", n, sum, again, err)
				}
			}
			if commits := w.stop(); commits < 10 {
				t.Errorf("the writer committed %d times only", commits)
			}
		})
	}
}

func TestViewErrors(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.db")
	startWriter(t, "delete", good).stop()
	sound, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name string
		make func(path string) error
		kind fault.Kind
		rule string
	}{
		{"absent", func(string) error { return nil }, fault.Unreadable, ""},
		{"a directory", func(p string) error { return os.Mkdir(p, 0o700) }, fault.Unreadable, ""},
		{"a pipe that never delivers", func(p string) error { return mkfifo(p) }, fault.Unreadable, ""},
		{"no database", func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("text ", 400)), 0o600) }, fault.Damaged, "damaged-database"},
		{"cut", func(p string) error { return os.WriteFile(p, sound[:5000], 0o600) }, fault.Damaged, "damaged-database"},
		{"unfinished transaction", func(p string) error {
			if err := os.WriteFile(p+"-journal", []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"+strings.Repeat("\x00\x00\x00\x01", 1000)), 0o600); err != nil {
				return err
			}
			return os.WriteFile(p, sound, 0o600)
		}, fault.Unreadable, "hot-journal"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x.db")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			_, err := total(t.Context(), path)
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != c.kind || f.Rule != c.rule {
				t.Errorf("error = %v (%+v); want kind %d, rule %q", err, f, c.kind, c.rule)
			}
		})
	}
}

func TestViewIsCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	startWriter(t, "wal", path).stop()
	ctx, cancel := context.WithCancel(t.Context())
	start := time.Now()
	err := View(ctx, path, func(c *sql.Conn) error {
		time.AfterFunc(50*time.Millisecond, cancel)
		var n int
		return c.QueryRowContext(ctx, "with recursive n(i) as (select 1 union all select i+1 from n) select count(*) from n").Scan(&n)
	})
	if !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
		t.Errorf("after %v: %v; want a cancelled context", time.Since(start), err)
	}
}

func TestViewCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	startWriter(t, "wal", path).stop()
	err := View(t.Context(), path, func(c *sql.Conn) error {
		_, err := c.ExecContext(t.Context(), "pragma query_only(0); update account set sum=0")
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("writing gave %v; want a refusal", err)
	}
}
