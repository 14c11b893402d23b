package tui

import (
	"context"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/agent"
)

// Feed carries the agent's events to the host. Putting never waits, so that a
// terminal that cannot keep up holds up no turn. NewFeed makes one.
type Feed struct {
	mu     sync.Mutex
	events []agent.Event
	came   chan struct{} // has room for one: something came
}

// NewFeed returns an empty feed.
func NewFeed() *Feed { return &Feed{came: make(chan struct{}, 1)} }

// Put is for agent.Options.On.
func (f *Feed) Put(e agent.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
	select {
	case f.came <- struct{}{}:
	default:
	}
}

// Next waits for events and takes all there are; none where ctx is done first.
func (f *Feed) Next(ctx context.Context) []agent.Event {
	for {
		select {
		case <-f.came:
		case <-ctx.Done():
			return nil
		}
		// What a signal stood for may have been taken along with what came before it.
		if events := f.take(); len(events) > 0 {
			return events
		}
	}
}

func (f *Feed) take() []agent.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	events := f.events
	f.events = nil
	return events
}
