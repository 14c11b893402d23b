package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// stream is one try at one answer.
type stream struct {
	chat  *Chat
	text  pieces
	usage jstext.Value
	ended bool // the endpoint has said that the answer is whole
}

// cutOff says that an answer broke off before its end.
type cutOff struct{ err error }

func (c *cutOff) Error() string {
	if c.err == nil {
		return "the answer broke off"
	}
	return fmt.Sprintf("the answer broke off: %v", c.err)
}

func (c *cutOff) Unwrap() error { return c.err }

// lastWords is how long an endpoint that has ended its answer may take to hang up.
const lastWords = 2 * time.Second

// maxEvent bounds one event in bytes. The decoder looks through all that it has of
// an event whenever a piece arrives, so this bounds its time as well.
const maxEvent = 4 << 20

func (s *stream) run(parent context.Context, body []byte) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	stall := time.AfterFunc(s.chat.o.Stall, func() { cancel(errStalled) })
	defer stall.Stop()
	alive := func() {
		if !s.ended {
			stall.Reset(s.chat.o.Stall)
		}
	}

	res, err := s.chat.post(ctx, body, alive)
	if err != nil {
		return s.chat.failure(ctx, err)
	}
	if res.StatusCode >= 300 {
		err := s.chat.refused(res)
		if parent.Err() != nil {
			return context.Cause(parent)
		}
		return err
	}
	defer res.Body.Close()
	var broken error
	for event, err := range sse.Read(res.Body, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if errors.Is(err, bufio.ErrTooLong) {
			return s.chat.failure(ctx, fmt.Errorf("sent an event of more than %d bytes", maxEvent))
		}
		if err != nil {
			broken = err
			break
		}
		if event.Data == "" {
			continue
		}
		if event.Data == "[DONE]" {
			s.ended = true
			break
		}
		if err := s.event([]byte(event.Data)); err != nil {
			return s.chat.failure(ctx, err)
		}
		if s.ended { // what may still come is a count of tokens
			stall.Reset(lastWords)
		}
	}
	s.text.end()
	switch {
	case s.ended:
		return nil
	case ctx.Err() != nil:
		return s.chat.failure(ctx, nil)
	}
	return s.chat.failure(ctx, &cutOff{broken})
}

// event takes in one chunk of the answer.
func (s *stream) event(data []byte) error {
	v, err := jstext.Parse(jstext.Decode(data))
	if err != nil || v.Kind() != jstext.Object {
		return fmt.Errorf("sent an event that is no JSON object: %s", s.chat.quoted(string(data)))
	}
	if e := v.Get("error"); e.Exists() && e.Kind() != jstext.Null {
		return fmt.Errorf("failed while answering: %s", s.chat.quoted(errorText(e)))
	}
	if u := v.Get("usage"); u.Kind() == jstext.Object {
		s.usage = usage(u)
	}
	for choice := range v.Get("choices").Elements() {
		if n, ok := choice.Get("index").Int(); ok && n != 0 {
			continue
		}
		if text, ok := choice.Get("delta", "content").Text(); ok {
			if s.text.all.Len()+len(text) > maxAnswer {
				return fmt.Errorf("gave an answer of more than %d bytes", maxAnswer)
			}
			s.text.add(text)
		}
		switch reason, ok := choice.Get("finish_reason").Text(); {
		case reason == "content_filter" || reason == "insufficient_system_resource":
			return fmt.Errorf("ended the answer: %s", reason)
		case ok:
			s.ended = true
		}
	}
	return nil
}

func errorText(e jstext.Value) string {
	if text, ok := e.Get("message").Text(); ok {
		return text
	}
	return e.Raw()
}

// usage is a count of tokens in the names of a log's own.
func usage(u jstext.Value) jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	for _, c := range []struct {
		name string
		v    jstext.Value
	}{
		{"inputTokens", u.Get("prompt_tokens")},
		{"outputTokens", u.Get("completion_tokens")},
		{"cacheReadTokens", u.Get("prompt_tokens_details", "cached_tokens")},
		{"reasoningTokens", u.Get("completion_tokens_details", "reasoning_tokens")},
	} {
		if n, ok := c.v.Int(); ok {
			w.Key(c.name)
			w.Int(n)
		}
	}
	w.EndObject()
	return w.Value()
}
