package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// DefaultDshURL is where a running dsh listens that nobody has told otherwise.
const DefaultDshURL = "http://127.0.0.1:3080"

// Mode is how a running dsh is to take a message.
type Mode string

// The modes of session.prompt.
const (
	QueueMode Mode = "queue" // it waits for a turn of its own
	SteerMode Mode = "steer" // it joins the turn that runs
)

// Delivery is one message for a session of a running dsh.
type Delivery struct {
	SessionID string
	// RPCID is the record's id. It comes back in the session's log as source.rpcId,
	// and dsh does not mind seeing it twice: who may have sent it looks first.
	RPCID   string
	Mode    Mode
	Content jstext.Value // the blocks, with every context baked in
}

// Sight is what a look into a session's log found.
type Sight int

// What can be found.
const (
	Unseen     Sight = iota // the log was read, and the message is not in it
	Seen                    // it is in the log
	Unreadable              // there is no log to look into
)

// Dsh delivers messages into a running dsh.
type Dsh struct {
	BaseURL string // what stands before /api
	// Look looks for an rpcId in a session's log.
	Look func(ctx context.Context, sessionID, rpcID string) Sight
	// Patience is how long an accepted message may take to show in the log before
	// its acceptance has to do; 0: thirty seconds.
	Patience time.Duration
}

// Fate is how a delivery is known to have arrived.
type Fate int

// The fates.
const (
	Logged   Fate = iota // its rpcId is in the session's log
	Accepted             // dsh said so, and its log cannot be read or does not show it
)

// Deliver hands a message over once. It looks into the log first and sends nothing
// that is there already, so it can be called again after a crash at any point.
// Errors are *fault.Error, or ctx's cause; either way the message may have arrived
// or not, which the next call finds out as far as the log can be read.
func (d Dsh) Deliver(ctx context.Context, m Delivery) (Fate, error) {
	if d.look(ctx, m) == Seen {
		return Logged, nil
	}
	sendErr := d.send(ctx, m)
	var refused *refusal
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case errors.As(sendErr, &refused):
		return 0, d.failure(refused)
	}
	patience := d.Patience
	if patience == 0 {
		patience = 30 * time.Second
	}
	if sendErr != nil { // the answer was lost, not necessarily the message
		patience = min(patience, 2*time.Second)
	}
	if err := d.await(ctx, m, patience); err == nil {
		return Logged, nil
	} else if ctx.Err() != nil {
		return 0, err
	}
	if sendErr != nil {
		return 0, d.failure(sendErr)
	}
	return Accepted, nil
}

func (d Dsh) look(ctx context.Context, m Delivery) Sight {
	if d.Look == nil {
		return Unreadable
	}
	return d.Look(ctx, m.SessionID, m.RPCID)
}

var errUnseen = errors.New("not seen in the log")

// await waits until the message shows in the log.
func (d Dsh) await(ctx context.Context, m Delivery, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		switch d.look(ctx, m) {
		case Seen:
			return nil
		case Unreadable:
			return errUnseen
		}
		if time.Now().After(deadline) {
			return errUnseen
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// refusal is an answer that says the message was not taken.
type refusal struct{ what string }

func (r *refusal) Error() string { return r.what }

func (d Dsh) failure(err error) error {
	f := &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: "dsh at " + fault.Quote(d.BaseURL), Err: err}
	var op *url.Error
	if errors.As(err, &op) {
		f.Err = op.Err // the URL is the subject already
		f.Hint = "start dsh, or say where it listens: --dsh URL, or DSH_WEB_URL"
	}
	return f
}

// answerTimeout is how long dsh may take to answer: it may have to resume the
// session first.
const answerTimeout = time.Minute

// send posts the message. An error that is no *refusal leaves open whether it
// arrived.
func (d Dsh) send(ctx context.Context, m Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(d.BaseURL, "/")+"/api/session.prompt", bytes.NewReader(promptBody(m)))
	if err != nil {
		return &refusal{err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	return accepted(res.StatusCode, body, m.RPCID)
}

func promptBody(m Delivery) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text("client-request")
	w.Key("rpcId")
	w.Text(m.RPCID)
	w.Key("method")
	w.Text("session.prompt")
	w.Key("payload")
	w.BeginObject()
	w.Key("sessionId")
	w.Text(m.SessionID)
	w.Key("mode")
	w.Text(string(m.Mode))
	w.Key("content")
	w.Raw(m.Content)
	w.EndObject()
	w.EndObject()
	return w.Bytes()
}

// accepted is nil for the answer that says so to this request.
func accepted(code int, body []byte, rpcID string) error {
	if code != http.StatusOK {
		what := fmt.Sprintf("answered %s", strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code))))
		if code >= 500 {
			return errors.New(what)
		}
		return &refusal{what}
	}
	v, err := jstext.Parse(jstext.Decode(body))
	if err != nil || !v.Get("type").Is("server-response") || !v.Get("rpcId").Is(rpcID) {
		return errors.New("gave no answer to the request: " + fault.Quote(string(body)))
	}
	// The answer has been checked to be JSON and ours; what is left are routes to
	// words that a person reads, where gjson's looser strings do no harm.
	result := gjson.Parse(v.Raw()).Get("result")
	switch {
	case result.Get("ok").Bool() && result.Get("value.accepted").Bool():
		return nil
	case result.Get("ok").Bool():
		return &refusal{"did not accept the message"}
	}
	message := result.Get("error.message").String()
	if message != "" {
		message = ": " + fault.Quote(message)
	}
	return &refusal{"refused the message: " + fault.Quote(result.Get("error.code").String()) + message}
}
