package model

import (
	"context"
	"net/http"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// pingTimeout is how long dsh may take to answer a question about itself.
const pingTimeout = 5 * time.Second

// ping is an error where nobody listens at dsh's address any more. One who does not
// answer in time may be busy.
func (d Dsh) ping(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, pingTimeout)
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

// idle reports whether dsh says that no turn of a session runs. Its list of sessions
// is the one answer that tells, and reads only. A dsh that does not say so, or not in
// time, is not idle.
func (d Dsh) idle(ctx context.Context, sessionID string) bool {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	code, body, err := d.post(ctx, "session.list", []byte(`{"type":"client-request","rpcId":"list","method":"session.list","payload":{}}`))
	if err != nil || code != http.StatusOK {
		return false
	}
	v, err := jstext.Parse(jstext.Decode(body))
	if err != nil {
		return false
	}
	for s := range v.Get("result", "value", "items").Elements() {
		if s.Get("sessionId").Is(sessionID) {
			running := s.Get("running")
			return running.Kind() == jstext.Bool && !running.True()
		}
	}
	return false
}
