package model

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// errStuck says that dsh took a message out of its queue and did nothing with it.
var errStuck = errors.New("taken, and not seen in the log")

// pingEvery is how often dsh is asked whether it still runs, while a message is its.
const pingEvery = time.Second

// follow waits until the message stands in the log, or it is clear that it will not.
// Of failures only those of attempts behind the first before count. sendErr is what
// came of sending, nil where dsh accepted it.
func (d Dsh) follow(ctx context.Context, m Delivery, before int, sendErr error) (Fate, error) {
	patience, quiet := cmp.Or(d.Patience, 30*time.Second), cmp.Or(d.Quiet, 5*time.Minute)
	if sendErr != nil { // the answer was lost, not necessarily the message
		patience = min(patience, 2*time.Second)
	}
	began := time.Now()
	changed, pinged := began, began
	var last Sight
	var gone error
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		s := d.look(ctx, m)
		if s.State == Failed && s.Attempts <= before {
			s.State = Unseen // an earlier attempt's
		}
		if s != last {
			last, changed = s, time.Now()
		}
		switch s.State {
		case Seen:
			return Logged, nil
		case Failed:
			return 0, d.ended(m, s.Words)
		case Unreadable, Unseen:
			if s.State == Unseen && time.Since(began) < patience {
				break
			}
			if sendErr != nil {
				return 0, d.failure(sendErr)
			}
			return Accepted, nil
		case Queued, Taken:
			switch {
			case gone != nil: // the look above came behind it
				return 0, d.left(m, gone)
			case time.Since(changed) > quiet && s.State == Taken:
				return 0, errStuck
			case time.Since(changed) > quiet:
				return Waiting, nil
			case time.Since(pinged) >= pingEvery:
				pinged, gone = time.Now(), d.ping(ctx)
			}
		}
		if err := sleep(ctx, wait); err != nil {
			return 0, err
		}
	}
}

// ping is an error where nobody listens at dsh's address any more. One who does not
// answer in time may be busy.
func (d Dsh) ping(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(short, http.MethodHead, d.BaseURL, nil)
	if err != nil {
		return nil
	}
	client := newClient()
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err == nil {
		res.Body.Close()
	}
	if short.Err() != nil {
		return nil
	}
	return err
}

// maxWords bounds what is shown of dsh's own words, in bytes.
const maxWords = 1000

// ended is the failure of a turn that ended without the message.
func (d Dsh) ended(m Delivery, words string) error {
	return &fault.Error{
		Kind: fault.Unexpected, Code: fault.Failed, Subject: "record " + fault.Quote(m.RPCID),
		Message: "dsh ended the turn without the message: " + fault.QuoteUpTo(words, maxWords),
		Hint:    "the record waits: run again to send it once more; dsh-send cancel drops it",
	}
}

// left is the failure of a dsh that went away before it wrote the message down.
func (d Dsh) left(m Delivery, err error) error {
	f := d.failure(err).(*fault.Error)
	f.Message = "went away before record " + fault.Quote(m.RPCID) + " stood in the session's log"
	f.Hint = "start dsh and run again: what dsh has in its queue is not sent twice"
	return f
}
