package tui

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/app/drive"
	"github.com/dsh-toolkit/dsh/lib/app/state"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
	host "github.com/dsh-toolkit/dsh/lib/tui"
)

// conversation is the target session: an agent on a log of the toolkit's own. A new
// one is begun with its first message, so that looking in leaves no empty session
// behind.
type conversation struct {
	sys     *cli.System
	id, cwd string
	given   bool // the id was given: there may be a log
	set     *store.Set
	answers answers
	feed    *host.Feed

	mu     sync.Mutex
	driver *inbox.Driver
	log    *logwriter.Log
	agent  *agent.Agent // nil until it is started
}

func newConversation(c *cli.Call, id, cwd string, set *store.Set, a answers) *conversation {
	v := &conversation{sys: c.Sys, id: id, cwd: cwd, given: id != "", set: set, answers: a, feed: host.NewFeed()}
	if !v.given {
		v.id = uuid.NewString()
	}
	return v
}

// open is the host's Open.
func (v *conversation) open(ctx context.Context) (*host.Target, error) {
	if v.given {
		known, err := v.known(ctx)
		if err != nil {
			return nil, err
		}
		if known {
			if _, err := v.start(ctx); err != nil {
				return nil, err
			}
		}
	}
	return &host.Target{Surface: v.Surface(), Agent: v, Events: v.feed}, nil
}

// known reports whether the given session has a log here, or messages that wait for
// it. One of another program is nothing to write into.
func (v *conversation) known(ctx context.Context) (bool, error) {
	root, err := state.Sessions(v.sys)
	if err != nil {
		return false, err
	}
	own, err := dshlog.Open(root.Dir(), v.sys.StoreEnv())
	if err != nil {
		return false, err
	}
	if refs, err := own.Lookup(ctx, v.id); err != nil || len(refs) > 0 {
		return true, err
	}
	found, err := v.set.Find(ctx, v.id)
	var f *fault.Error
	switch {
	case err == nil:
		return false, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Subject: store.Subject(v.id),
			Message: "of another program, in " + strconv.Quote(found.Ref.Path) + ", and only that may write to it",
			Hint:    "start without --to, and mention it in a message",
		}
	case !errors.As(err, &f) || f.Rule != "not-found":
		return false, err
	}
	box, err := state.Inbox(v.sys)
	if err != nil {
		return false, err
	}
	waiting, err := box.List(ctx, v.id)
	return len(waiting) > 0, err
}

// start takes the session's inbox, opens its log and starts the agent, once.
func (v *conversation) start(ctx context.Context) (*agent.Agent, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.agent != nil {
		return v.agent, nil
	}
	box, err := state.Inbox(v.sys)
	if err != nil {
		return nil, err
	}
	root, err := state.Sessions(v.sys)
	if err != nil {
		return nil, err
	}
	driver, err := box.Drive(ctx, v.id)
	if err != nil {
		return nil, err
	}
	log, err := root.Open(logwriter.Options{ID: v.id, Cwd: &v.cwd, Now: v.sys.Now})
	if err != nil {
		return nil, errors.Join(err, driver.Close())
	}
	a, err := agent.New(agent.Options{
		SessionID: v.id, Log: log, Model: v.answers.model, Hooks: v.answers.hooks,
		Queue: drive.Queue(box, driver), On: v.feed.Put,
	})
	if err != nil {
		return nil, errors.Join(err, log.Close(), driver.Close())
	}
	v.driver, v.log, v.agent = driver, log, a
	return a, nil
}

// begun reports whether there is a log to go on with.
func (v *conversation) begun() bool { return v.now() != nil }

func (v *conversation) now() *agent.Agent {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.agent
}

// Send implements tui.Agent.
func (v *conversation) Send(ctx context.Context, m agent.Message) (agent.Record, error) {
	a, err := v.start(ctx)
	if err != nil {
		return agent.Record{}, err
	}
	return a.Send(ctx, m)
}

// Steer implements tui.Agent.
func (v *conversation) Steer(ctx context.Context, m agent.Message) (agent.Record, error) {
	a, err := v.start(ctx)
	if err != nil {
		return agent.Record{}, err
	}
	return a.Steer(ctx, m)
}

// Cancel implements tui.Agent.
func (v *conversation) Cancel(ctx context.Context) error {
	if a := v.now(); a != nil {
		return a.Cancel(ctx)
	}
	return nil
}

// Running implements tui.Agent.
func (v *conversation) Running() bool {
	a := v.now()
	return a != nil && a.Running()
}

// Surface implements tui.Agent: what a new session has is a header.
func (v *conversation) Surface() *session.Surface {
	if a := v.now(); a != nil {
		return a.Surface()
	}
	return &session.Surface{Header: session.NewHeader(v.id, v.sys.Now().UnixMilli(), &v.cwd)}
}

// patience is how long leaving waits for a turn to end in the log. What does not
// end by then is closed when the session is next opened.
const patience = 3 * time.Second

// close ends the agent and gives the log up.
func (v *conversation) close() error {
	a := v.now()
	if a == nil {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- errors.Join(a.Dispose(), v.log.Close(), v.driver.Close()) }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return nil
	}
}
