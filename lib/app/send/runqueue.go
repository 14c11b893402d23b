package send

import (
	"context"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/inbox"
)

// driverQueue is a target's inbox as the agent that drives it sees it.
type driverQueue struct {
	box    *inbox.Inbox
	driver *inbox.Driver
}

// claim is an *inbox.Claim, which has its record in a field.
type claim struct{ *inbox.Claim }

func (c claim) Record() agent.Record { return c.Claim.Record }

func (q *driverQueue) Put(ctx context.Context, r agent.Record) error {
	_, err := q.box.Enqueue(ctx, inbox.Draft{
		ID: r.ID, To: r.To, Kind: r.Kind, Content: r.Content, Source: r.Source, Contexts: r.Contexts, Meta: r.Meta,
	})
	return err
}

func (q *driverQueue) Claim(ctx context.Context) (agent.Claim, error) {
	c, err := q.driver.TryNext(ctx)
	if c == nil || err != nil {
		return nil, err
	}
	return claim{c}, nil
}

func (q *driverQueue) Steering(ctx context.Context) ([]agent.Claim, error) {
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

func (q *driverQueue) Wait(ctx context.Context) error { return q.driver.Wait(ctx) }

func (q *driverQueue) Drop(ctx context.Context) ([]agent.Record, error) { return q.driver.Drop(ctx) }

// Close loses nothing: what waits is on disk. The driver is closed by whoever made
// it.
func (q *driverQueue) Close() ([]agent.Record, error) { return nil, nil }
