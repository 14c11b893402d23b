package agent

import (
	"context"

	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Prompt is what a prompt-submit listener is shown: the message as it was
// claimed, before any context is baked into it.
type Prompt struct {
	SessionID string
	Turn      int64
	Content   jstext.Value
	Source    jstext.Value
	Contexts  jstext.Value
}

// Decision is what becomes of a prompt.
type Decision struct {
	Block  bool
	Reason string // why, if Block
	// Content is what is asked. Absent: the message's own content.
	Content jstext.Value
	// AdditionalContexts is an array of the contexts that go with it. Absent: none,
	// not even the message's own.
	AdditionalContexts jstext.Value
}

// Next runs the listeners further in, and at last the default, which allows the
// message with its contexts.
type Next func(context.Context) (Decision, error)

// Hook is a prompt-submit listener. It wraps next: what it returns stands for
// everything further in, so one that does not mean to replace them hands on the
// content and the contexts that next gave. An error ends the turn with nothing
// sent. It must return soon after ctx is done.
//
// Rule: SPEC 7, agent/prompt-submit.
type Hook func(ctx context.Context, p Prompt, next Next) (Decision, error)

// Submit runs the waterfall, hooks[0] outermost, and checks what comes out. It is
// for hosts that have no turns of their own; an Agent does it for each turn.
func Submit(ctx context.Context, hooks []Hook, p Prompt) (Decision, error) {
	next := func(context.Context) (Decision, error) {
		return Decision{Content: p.Content, AdditionalContexts: p.Contexts}, nil
	}
	for i := len(hooks) - 1; i >= 0; i-- {
		hook, inner := hooks[i], next
		next = func(ctx context.Context) (Decision, error) { return hook(ctx, p, inner) }
	}
	d, err := next(ctx)
	if err != nil || d.Block {
		return d, err
	}
	if !d.Content.Exists() {
		d.Content = p.Content
	}
	if err := inbox.CheckContent("content", d.Content); err != nil {
		return Decision{}, err
	}
	if d.AdditionalContexts.Exists() {
		if err := inbox.CheckContexts(d.AdditionalContexts); err != nil {
			return Decision{}, err
		}
	}
	return d, nil
}
