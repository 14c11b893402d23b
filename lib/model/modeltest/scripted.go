// Package modeltest is a model for tests: it answers from a script and keeps what
// it was asked. Nothing but tests imports it.
package modeltest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Reply is the answer to one request.
type Reply struct {
	Pieces []string // the text, as it comes
	Err    error    // instead of coming to an end after the pieces
	// Asked, if set, is closed when the request has come and the pieces are out.
	Asked chan struct{}
	// Until, if set, must be closed before the answer ends. A request that is
	// cancelled does not wait for it.
	Until chan struct{}
}

// Text is a reply of one piece.
func Text(s string) Reply { return Reply{Pieces: []string{s}} }

// Held is a reply that has said its pieces and waits to be let go on.
func Held(pieces ...string) Reply {
	return Reply{Pieces: pieces, Asked: make(chan struct{}), Until: make(chan struct{})}
}

// Scripted is an agent.Model.
type Scripted struct {
	mu      sync.Mutex
	replies []Reply
	asked   []agent.Request
}

// New makes a model that gives the replies in order, one a request.
func New(replies ...Reply) *Scripted { return &Scripted{replies: replies} }

// Ask implements agent.Model. A request for which the script has no reply is an
// error.
func (s *Scripted) Ask(ctx context.Context, r agent.Request, delta func(string)) (agent.Answer, error) {
	reply, err := s.next(r)
	if err != nil {
		return agent.Answer{}, err
	}
	for _, p := range reply.Pieces {
		delta(p)
	}
	if reply.Asked != nil {
		close(reply.Asked)
	}
	if reply.Until != nil {
		select {
		case <-reply.Until:
		case <-ctx.Done():
			return agent.Answer{}, context.Cause(ctx)
		}
	}
	if reply.Err != nil {
		return agent.Answer{}, reply.Err
	}
	return agent.Answer{Text: jstext.Join(reply.Pieces...), Provider: "scripted", Model: "script"}, nil
}

func (s *Scripted) next(r agent.Request) (Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	if len(s.replies) == 0 {
		return Reply{}, fmt.Errorf("the script has no reply number %d", len(s.asked))
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	return reply, nil
}

// Asked is what was asked so far, in order.
func (s *Scripted) Asked() []agent.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Left is the number of replies nobody has asked for.
func (s *Scripted) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.replies)
}
