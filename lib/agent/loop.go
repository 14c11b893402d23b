package agent

import (
	"context"
	"errors"
)

// loop claims records until the agent is disposed of, or cannot go on.
func (a *Agent) loop() {
	err := a.serve()
	a.line.Lock()
	lost, closeErr := a.queue.Close()
	if errors.Is(err, errDisposed) {
		err = closeErr
	}
	a.mu.Lock()
	a.abort = nil
	if a.err = err; err == nil {
		a.err = errStopped
	}
	a.settle()
	a.mu.Unlock()
	a.line.Unlock()
	if len(lost) > 0 {
		a.tell(Dropped{lost})
	}
	a.tell(Stopped{err})
	close(a.gone)
}

// serve returns why it ended, errDisposed for the ordinary end.
func (a *Agent) serve() error {
	for {
		next, err := a.claim()
		if err != nil {
			return err
		}
		if next.claim != nil {
			if err := a.run(next); err != nil {
				return err
			}
			continue
		}
		if next.idle {
			a.tell(Idle{})
			a.mu.Lock()
			if !a.came {
				a.settle()
			}
			a.mu.Unlock()
		}
		if err := a.queue.Wait(a.ctx); err != nil {
			return a.orDisposed(err)
		}
	}
}

// next is what there is to do: a record, or nothing.
type next struct {
	claim Claim // nil: nothing waits
	ctx   context.Context
	abort context.CancelCauseFunc
	idle  bool // nothing, for the first time since something did
}

// claim takes the oldest record and makes its turn the one that runs.
func (a *Agent) claim() (next, error) {
	a.line.Lock()
	defer a.line.Unlock()
	if a.ctx.Err() != nil {
		return next{}, errDisposed
	}
	c, err := a.queue.Claim(a.ctx)
	if err != nil {
		return next{}, a.orDisposed(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.abort, a.came = nil, false
	if c == nil {
		return next{idle: a.busy}, nil
	}
	ctx, abort := context.WithCancelCause(a.ctx)
	a.abort, a.busy = abort, true
	return next{claim: c, ctx: ctx, abort: abort}, nil
}

// settle lets those go on who wait for the agent to be idle; mu is held.
func (a *Agent) settle() {
	if a.busy {
		a.busy = false
		close(a.idle)
		a.idle = make(chan struct{})
	}
}

// orDisposed is errDisposed where that is what an error came of.
func (a *Agent) orDisposed(err error) error {
	if a.ctx.Err() != nil {
		return errDisposed
	}
	return err
}

// run sees one record to its end. The error is one after which the agent cannot go
// on: the log or the queue failed.
func (a *Agent) run(n next) error {
	c, r := n.claim, n.claim.Record()
	defer n.abort(nil)
	if a.history.settled[r.ID] {
		return c.Done() // the log has it: only the queue was not told any more
	}
	if a.ctx.Err() != nil {
		if err := c.Release(); err != nil {
			return err
		}
		return errDisposed
	}
	go func() {
		select {
		case <-c.Cancelled():
			n.abort(errAborted)
		case <-n.ctx.Done():
		}
	}()
	a.history.lastTurn++
	t := &turn{a: a, ctx: n.ctx, n: a.history.lastTurn, record: r}
	if err := t.run(); err != nil {
		return err
	}
	return c.Done()
}
