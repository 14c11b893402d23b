package send

import (
	"context"
	"errors"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/model"
)

// delivery hands a session's messages to a running dsh, one after the other. What
// steers overtakes what waits in dsh's queue for a turn of its own.
type delivery struct {
	c       *cli.Call
	driver  *inbox.Driver
	dsh     model.Dsh
	hooks   []agent.Hook
	steers  []*inbox.Claim // taken to overtake, and not served yet
	blocked error
}

func runDsh(c *cli.Call, box *inbox.Inbox, to string) error {
	driver, err := box.Drive(c.Ctx(), to)
	if err != nil {
		return err
	}
	defer driver.Close()
	if _, err := dshStores(c); err != nil {
		return err
	}
	l := &logs{c, make(map[string]looked)}
	d := &delivery{c: c, driver: driver, hooks: hooks(c)}
	d.dsh = model.Dsh{BaseURL: dshURL(c), Look: l.look, Meanwhile: d.steer}
	return d.run()
}

func dshURL(c *cli.Call) string {
	for _, u := range []string{c.Generic("dsh").(*optionalURL).url, c.Sys.Getenv("DSH_WEB_URL")} {
		if u != "" {
			return u
		}
	}
	return model.DefaultDshURL
}

func (d *delivery) run() error {
	for {
		c, err := d.driver.TryNext(d.c.Ctx())
		if err != nil {
			return err
		}
		if c == nil {
			if d.c.Bool("once") {
				return d.blocked
			}
			if err := d.driver.Wait(d.c.Ctx()); err != nil {
				return err
			}
			continue
		}
		if err := d.serve(c); err != nil {
			return err
		}
	}
}

// serve delivers one record. One that did not get through waits again.
func (d *delivery) serve(c *inbox.Claim) error {
	ctx, cancel := context.WithCancelCause(d.c.Ctx())
	defer cancel(nil)
	go func() {
		select {
		case <-c.Cancelled():
			cancel(errCancelled)
		case <-ctx.Done():
		}
	}()
	err := d.deliver(ctx, c.Record)
	if errors.Is(err, errCancelled) {
		d.noteCancelled(c.Record)
		return c.Done()
	}
	if err == nil {
		return c.Done()
	}
	if releaseErr := c.Release(); releaseErr != nil {
		return releaseErr
	}
	return err
}

var errCancelled = errors.New("the record was cancelled")

// noteCancelled says where a record was cancelled that dsh keeps.
func (d *delivery) noteCancelled(r inbox.Record) {
	switch d.dsh.Look(d.c.Ctx(), r.To, r.ID).State {
	case model.Queued, model.Taken:
		d.c.Note("record %s: cancelled here, and dsh still has it in its queue", fault.Quote(r.ID))
	}
}

// steer serves what steers while a message waits in dsh's queue. It is called again
// while one of those waits in its turn, so all of them are dsh's before the running
// turn's next step.
func (d *delivery) steer(ctx context.Context) error {
	taken, err := d.driver.Take(ctx, inbox.Steer)
	if err != nil {
		return err
	}
	d.steers = append(d.steers, taken...)
	for len(d.steers) > 0 {
		c := d.steers[0]
		d.steers = d.steers[1:]
		if err := d.serve(c); err != nil {
			for _, c := range d.steers {
				err = errors.Join(err, c.Release())
			}
			d.steers = nil
			return err
		}
	}
	return nil
}

func (d *delivery) deliver(ctx context.Context, r inbox.Record) error {
	if err := deliverable(r); err != nil {
		return err
	}
	content, contexts, mode := r.Content, r.Contexts, model.SteerMode
	if r.Kind == inbox.Send {
		mode = model.QueueMode
		decision, err := agent.Submit(ctx, d.hooks, agent.Prompt{
			SessionID: r.To, Content: r.Content, Source: r.Source, Contexts: r.Contexts,
		})
		if err != nil {
			return err
		}
		if decision.Block {
			d.block(r, decision.Reason)
			return nil
		}
		content, contexts = decision.Content, decision.AdditionalContexts
	}
	fate, err := d.dsh.Deliver(ctx, model.Delivery{
		SessionID: r.To, RPCID: r.ID, Mode: mode, Content: agent.BakeAll(content, contexts),
	})
	if err == nil {
		d.c.Note("record %s: %s", fault.Quote(r.ID), fates[fate])
	}
	return err
}

var fates = map[model.Fate]string{
	model.Logged:   "delivered: it stands in the session's log",
	model.Accepted: "accepted only: it was not seen in the session's log",
	model.Waiting:  "accepted only: it waits in dsh's queue for the end of a turn, or for the session's next prompt",
}

func (d *delivery) block(r inbox.Record, reason string) {
	err := blockedError(reason)
	if d.c.Bool("once") {
		d.blocked = err
		return
	}
	d.c.Note("record %s: %v", fault.Quote(r.ID), err)
}

// deliverable refuses what dsh would take for something else than it is: there,
// everything that is delivered is the user's own word.
func deliverable(r inbox.Record) error {
	what := ""
	switch {
	case r.Kind == inbox.Inject:
		what = "a running dsh takes no injected context"
	case !r.Source.Get("kind").Is("user"):
		what = "a running dsh would take the message for the user's own, and its source is " + fault.Quote(r.Source.Raw())
	default:
		return nil
	}
	return &fault.Error{
		Kind: fault.Unexpected, Code: fault.Failed, Subject: "record " + fault.Quote(r.ID), Message: what,
		Hint: "dsh-send cancel drops it",
	}
}
