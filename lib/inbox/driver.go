package inbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

const driverFile = "driver"

// How often a driver looks whether something came: seldom when nothing has for a
// while, and never so seldom that a person would wait for it. Looking is one read
// of the lock file, without the lock.
const (
	pollMin = time.Millisecond
	pollMax = 50 * time.Millisecond
)

// Driver takes the records of one target. There is one at a time, in all
// processes. Its methods may be called at the same time.
type Driver struct {
	q    *queue
	file *os.File // whose flock makes this the driver
	stop chan struct{}
	gone sync.WaitGroup
	end  func() error

	mu     sync.Mutex // not held while a lock of another process is waited for
	claims map[ident]*Claim
	seen   counter // the counter when the queue was last looked through
}

// Drive makes the caller the driver of a target until Close or its death. Where
// another driver lives, the error is a *fault.Error with RuleDriven that names its
// process. What a dead driver left claimed will be claimed again, in its order.
func (b *Inbox) Drive(ctx context.Context, to string) (*Driver, error) {
	q, err := b.open(to)
	if err != nil {
		return nil, err
	}
	d := &Driver{q: q, stop: make(chan struct{}), claims: make(map[ident]*Claim)}
	if err := d.takePatiently(ctx); err != nil {
		q.close()
		return nil, err
	}
	d.end = sync.OnceValue(d.leave)
	q.sweep()
	d.gone.Go(d.watch)
	return d, nil
}

// deadGrip is how long the driver's flock is waited for. A process that is killed
// just as it starts a command leaves a child that holds all its descriptors until
// it becomes that command.
const deadGrip = 500 * time.Millisecond

func (d *Driver) takePatiently(ctx context.Context) error {
	for start := time.Now(); ; {
		err := d.take(ctx)
		var f *fault.Error
		if !errors.As(err, &f) || f.Rule != RuleDriven || time.Since(start) > deadGrip {
			return err
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}

// take becomes the driver. Everybody who asks whether there is one holds the
// queue's lock, so the asking is never taken for a driver.
func (d *Driver) take(ctx context.Context) error {
	h, err := d.q.lock(ctx)
	if err != nil {
		return err
	}
	defer h.unlock()
	f, err := h.driver()
	if err != nil {
		return err
	}
	if f == nil {
		return h.driven()
	}
	if err := h.welcome(f); err != nil {
		f.Close()
		return err
	}
	d.file = f
	return nil
}

// driver opens the driver's file and takes its flock: nil where a driver has it.
func (h *held) driver() (f *os.File, err error) {
	err = h.do("lock", driverFile, func() error {
		if f, err = h.openFile(driverFile, os.O_RDWR|os.O_CREATE); err != nil {
			return err
		}
		taken, err := tryFlock(f, false)
		if taken || err != nil {
			f.Close()
			f = nil
		}
		return err
	})
	return f, err
}

func (h *held) driverLives() (bool, error) {
	f, err := h.driver()
	if f != nil {
		f.Close()
	}
	return f == nil, err
}

// driven is the error for a second driver.
func (h *held) driven() error {
	message := "another driver runs"
	if text, err := h.readText(driverFile); err == nil && text != "" {
		message += ", process " + strings.TrimSpace(text)
	}
	return &fault.Error{
		Kind: fault.Unexpected, Code: fault.Failed, Rule: RuleDriven,
		Subject: fmt.Sprintf("inbox of %s", fault.Quote(h.to)), Message: message,
		Hint: "one at a time: what is queued is taken by the one that runs",
	}
}

// welcome puts the new driver's name on the door and clears away what only the
// one before could have.
func (h *held) welcome(f *os.File) error {
	// A full disk may keep the number from those who ask, and no more.
	_ = h.do("write", driverFile, func() error {
		if err := f.Truncate(0); err != nil {
			return err
		}
		_, err := io.WriteString(f, fmt.Sprintf("%d\n", os.Getpid()))
		return err
	})
	return h.clearMarks()
}

// clearMarks removes the marks of records that have left cur.
func (h *held) clearMarks() error {
	files, err := h.list(curDir)
	if err != nil {
		return err
	}
	stale := make(map[string]bool)
	for _, file := range files {
		if strings.HasSuffix(file, abortSuffix) {
			stale[curDir+"/"+file] = true
		}
	}
	for _, file := range files {
		if n, ok := parseName(curDir, file); ok {
			delete(stale, abortMark(n.ident))
		}
	}
	if len(stale) == 0 {
		return nil
	}
	if err := h.flush(doneDir, curDir); err != nil {
		return err
	}
	for file := range stale {
		_ = h.remove(file)
	}
	return nil
}

// Close ends the driving. What is claimed and not finished stays so, as after a
// crash; release it first where it is to wait again.
func (d *Driver) Close() error { return d.end() }

func (d *Driver) leave() error {
	close(d.stop)
	d.gone.Wait()
	err := d.q.do("write", driverFile, func() error { return d.file.Truncate(0) })
	d.file.Close()
	d.q.close()
	return err
}

// Next claims the oldest record, of whatever kind, and waits for one. Errors are
// ctx's cause, RuleDamaged (the record in turn is not one, and nothing is claimed
// until it has been moved away or cancelled), or the disk's.
func (d *Driver) Next(ctx context.Context) (*Claim, error) {
	for {
		c, err := d.TryNext(ctx)
		if c != nil || err != nil {
			return c, err
		}
		if err := d.Wait(ctx); err != nil {
			return nil, err
		}
	}
}

// TryNext is Next without waiting: nil where no record waits.
func (d *Driver) TryNext(ctx context.Context) (*Claim, error) {
	// Before looking: what comes in between is seen as a change.
	d.look(d.counter())
	cs, err := d.claim(ctx, 1, Send, Steer, Inject)
	if len(cs) == 0 {
		return nil, err
	}
	return cs[0], err
}

// Take claims every record of the kinds that waits now, in order, and leaves the
// others: what steers a running turn is taken past the messages that wait for a
// turn of their own. With an error it has claimed nothing.
func (d *Driver) Take(ctx context.Context, kinds ...Kind) ([]*Claim, error) {
	return d.claim(ctx, 0, kinds...)
}

// Wait returns when a record may have come since the last Next or TryNext, or with
// ctx's cause.
func (d *Driver) Wait(ctx context.Context) error {
	for wait := pollMin; !d.changed(); wait = min(2*wait, pollMax) {
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}

func (d *Driver) changed() bool {
	now := d.counter()
	d.mu.Lock()
	defer d.mu.Unlock()
	return now != d.seen
}

// counter is the lock file's text. Every new record changes it.
func (d *Driver) counter() counter {
	f, err := d.q.openFile(lockFile, os.O_RDONLY)
	if err != nil {
		return counter{}
	}
	defer f.Close()
	return readCounter(f)
}

func (d *Driver) look(at counter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = at
}

// mustLook makes the next Wait return: something waits again.
func (d *Driver) mustLook() { d.look(counter{next: -1}) }
