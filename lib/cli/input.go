package cli

import (
	"context"
	"errors"
	"io"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// ReadAll reads an input whole or not at all; name is what errors call it.
func ReadAll(ctx context.Context, r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(Interruptible(ctx, r, name))
	if err != nil {
		return nil, err // a part of an input must not pass for the input
	}
	return b, nil
}

// Interruptible returns a reader of r that gives up as soon as ctx is done, also
// where a read of r blocks and cannot be interrupted (a terminal, a FIFO): then
// its error is the context's cause. A failure of r is a *fault.Error about name.
// After the error a read of r may still be under way, so r must not be used again.
func Interruptible(ctx context.Context, r io.Reader, name string) io.Reader {
	// Buffered, so that a read that outlives the caller can end.
	return &interruptible{ctx: ctx, r: r, name: name, buf: make([]byte, 64<<10), done: make(chan result, 1)}
}

type result struct {
	n   int
	err error
}

type interruptible struct {
	ctx  context.Context
	r    io.Reader
	name string
	buf  []byte // what a read under way writes to; not the caller's memory
	rest []byte // what has been read and not been asked for
	err  error
	done chan result
}

func (r *interruptible) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *interruptible) fill() {
	if r.ctx.Err() != nil {
		r.err = context.Cause(r.ctx)
		return
	}
	go func() {
		n, err := r.r.Read(r.buf)
		r.done <- result{n, err}
	}()
	select {
	case <-r.ctx.Done():
		r.err = context.Cause(r.ctx)
	case res := <-r.done:
		r.rest, r.err = r.buf[:res.n], res.err
		var known *fault.Error
		if r.err != nil && r.err != io.EOF && !errors.As(r.err, &known) {
			r.err = &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: r.name, Message: "cannot read", Err: r.err}
		}
	}
}

// JSONText is the string that a flag's value spells in JSON, for text that no
// argument can carry.
func (c *Call) JSONText(flag string) (string, error) {
	v, err := jstext.Parse(c.String(flag))
	s, ok := v.Text()
	if err != nil || !ok || !jstext.Valid(s) {
		return "", Usage("--%s %q: not a JSON string", flag, c.String(flag))
	}
	return s, nil
}
