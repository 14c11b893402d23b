package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
)

func drive(t testing.TB, box *inbox.Inbox) *inbox.Driver {
	t.Helper()
	d, err := box.Drive(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func next(t testing.TB, d *inbox.Driver, id string, attempts int) *inbox.Claim {
	t.Helper()
	c, err := d.TryNext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Fatalf("nothing waits, want %q", id)
	}
	if c.Record.ID != id || c.Record.Attempts != attempts || c.Record.State != inbox.Claimed {
		t.Errorf("claimed %q at attempt %d (%s), want %q at %d", c.Record.ID, c.Record.Attempts, c.Record.State, id, attempts)
	}
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOrderOfClaims(t *testing.T) {
	box, _ := open(t)
	send(t, box, inbox.Draft{ID: "a"})
	send(t, box, inbox.Draft{ID: "s", Kind: inbox.Steer})
	send(t, box, inbox.Draft{ID: "i", Kind: inbox.Inject})
	d := drive(t, box)
	defer d.Close()
	must(t, next(t, d, "a", 1).Done())
	wantList(t, box, "s:waiting i:waiting")
	s := next(t, d, "s", 1)
	wantList(t, box, "s:claimed i:waiting")
	i := next(t, d, "i", 1)
	if c, err := d.TryNext(ctx); c != nil || err != nil {
		t.Errorf("TryNext of nothing = %v, %v", c, err)
	}
	must(t, i.Done())
	must(t, s.Done())
	wantList(t, box, "")
}

// Steering is taken past what waits for a turn of its own; what came too late for
// the turn goes back to its place with all it has.
func TestSteering(t *testing.T) {
	box, _ := open(t)
	contexts := draftOf(t, `{"content":[],"contexts":[{"content":[{"type":"text","text":"c"}],"source":{"kind":"p"},"placement":"prompt-prefix"}]}`).Contexts
	send(t, box, inbox.Draft{ID: "turn"})
	send(t, box, inbox.Draft{ID: "s1", Kind: inbox.Steer})
	send(t, box, inbox.Draft{ID: "later"})
	late := send(t, box, inbox.Draft{ID: "s2", Kind: inbox.Steer, Contexts: contexts})
	send(t, box, inbox.Draft{ID: "last"})
	d := drive(t, box)
	defer d.Close()
	turn := next(t, d, "turn", 1)
	cs, err := d.Take(ctx, inbox.Steer)
	must(t, err)
	if len(cs) != 2 || cs[0].Record.ID != "s1" || cs[1].Record.ID != "s2" {
		t.Fatalf("took %v", cs)
	}
	if again, err := d.Take(ctx, inbox.Steer); len(again) != 0 || err != nil {
		t.Errorf("took again: %v, %v", again, err)
	}
	must(t, cs[0].Done())
	must(t, cs[1].Release())
	must(t, turn.Done())
	wantList(t, box, "later:waiting s2:waiting last:waiting")
	must(t, next(t, d, "later", 1).Done())
	c := next(t, d, "s2", 1)
	if got, want := string(c.Record.AppendJSON(nil)), string(late.AppendJSON(nil)); got != want {
		t.Errorf("late steering is\n%s\nwant the same record\n%s", got, want)
	}
	must(t, c.Done())
	must(t, next(t, d, "last", 1).Done())
}

// What a driver leaves claimed is claimed again, before what came after it, and
// counted.
func TestUnfinished(t *testing.T) {
	box, _ := open(t)
	for _, id := range []string{"a", "b", "c"} {
		send(t, box, inbox.Draft{ID: id})
	}
	send(t, box, inbox.Draft{ID: "s", Kind: inbox.Steer})
	d := drive(t, box)
	next(t, d, "a", 1)
	if cs, err := d.Take(ctx, inbox.Steer); len(cs) != 1 || err != nil {
		t.Fatal(cs, err)
	}
	must(t, d.Close())
	wantList(t, box, "a:claimed b:waiting c:waiting s:claimed")

	d = drive(t, box)
	a := next(t, d, "a", 2)
	must(t, a.Release()) // it counts as never claimed by this one
	must(t, d.Close())

	d = drive(t, box)
	must(t, next(t, d, "a", 2).Done())
	must(t, next(t, d, "b", 1).Done())
	must(t, next(t, d, "c", 1).Done())
	must(t, next(t, d, "s", 2).Done())
	must(t, d.Close())
	wantList(t, box, "")
}

// Whoever looks sees each record once, wherever it is being moved.
func TestListWhileDriven(t *testing.T) {
	box, _ := open(t)
	const want = "0 1 2 3 4 5 6 7 8 9"
	for _, id := range strings.Fields(want) {
		send(t, box, inbox.Draft{ID: id})
	}
	stop := make(chan struct{})
	stopped := make(chan error)
	go func() {
		d, err := box.Drive(ctx, "t")
		for err == nil {
			var cs []*inbox.Claim
			if cs, err = d.Take(ctx, inbox.Send); err != nil {
				break
			}
			for _, c := range cs {
				err = errors.Join(err, c.Release())
			}
			select {
			case <-stop:
				stopped <- errors.Join(err, d.Close())
				return
			default:
			}
		}
		stopped <- err
	}()
	for range 300 {
		var got []string
		for _, r := range list(t, box) {
			got = append(got, r.ID)
		}
		if strings.Join(got, " ") != want {
			t.Fatalf("saw %q", got)
		}
	}
	close(stop)
	must(t, <-stopped)
}

func TestSecondDriver(t *testing.T) {
	box, dir := open(t)
	d := drive(t, box)
	for range 2 {
		_, err := openAt(t, dir).Drive(ctx, "t")
		if rule(err) != inbox.RuleDriven || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
			t.Errorf("the second driver: %v", err)
		}
	}
	if other, err := box.Drive(ctx, "u"); err != nil {
		t.Errorf("another target: %v", err)
	} else {
		must(t, other.Close())
	}
	must(t, d.Close())
	d = drive(t, box)
	must(t, d.Close())
}

func TestNextWaits(t *testing.T) {
	box, dir := open(t)
	d := drive(t, box)
	defer d.Close()
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	if c, err := d.Next(short); c != nil || !errors.Is(err, context.DeadlineExceeded) || fault.KindOf(err) != fault.Cancelled {
		t.Errorf("Next of nothing = %v, %v", c, err)
	}
	type result struct {
		c   *inbox.Claim
		err error
	}
	got := make(chan result)
	for i := range 3 {
		go func() {
			c, err := d.Next(ctx)
			got <- result{c, err}
		}()
		time.Sleep(time.Duration(i) * 40 * time.Millisecond)
		id := fmt.Sprint(i)
		send(t, openAt(t, dir), inbox.Draft{ID: id})
		select {
		case r := <-got:
			must(t, r.err)
			if r.c.Record.ID != id {
				t.Errorf("got %q, want %q", r.c.Record.ID, id)
			}
			must(t, r.c.Done())
		case <-time.After(10 * time.Second):
			t.Fatal("Next did not see the record")
		}
	}
}

// Wait sees what came after the last look, also before the call, and what was
// released.
func TestWait(t *testing.T) {
	box, _ := open(t)
	d := drive(t, box)
	defer d.Close()
	wait := func(want error) {
		t.Helper()
		limit := 10 * time.Second
		if want != nil {
			limit = 20 * time.Millisecond
		}
		c, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if err := d.Wait(c); !errors.Is(err, want) {
			t.Errorf("Wait = %v, want %v", err, want)
		}
	}
	look := func(want string) *inbox.Claim {
		t.Helper()
		c, err := d.TryNext(ctx)
		must(t, err)
		if (c == nil) != (want == "") || c != nil && c.Record.ID != want {
			t.Fatalf("TryNext = %v, want %q", c, want)
		}
		return c
	}
	look("")
	wait(context.DeadlineExceeded)
	send(t, box, inbox.Draft{ID: "a"})
	wait(nil)
	a := look("a")
	look("")
	wait(context.DeadlineExceeded)
	must(t, a.Release())
	wait(nil)
	look("a")
	send(t, box, inbox.Draft{ID: "b"})
	wait(nil)
}

func TestCancel(t *testing.T) {
	box, _ := open(t)
	if c, err := box.Cancel(ctx, "t"); len(c.Dropped)+len(c.Aborting) != 0 || err != nil {
		t.Errorf("Cancel without a queue = %v, %v", c, err)
	}
	if _, err := box.Cancel(ctx, "t", "x"); rule(err) != inbox.RuleNoRecord {
		t.Errorf("Cancel of nothing: %v", err)
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		send(t, box, inbox.Draft{ID: id})
	}
	if _, err := box.Cancel(ctx, "t", "b", "x"); rule(err) != inbox.RuleNoRecord || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("Cancel of b and x: %v", err)
	}
	wantList(t, box, "a:waiting b:waiting c:waiting d:waiting")
	c, err := box.Cancel(ctx, "t", "c", "b", "c")
	if err != nil || ids(c.Dropped) != "b:dropped c:dropped" || len(c.Aborting) != 0 {
		t.Errorf("Cancel of c and b = %q, %v", ids(c.Dropped), err)
	}
	wantList(t, box, "a:waiting d:waiting")

	// What a dead driver left is dropped like what waits.
	d := drive(t, box)
	next(t, d, "a", 1)
	must(t, d.Close())
	c, err = box.Cancel(ctx, "t")
	if err != nil || ids(c.Dropped) != "a:dropped d:dropped" || len(c.Aborting) != 0 {
		t.Errorf("Cancel of all = %q %q, %v", ids(c.Dropped), ids(c.Aborting), err)
	}
	wantList(t, box, "")
}

// told waits for a claim to be told that it is cancelled.
func told(t *testing.T, c *inbox.Claim) {
	t.Helper()
	select {
	case <-c.Cancelled():
	case <-time.After(10 * time.Second):
		t.Errorf("%q was not told", c.Record.ID)
	}
}

// untold looks for longer than telling takes.
func untold(t *testing.T, c *inbox.Claim) {
	t.Helper()
	select {
	case <-c.Cancelled():
		t.Errorf("%q was told", c.Record.ID)
	case <-time.After(150 * time.Millisecond):
	}
}

func TestCancelRunning(t *testing.T) {
	box, dir := open(t)
	for _, id := range []string{"a", "b", "c"} {
		send(t, box, inbox.Draft{ID: id})
	}
	d := drive(t, box)
	a, b := next(t, d, "a", 1), next(t, d, "b", 1)
	c, err := openAt(t, dir).Cancel(ctx, "t", "a")
	if err != nil || len(c.Dropped) != 0 || ids(c.Aborting) != "a:claimed" {
		t.Errorf("Cancel = %q %q, %v", ids(c.Dropped), ids(c.Aborting), err)
	}
	told(t, a)
	untold(t, b)
	must(t, a.Done())
	wantList(t, box, "b:claimed c:waiting")

	// Released after it was cancelled: gone all the same.
	if c, err = box.Cancel(ctx, "t"); err != nil || ids(c.Dropped) != "c:dropped" || ids(c.Aborting) != "b:claimed" {
		t.Errorf("Cancel = %q %q, %v", ids(c.Dropped), ids(c.Aborting), err)
	}
	must(t, b.Release())
	wantList(t, box, "")
	must(t, d.Close())
	marks, err := filepath.Glob(filepath.Join(dir, "t", "cur", "*"))
	if err != nil || len(marks) != 0 {
		t.Errorf("left in cur: %q, %v", marks, err)
	}
}

// A turn that was cancelled and whose driver died before it ended is not taken up
// again.
func TestCancelledThenDead(t *testing.T) {
	box, dir := open(t)
	send(t, box, inbox.Draft{ID: "a"})
	send(t, box, inbox.Draft{ID: "b"})
	d := drive(t, box)
	next(t, d, "a", 1)
	if c, err := box.Cancel(ctx, "t", "a"); err != nil || len(c.Aborting) != 1 {
		t.Fatal(c, err)
	}
	must(t, d.Close())
	d = drive(t, box)
	must(t, next(t, d, "b", 1).Done())
	if r := send(t, box, inbox.Draft{ID: "a"}); r.State != inbox.Dropped {
		t.Errorf("a is %q", r.State)
	}
	must(t, d.Close())
	// A mark without a record is cleared away by the next driver.
	stray := filepath.Join(dir, "t", "cur", "0000000000000000.0123456789abcdef0123456789abcdef.abort")
	must(t, os.WriteFile(stray, nil, 0o600))
	must(t, drive(t, box).Close())
	if _, err := os.Lstat(stray); err == nil {
		t.Error("a stray mark is still there")
	}
}

func TestDriverDrop(t *testing.T) {
	box, _ := open(t)
	for _, id := range []string{"a", "b"} {
		send(t, box, inbox.Draft{ID: id})
	}
	d := drive(t, box)
	defer d.Close()
	a := next(t, d, "a", 1)
	rs, err := d.Drop(ctx)
	if err != nil || ids(rs) != "b:dropped" {
		t.Errorf("Drop = %q, %v", ids(rs), err)
	}
	untold(t, a)
	wantList(t, box, "a:claimed")
	must(t, a.Done())
}
