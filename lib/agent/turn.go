package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
)

// turn is one turn: a record on its way through the log. Its methods return an
// error only where the log or the queue failed; how the turn itself ended is in
// the log.
type turn struct {
	a      *Agent
	ctx    context.Context // done when the turn is to be aborted
	n      int64
	step   int64 // the last that started
	record Record
}

func (t *turn) run() error {
	if t.record.Kind == inbox.Inject {
		return t.inject()
	}
	if err := t.append(turnStart(t.n, t.record)); err != nil {
		return err
	}
	t.a.tell(TurnStarted{t.n, t.record})
	d, err := Submit(t.ctx, t.a.o.Hooks, Prompt{
		SessionID: t.a.o.SessionID, Turn: t.n,
		Content: t.record.Content, Source: t.record.Source, Contexts: t.record.Contexts,
	})
	switch {
	case t.ctx.Err() != nil || err != nil:
		return t.fail(err)
	case d.Block:
		return t.end(Rejected, nil, promptBlocked(t.n, d.Reason))
	}
	return t.steps(Place(d.Content, t.record.Source, d.AdditionalContexts))
}

// inject puts a context into the log in a turn of its own that asks nothing.
func (t *turn) inject() error {
	t.a.tell(TurnStarted{t.n, t.record})
	return t.end(Completed, nil, append([]logwriter.Entry{turnStart(t.n, t.record)}, injectedMessage(t.n, t.record)...)...)
}

// steps asks the model, and asks it again as long as something steers.
func (t *turn) steps(p Placed) error {
	batch := userMessages(t.n, p)
	if t.a.o.Log.Surface().Title == nil {
		batch = append(batch, fallbackTitle(p, t.a.o.Log.Next())...)
	}
	fresh := 1 + len(p.Separate)
	for {
		if err := t.append(append(batch, stepMark("step/start", t.n, t.step+1))...); err != nil {
			return err
		}
		answer, partial, err := t.ask(fresh)
		stepEnd := stepMark("step/end", t.n, t.step)
		if err != nil {
			return t.fail(err, append(partial, stepEnd)...)
		}
		batch = []logwriter.Entry{assistantMessage(t.n, t.step, answer)}
		steering, claims, err := t.steering()
		if err != nil || len(claims) == 0 {
			return errors.Join(t.end(Completed, nil, append(batch, stepEnd)...), err)
		}
		// The answer and what steers after it are durable before the records are
		// done, and before the next step is asked.
		batch = append(append(batch, steering...), stepEnd)
		if err := t.append(batch...); err != nil {
			return err
		}
		for _, c := range claims {
			if err := c.Done(); err != nil {
				return err
			}
		}
		batch, fresh = nil, messagesIn(steering)
	}
}

// ask asks the model for one step. On an error the entries keep what there was of
// an answer.
func (t *turn) ask(fresh int) (Answer, []logwriter.Entry, error) {
	var text strings.Builder
	answer, err := t.a.o.Model.Ask(t.ctx, Request{
		SessionID: t.a.o.SessionID, Turn: t.n, Step: t.step,
		Messages: modelMessages(t.a.o.Log.Surface().Events), Fresh: fresh,
	}, func(delta string) {
		text.WriteString(delta)
		t.a.tell(TextDelta{t.n, t.step, delta})
	})
	if err == nil {
		return answer, nil, nil
	}
	if text.Len() == 0 {
		return Answer{}, nil, err
	}
	return Answer{}, []logwriter.Entry{partialAnswer(t.n, t.step, jstext.Join(text.String()))}, err
}

// steering takes what waits to steer, unless the turn is to be aborted: then it
// stays, and waits for a turn of its own.
func (t *turn) steering() (entries []logwriter.Entry, claims []Claim, err error) {
	if t.ctx.Err() != nil {
		return nil, nil, nil
	}
	t.a.line.Lock()
	all, err := t.a.queue.Steering(t.a.ctx)
	t.a.line.Unlock()
	if err != nil {
		return nil, nil, t.a.orDisposed(err)
	}
	for _, c := range all {
		r := c.Record()
		if t.a.history.settled[r.ID] {
			if err := c.Done(); err != nil {
				return nil, nil, err
			}
			continue
		}
		claims = append(claims, c)
		entries = append(entries, steeringMessages(t.n, r)...)
	}
	return entries, claims, nil
}

// fail ends a turn that came to no answer: aborted if that is why, else with the
// error as its reason.
func (t *turn) fail(err error, before ...logwriter.Entry) error {
	if t.ctx.Err() != nil {
		return t.end(Aborted, nil, before...)
	}
	return t.end(Errored, err, before...)
}

// end closes the turn in the log.
func (t *turn) end(reason Reason, err error, before ...logwriter.Entry) error {
	detail := func(*jstext.Writer) {}
	switch reason {
	case Aborted:
		detail = t.writeAbortReason
	case Errored:
		detail = func(w *jstext.Writer) { writeError(w, err) }
	}
	if appendErr := t.append(append(before, turnEnd(t.n, reason, detail))...); appendErr != nil {
		return appendErr
	}
	t.a.tell(TurnEnded{t.n, t.record, reason, err})
	return nil
}

// writeAbortReason says who aborted, in the words of dsh's own logs.
func (t *turn) writeAbortReason(w *jstext.Writer) {
	kind := "user"
	if errors.Is(context.Cause(t.ctx), errDisposed) {
		kind = "dispose"
	}
	w.Key("reason")
	w.BeginObject()
	writeText(w, "kind", kind)
	w.EndObject()
}

func writeError(w *jstext.Writer, err error) {
	w.Key("error")
	w.BeginObject()
	writeText(w, "code", string(fault.Of(err).Code))
	writeText(w, "message", err.Error())
	w.EndObject()
}

// append appends a batch and tells of what it did.
func (t *turn) append(batch ...logwriter.Entry) error {
	events, err := t.a.o.Log.Append(batch...)
	if err != nil {
		return err
	}
	recordID := "" // that the next message delivers
	for i, ev := range events {
		switch {
		case batch[i].Surface:
			t.a.tell(Appended{ev, recordID})
			recordID = ""
		case ev.Type == deliveryType:
			recordID, _ = ev.Data.Get("recordId").Text()
		case ev.Type == "step/start":
			t.step++
			t.a.tell(StepStarted{t.n, t.step})
		case ev.Type == "step/end":
			t.a.tell(StepEnded{t.n, t.step})
		case ev.Type == "prompt/blocked":
			reason, _ := ev.Data.Get("reason").Text()
			t.a.tell(Blocked{t.n, reason})
		}
	}
	return nil
}
