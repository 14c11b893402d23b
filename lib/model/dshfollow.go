package model

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// errStuck says that dsh took a message out of its queue and did nothing with it.
var errStuck = errors.New("taken, and not seen in the log")

const (
	// pingEvery is how often dsh is asked whether it still runs.
	pingEvery = time.Second
	// lostAnswer is how long a message is looked for whose answer was lost.
	lostAnswer = 2 * time.Second
	// remoteLog is how long a log is looked for here that a dsh elsewhere may keep.
	remoteLog = 3 * time.Second
	// regret is how long a message must be missing from dsh's queue: a person who lets
	// it steer moves it in two records.
	regret = 500 * time.Millisecond
)

// follower follows one message from a point in time on.
type follower struct {
	Dsh
	m       Delivery
	sent    bool  // by this one, not by one before it
	sendErr error // what came of that, nil where dsh accepted it
	before  int   // of failures only those of attempts behind the first before count

	began   time.Time
	sight   Sight
	changed time.Time // when the sight did
	pinged  time.Time
	gone    error     // what the last ping said
	idle    time.Time // since when dsh says that no turn runs; zero: it does not
}

// follow waits until the message stands in the log, or it is clear that it will not.
func (f *follower) follow(ctx context.Context) (Fate, error) {
	f.began = time.Now()
	f.changed, f.pinged = f.began, f.began
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		start := time.Now()
		f.look(ctx)
		cost := time.Since(start)
		if fate, done, err := f.judge(); done {
			return fate, err
		}
		if f.sight.State == Queued && f.Meanwhile != nil {
			if err := f.Meanwhile(ctx); err != nil {
				return 0, err
			}
		}
		f.ask(ctx)
		// A tenth of the time is enough for reading a long log again and again.
		if err := sleep(ctx, max(wait, 10*cost)); err != nil {
			return 0, err
		}
	}
}

func (f *follower) look(ctx context.Context) {
	s := f.Dsh.look(ctx, f.m)
	if (s.State == Failed || s.State == Dropped || f.sent && s.State == Taken) && s.Attempts <= f.before {
		s.State = Unseen // an earlier attempt's
	}
	if s != f.sight {
		f.sight, f.changed, f.idle = s, time.Now(), time.Time{}
	}
}

// judge decides by the last look, and by what dsh said before it.
func (f *follower) judge() (fate Fate, done bool, err error) {
	state, still := f.sight.State, time.Since(f.changed)
	stopped := !f.idle.IsZero() && time.Since(f.idle) >= f.pingEvery()
	quiet := still > cmp.Or(f.Quiet, 5*time.Minute)
	switch {
	case state == Seen:
		return Logged, true, nil
	case state == Failed:
		return 0, true, f.ended("dsh ended the turn without the message: " + fault.QuoteUpTo(f.sight.Words, maxWords))
	case state == Dropped && (still >= regret || f.gone != nil):
		return 0, true, f.ended("the message was dropped from dsh's queue: a person did, or dsh ended")
	case f.gone != nil && (f.sendErr == nil || state > Unseen):
		return 0, true, f.left()
	case state == Unreadable, f.gone != nil, state <= Unseen && time.Since(f.began) >= f.patience():
		if f.sendErr != nil {
			return 0, true, f.failure(f.sendErr)
		}
		return Accepted, true, nil
	case state == Taken && f.sent && stopped:
		return 0, true, f.ended("dsh took the message out of its queue, and no turn runs that has it")
	case state == Taken && (stopped || quiet):
		return Accepted, true, errStuck
	case state == Queued && (stopped || quiet):
		return Waiting, true, nil
	}
	return 0, false, nil
}

func (f *follower) patience() time.Duration {
	p := cmp.Or(f.Patience, 30*time.Second)
	if f.sendErr != nil { // not necessarily is the message lost too
		p = min(p, lostAnswer)
	}
	if f.sight.State == NoLog && !isLocal(f.BaseURL) {
		p = min(p, remoteLog)
	}
	return p
}

func (f *follower) settle() time.Duration { return cmp.Or(f.Settle, 5*time.Second) }

func (f *follower) pingEvery() time.Duration { return min(pingEvery, f.settle()) }

// ask asks dsh how it is, while it has the message: whether it lives, and, where its
// log has shown nothing for a while, whether a turn runs.
func (f *follower) ask(ctx context.Context) {
	if time.Since(f.pinged) < f.pingEvery() {
		return
	}
	f.gone = f.ping(ctx)
	f.pinged = time.Now()
	if f.sight.State < Queued || f.gone != nil || time.Since(f.changed) < f.settle() {
		return
	}
	switch {
	case !f.Dsh.idle(ctx, f.m.SessionID):
		f.idle = time.Time{}
	case f.idle.IsZero():
		f.idle = time.Now()
	}
}

// maxWords bounds what is shown of dsh's own words, in bytes.
const maxWords = 1000

// ended is the failure of a message that dsh had and will not answer.
func (f *follower) ended(what string) error {
	return &fault.Error{
		Kind: fault.Unexpected, Code: fault.Failed, Subject: "record " + fault.Quote(f.m.RPCID),
		Message: what,
		Hint:    "the record waits: run again to send it once more; dsh-send cancel drops it",
	}
}

// left is the failure of a dsh that went away before it wrote the message down.
func (f *follower) left() error {
	e := f.failure(f.gone).(*fault.Error)
	record := "record " + fault.Quote(f.m.RPCID)
	switch f.sight.State {
	case Queued:
		e.Message = "went away while " + record + " waits in its queue, not delivered"
		e.Hint = "start dsh and run again: what dsh has in its queue is not sent twice"
	case Taken:
		e.Message = "went away before " + record + ", which it had taken out of its queue, stood in the session's log"
		e.Hint = "start dsh and run again"
	default:
		e.Message = "went away before " + record + " was seen in the session's log"
		e.Hint = "start dsh and run again: the log is looked into first"
	}
	return e
}

// isLocal reports whether a URL names this machine.
func isLocal(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
