package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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

// Dsh delivers messages into a running dsh.
type Dsh struct {
	BaseURL string // what stands before /api
	// Look looks for an rpcId in a session's log; nil: there is none to look into.
	Look func(ctx context.Context, sessionID, rpcID string) Sight
	// Patience is how long an accepted message may take to show in the log before
	// its acceptance has to do; 0: thirty seconds.
	Patience time.Duration
	// Quiet is how long a message may stay in dsh's queue while nothing is written to
	// the log; 0: five minutes. A turn may be waiting for a person's approval.
	Quiet time.Duration
	// Settle is how long the log must be as it is before dsh is asked whether a turn
	// runs, because it is that which a message in its queue waits for; 0: five seconds.
	Settle time.Duration
	// Meanwhile, where there is one, is called now and then while a message waits in
	// dsh's queue. Its error ends the delivery.
	Meanwhile func(ctx context.Context) error
}

// Fate is how a delivery is known to have arrived.
type Fate int

// The fates.
const (
	Logged   Fate = iota // it stands in the session's log as a message
	Accepted             // dsh said so, and its log cannot be read or does not show it
	Waiting              // it is in dsh's queue, and nothing happens there
)

// Deliver hands a message over once and follows it until it stands in the session's
// log. It looks into the log first and sends nothing that is there or in dsh's queue
// already, so it can be called again after a crash at any point. Errors are
// *fault.Error, among them dsh's own reason where a turn ended without the message, or
// ctx's cause; the next call finds out, as far as the log can be read, whether the
// message has arrived.
func (d Dsh) Deliver(ctx context.Context, m Delivery) (Fate, error) {
	before := d.look(ctx, m)
	switch before.State {
	case Seen:
		return Logged, nil
	case Queued, Taken:
		f := follower{Dsh: d, m: m, before: before.Attempts - 1}
		fate, err := f.follow(ctx)
		if !errors.Is(err, errStuck) {
			return fate, err
		}
		before = f.sight
		// Nothing comes of it: dsh was killed between taking it and writing it down.
	}
	sendErr := d.send(ctx, m)
	var refused *refusal
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case errors.As(sendErr, &refused):
		return 0, d.failure(refused)
	case neverSent(sendErr):
		return 0, d.failure(sendErr)
	}
	f := follower{Dsh: d, m: m, sent: true, sendErr: sendErr, before: before.Attempts}
	fate, err := f.follow(ctx)
	if errors.Is(err, errStuck) {
		return Accepted, nil
	}
	return fate, err
}

func (d Dsh) look(ctx context.Context, m Delivery) Sight {
	if d.Look == nil {
		return Sight{}
	}
	return d.Look(ctx, m.SessionID, m.RPCID)
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

// neverSent reports whether an error is that of a connection that was not made.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// answerTimeout is how long dsh may take to answer: it may have to resume the
// session first.
const answerTimeout = time.Minute

// send posts the message. An error that is no *refusal leaves open whether it
// arrived.
func (d Dsh) send(ctx context.Context, m Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	code, body, err := d.post(ctx, "session.prompt", promptBody(m))
	if err != nil {
		return err
	}
	return accepted(code, body, m.RPCID)
}

// maxReply bounds what is read of an answer. A list of sessions was seen to take 1.2
// kB for each.
const maxReply = 64 << 20

// post calls a method of dsh's. A *refusal says that nothing was sent.
func (d Dsh) post(ctx context.Context, method string, body []byte) (code int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(d.BaseURL, "/")+"/api/"+method, bytes.NewReader(body))
	if err != nil {
		return 0, nil, &refusal{err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	client := newClient()
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxReply))
	return res.StatusCode, answer, err
}

// newClient is a client with connections of its own, which may be closed without
// regard to others. It follows no redirect.
func newClient() *http.Client {
	return &http.Client{
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
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
