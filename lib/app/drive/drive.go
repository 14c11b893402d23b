// Package drive puts an agent before its target's inbox: what was sent to the
// session, by whatever program, is claimed in its order.
package drive

import (
	"context"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/inbox"
)

// Queue is a target's inbox as the agent that drives it sees it.
func Queue(box *inbox.Inbox, driver *inbox.Driver) agent.Queue { return &queue{box, driver} }

type queue struct {
	box    *inbox.Inbox
	driver *inbox.Driver
}

// claim is an *inbox.Claim, which has its record in a field.
type claim struct{ *inbox.Claim }

func (c claim) Record() agent.Record { return c.Claim.Record }

func (q *queue) Put(ctx context.Context, r agent.Record) error {
	_, err := q.box.Enqueue(ctx, inbox.Draft{
		ID: r.ID, To: r.To, Kind: r.Kind, Content: r.Content, Source: r.Source, Contexts: r.Contexts, Meta: r.Meta,
	})
	return err
}

func (q *queue) Claim(ctx context.Context) (agent.Claim, error) {
	c, err := q.driver.TryNext(ctx)
	if c == nil || err != nil {
		return nil, err
	}
	return claim{c}, nil
}

func (q *queue) Steering(ctx context.Context) ([]agent.Claim, error) {
	taken, err := q.driver.Take(ctx, inbox.Steer)
	if err != nil {
		return nil, err
	}
	claims := make([]agent.Claim, len(taken))
	for i, c := range taken {
		claims[i] = claim{c}
	}
	return claims, nil
}

func (q *queue) Wait(ctx context.Context) error { return q.driver.Wait(ctx) }

func (q *queue) Drop(ctx context.Context) ([]agent.Record, error) { return q.driver.Drop(ctx) }

// Close loses nothing: what waits is on disk. The driver is closed by whoever made
// it.
func (q *queue) Close() ([]agent.Record, error) { return nil, nil }
