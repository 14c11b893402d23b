package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// Options is what an agent is made of.
type Options struct {
	SessionID string
	Log       Log
	Model     Model
	Queue     Queue  // nil: a queue in memory
	Hooks     []Hook // prompt-submit listeners, the outermost first
	// On is told of everything that happens, in order: by the agent's own goroutine,
	// which waits for it, but for Queued and Dropped, of which the caller's tells: what
	// comes while the agent settles may be told before its Idle. WhenIdle returns after
	// Idle was told. On must call neither WhenIdle nor Dispose, and in Queued not Send,
	// Steer or Inject.
	On func(Event)
}

// Agent owns the messages of one session and runs one turn at a time. Its methods
// may be called at the same time.
type Agent struct {
	o       Options
	queue   Queue
	ctx     context.Context // done when the agent is to end
	dispose context.CancelCauseFunc
	gone    chan struct{} // closed when the loop has ended
	history history       // the loop's

	// line is held while a record is put into the queue or taken from it, so that
	// Queued is told before the record's turn, and a record is never unseen between
	// the queue and the turn. It is taken before mu.
	line sync.Mutex

	mu    sync.Mutex
	abort context.CancelCauseFunc // of the turn that runs; nil: none does
	busy  bool                    // something runs or waits, or Idle is not told yet
	came  bool                    // something was queued since the last look into the queue
	idle  chan struct{}           // closed at the next Idle, or at the end
	err   error                   // why the agent stopped
}

var (
	errAborted  = errors.New("aborted")
	errDisposed = errors.New("disposed")
)

// New starts an agent. It reads the log once, to go on where it ends.
func New(o Options) (*Agent, error) {
	h, err := readHistory(o.Log.Events())
	if err != nil {
		return nil, err
	}
	a := &Agent{o: o, queue: o.Queue, history: h, gone: make(chan struct{}), idle: make(chan struct{}), busy: true}
	if a.queue == nil {
		a.queue = NewMemoryQueue()
	}
	a.ctx, a.dispose = context.WithCancelCause(context.Background())
	go a.loop()
	return a, nil
}

// Send owns a message: from its return on, the record waits for a turn of its own.
func (a *Agent) Send(ctx context.Context, m Message) (Record, error) {
	return a.put(ctx, inbox.Send, m)
}

// Steer is for the turn that runs: its message joins that turn between two steps.
// One that comes too late for it waits like any other, and steering while nothing
// runs is a send.
func (a *Agent) Steer(ctx context.Context, m Message) (Record, error) {
	return a.put(ctx, inbox.Steer, m)
}

// Inject puts a context into the conversation, in its turn, without asking the
// model.
func (a *Agent) Inject(ctx context.Context, m Message) (Record, error) {
	return a.put(ctx, inbox.Inject, m)
}

func (a *Agent) put(ctx context.Context, kind inbox.Kind, m Message) (Record, error) {
	r, err := inbox.Freeze(m.draft(a.o.SessionID, kind))
	if err != nil {
		return Record{}, err
	}
	if r.ID == "" {
		r.ID = newID()
	}
	a.line.Lock()
	defer a.line.Unlock()
	if err := a.stopped(); err != nil {
		return Record{}, err
	}
	if kind == inbox.Steer && !a.running() {
		r.Kind = inbox.Send
	}
	if err := a.queue.Put(ctx, r); err != nil {
		return Record{}, err
	}
	a.mu.Lock()
	a.busy, a.came = true, true
	a.mu.Unlock()
	a.tell(Queued{r})
	return r, nil
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Cancel drops every message that waits, with its contexts, and aborts the turn
// that runs. It does not wait for that turn's end.
func (a *Agent) Cancel(ctx context.Context) error {
	a.line.Lock()
	dropped, err := a.queue.Drop(ctx)
	a.line.Unlock()
	if len(dropped) > 0 {
		a.tell(Dropped{dropped})
	}
	a.Abort()
	return err
}

// Abort aborts the turn that runs, and nothing else. It does not wait.
func (a *Agent) Abort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.abort != nil {
		a.abort(errAborted)
	}
}

// Running reports whether a turn runs, so that what comes now should steer.
func (a *Agent) Running() bool { return a.running() }

func (a *Agent) running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.abort != nil
}

// WhenIdle waits until nothing runs and nothing waits. It returns ctx's cause, or
// why the agent stopped.
func (a *Agent) WhenIdle(ctx context.Context) error {
	for {
		a.mu.Lock()
		busy, idle, err := a.busy, a.idle, a.err
		a.mu.Unlock()
		if err != nil || !busy {
			return err
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Stop asks the agent to end: it aborts the turn that runs, drops what waits in
// memory and closes the queue. It does not wait, so it may be called from On: in
// TurnEnded it ends the agent before anything else is claimed.
func (a *Agent) Stop() { a.dispose(errDisposed) }

// Dispose is Stop, and waits until the log holds all of it. It returns why the
// agent had stopped by itself, if it had. The log stays open; it is the caller's.
func (a *Agent) Dispose() error {
	a.Stop()
	<-a.gone
	a.mu.Lock()
	defer a.mu.Unlock()
	if errors.Is(a.err, errStopped) {
		return nil
	}
	return a.err
}

// Surface is the session's current surface, from memory.
func (a *Agent) Surface() *session.Surface { return a.o.Log.Surface() }

var errStopped = &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: "agent", Message: "it has stopped"}

func (a *Agent) stopped() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *Agent) tell(e Event) {
	if a.o.On != nil {
		a.o.On(e)
	}
}
