package agent

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/inbox"
)

// Queue holds the records that wait for one agent, in their order. Records of
// all kinds stand in one line: steering that nobody drains in time is claimed in
// its turn like any other.
type Queue interface {
	// Put adds a record at the end.
	Put(context.Context, Record) error
	// Claim takes the oldest record; nil if none waits.
	Claim(context.Context) (Claim, error)
	// Steering takes the records of kind steer, the oldest first, and leaves the
	// others.
	Steering(context.Context) ([]Claim, error)
	// Wait returns when a record may have come since the last Claim.
	Wait(context.Context) error
	// Drop lets go of every record that waits, and returns them.
	Drop(context.Context) ([]Record, error)
	// Close ends the agent's use of the queue; no other method is called after it.
	// It returns the records that are lost with it.
	Close() ([]Record, error)
}

// Claim is one record taken from a Queue. It ends with Done or Release, once, or
// with neither where the process or the log fails.
type Claim interface {
	Record() Record
	// Cancelled is closed when somebody asks to abort the record's turn; nil: never.
	Cancelled() <-chan struct{}
	// Done says that the log holds the record's fate.
	Done() error
	// Release puts the record back in its old place, untouched.
	Release() error
}

// memory is a Queue that lives and ends with its process.
type memory struct {
	mu      sync.Mutex
	waiting []Record
	came    chan struct{} // has room for one: something came
	closed  bool
}

// NewMemoryQueue makes a queue in memory: Close loses what still waits.
func NewMemoryQueue() Queue { return &memory{came: make(chan struct{}, 1)} }

var errClosed = errors.New("the queue is closed")

func (m *memory) Put(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	m.waiting = append(m.waiting, r)
	select {
	case m.came <- struct{}{}:
	default:
	}
	return nil
}

func (m *memory) Claim(context.Context) (Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waiting) == 0 {
		return nil, nil
	}
	r := m.waiting[0]
	m.waiting = slices.Delete(m.waiting, 0, 1)
	return memoryClaim{m, r}, nil
}

func (m *memory) Steering(context.Context) ([]Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Claim
	m.waiting = slices.DeleteFunc(m.waiting, func(r Record) bool {
		if r.Kind == inbox.Steer {
			out = append(out, memoryClaim{m, r})
		}
		return r.Kind == inbox.Steer
	})
	return out, nil
}

func (m *memory) Wait(ctx context.Context) error {
	select {
	case <-m.came:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m *memory) Drop(context.Context) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.waiting
	m.waiting = nil
	return out, nil
}

func (m *memory) Close() ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.waiting
	m.waiting, m.closed = nil, true
	return out, nil
}

type memoryClaim struct {
	m *memory
	r Record
}

func (c memoryClaim) Record() Record { return c.r }

func (c memoryClaim) Cancelled() <-chan struct{} { return nil }

func (c memoryClaim) Done() error { return nil }

func (c memoryClaim) Release() error {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	// Claims are released in the opposite of the order in which they were taken, so
	// the front is the old place.
	c.m.waiting = slices.Insert(c.m.waiting, 0, c.r)
	return nil
}
