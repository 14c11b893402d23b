package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// ChatOptions is how a chat endpoint is reached.
type ChatOptions struct {
	Endpoint
	Model string
	// Retries is how often a request is sent again after 429, 5xx or a failing
	// network; negative: never, 0: 4 times. The wait is half a second, doubled each
	// time up to eight seconds, or what the server's Retry-After says up to a minute.
	Retries int
	// Stall is how long the endpoint may say nothing at all; 0: five minutes.
	Stall time.Duration
}

// Chat asks an OpenAI-compatible chat completions endpoint and streams its answer.
type Chat struct{ o ChatOptions }

// maxAnswer bounds the text of one answer in bytes: what a server may make us keep.
const maxAnswer = 64 << 20

var errStalled = errors.New("stalled")

// NewChat makes the model. Nothing is sent yet.
func NewChat(o ChatOptions) *Chat {
	switch {
	case o.Retries == 0:
		o.Retries = 4
	case o.Retries < 0:
		o.Retries = 0
	}
	if o.Stall == 0 {
		o.Stall = 5 * time.Minute
	}
	return &Chat{o}
}

// Ask implements agent.Model. Reasoning is not part of the answer. An answer that
// breaks off is an error; one that broke off before its first piece of text is
// asked for again, as often as a request.
func (c *Chat) Ask(ctx context.Context, r agent.Request, delta func(string)) (agent.Answer, error) {
	body := chatBody(c.o.Model, r.Messages)
	for again := 0; ; again++ {
		s := &stream{chat: c, text: pieces{emit: delta}}
		err := s.run(ctx, body)
		if err == nil {
			return agent.Answer{Text: s.text.all.String(), Provider: c.o.Provider, Model: c.o.Model, Usage: s.usage}, nil
		}
		var cut *cutOff
		if !errors.As(err, &cut) || s.text.all.Len() > 0 || again >= c.o.Retries {
			return agent.Answer{}, err
		}
		if err := sleep(ctx, backoff(again)); err != nil {
			return agent.Answer{}, err
		}
	}
}

func backoff(again int) time.Duration {
	return min(minWait<<min(again, 4), maxWait)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// failure is an error on the way to an answer, as a person is told of it.
func (c *Chat) failure(ctx context.Context, err error) error {
	f := &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: fault.Quote(c.o.BaseURL), Err: err}
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		f.Message, f.Err = fmt.Sprintf("said nothing for %v", c.o.Stall), nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return f
}

// refused is what a status of 300 and above means.
func (c *Chat) refused(res *http.Response) error {
	defer res.Body.Close()
	f := &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: fault.Quote(c.o.BaseURL)}
	f.Message = strings.TrimSpace(fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode)))
	if to := res.Header.Get("Location"); to != "" {
		f.Message += " to " + c.quoted(to)
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if v, err := jstext.Parse(jstext.Decode(body)); err == nil {
		if text, ok := v.Get("error", "message").Text(); ok {
			f.Message += ": " + c.quoted(text)
		}
	}
	if res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden {
		f.Hint = "keys are taken from " + DeepSeekKey + " or " + OpenAIKey
	}
	return f
}

// quoted is what the server said, kept short and without the key.
func (c *Chat) quoted(s string) string {
	if c.o.Key != "" {
		s = strings.ReplaceAll(s, c.o.Key, "(the key)")
	}
	return fmt.Sprintf("%q", session.TruncateUTF8(s, 300))
}
