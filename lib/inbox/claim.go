package inbox

import (
	"context"
	"slices"
	"sync"
	"time"
)

// abortEvery is how often a driver looks for marks on what it has claimed.
const abortEvery = 50 * time.Millisecond

// Claim is a record that a driver works on. It ends with Done or Release, one of
// them, and where that fails it may be tried again; without either, the next driver
// gets the record again. Its methods must not be called at the same time.
type Claim struct {
	Record Record
	d      *Driver
	name   name
	last   string // the directory of its last place; that may not be durable
	abort  chan struct{}
	once   sync.Once
}

// Cancelled is closed when the record is cancelled while it is claimed. What is
// left to do then is to end the turn and to call Done.
func (c *Claim) Cancelled() <-chan struct{} { return c.abort }

// Done says that the record is finished, durably: it is never claimed again.
func (c *Claim) Done() error {
	return c.end(func(h *held) (string, error) { return doneDir, h.finish(c.name, false) })
}

// Release puts the record back in its old place, as if it had never been claimed:
// steering that came too late for its turn waits for one of its own. One that has
// been cancelled meanwhile is dropped instead.
func (c *Claim) Release() error {
	return c.end(func(h *held) (string, error) {
		if h.marked(c.name.ident) {
			return doneDir, h.finish(c.name, true)
		}
		to := c.name.in(newDir)
		to.attempts--
		defer c.d.mustLook()
		return newDir, h.move(c.name.path(), to.path())
	})
}

// end moves the record to its last place, in the directory that move returns, and
// makes that durable.
func (c *Claim) end(move func(*held) (string, error)) error {
	if err := c.leave(move); err != nil {
		return err
	}
	q := c.d.q
	if err := q.flush(c.last, curDir); err != nil {
		return err
	}
	q.unmark(c.name.ident)
	return nil
}

func (c *Claim) leave(move func(*held) (string, error)) error {
	if c.last != "" {
		return nil
	}
	h, err := c.d.q.lock(context.Background())
	if err != nil {
		return err
	}
	defer h.unlock()
	dir, err := move(h)
	if err != nil {
		return err
	}
	c.last = dir
	c.d.forget(c)
	h.prune()
	return nil
}

// claim takes up to most records of the kinds, the oldest first; 0 is all.
func (d *Driver) claim(ctx context.Context, most int, kinds ...Kind) ([]*Claim, error) {
	claims, dropped, err := d.choose(ctx, most, kinds)
	if len(claims) > 0 && err == nil {
		// An attempt that is not on disk could not be counted after a crash.
		err = d.q.flush(curDir, newDir)
	}
	if len(dropped) > 0 && err == nil {
		err = d.q.flush(doneDir, curDir)
	}
	if err != nil {
		for _, c := range claims {
			_ = c.Release()
		}
		return nil, err
	}
	d.q.unmark(dropped...)
	return claims, nil
}

// choose does claim's work under the lock. It also drops what was cancelled under
// a driver that is dead.
func (d *Driver) choose(ctx context.Context, most int, kinds []Kind) (claims []*Claim, dropped []ident, err error) {
	h, err := d.q.lock(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer h.unlock()
	names, err := h.names(newDir, curDir)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range names {
		if most > 0 && len(claims) == most {
			break
		}
		switch {
		case d.holds(n.ident):
		case n.dir == curDir && h.marked(n.ident):
			if err = h.finish(n, true); err == nil {
				dropped = append(dropped, n.ident)
			}
		case slices.Contains(kinds, n.kind):
			var c *Claim
			if c, err = d.take1(h, n); err == nil {
				claims = append(claims, c)
			}
		}
		if err != nil {
			return claims, dropped, err
		}
	}
	return claims, dropped, nil
}

func (d *Driver) take1(h *held, n name) (*Claim, error) {
	r, err := h.read(n)
	if err != nil {
		return nil, err
	}
	to := n.in(curDir)
	to.attempts++
	if err := h.move(n.path(), to.path()); err != nil {
		return nil, err
	}
	r.State, r.Attempts = Claimed, to.attempts
	c := &Claim{Record: r, d: d, name: to, abort: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claims[n.ident] = c
	return c, nil
}

func (d *Driver) holds(id ident) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.claims[id] != nil
}

func (d *Driver) forget(c *Claim) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.claims, c.name.ident)
}

// Drop cancels every record that waits and leaves what this driver has claimed.
func (d *Driver) Drop(ctx context.Context) ([]Record, error) {
	h, err := d.q.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer h.unlock()
	names, err := h.names(newDir, curDir)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n name) bool { return d.holds(n.ident) })
	c, err := h.cancel(names, func(name) bool { return false })
	return c.Dropped, err
}

// watch tells claims that they are cancelled.
func (d *Driver) watch() {
	tick := time.NewTicker(abortEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
		}
		d.mu.Lock()
		for _, c := range d.claims {
			if d.q.marked(c.name.ident) {
				c.once.Do(func() { close(c.abort) })
			}
		}
		d.mu.Unlock()
	}
}
