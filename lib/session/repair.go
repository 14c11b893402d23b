package session

import "github.com/dsh-toolkit/dsh/lib/jstext"

// Repair finds the events that close a log whose writer was killed inside a turn:
// a result for each tool call that has none, and the ends of the step and the turn.
// It is fed every event of the log in order and keeps only what is open. The zero
// value is ready.
//
// Reading needs none of it; a writer that resumes a log appends the closers first.
// Rule: vectors/repair.json.
type Repair struct {
	turn, step openSpan
	calls      []openCall     // in the order in which their ids were first seen
	at         map[string]int // the index of each id that is open
	next, time int64
}

// openSpan is a turn, or a step of one, that has begun and not ended.
type openSpan struct {
	open       bool
	turn, step jstext.Value
}

// openCall is a tool call in an assistant message that has no result yet.
type openCall struct {
	id         string
	turn, step jstext.Value
	started    int64 // seq of its tool/call; -1: none was recorded
	answered   bool
}

// Add takes the next event of the log.
func (r *Repair) Add(ev Event) {
	r.next, r.time = ev.Seq+1, ev.Time
	switch ev.Type {
	case "turn/start":
		r.endStep()
		r.turn = openSpan{open: true, turn: ev.Data.Get("turn")}
	case "turn/end":
		r.endStep()
		r.turn = openSpan{}
	case "step/start":
		r.step = openSpan{true, ev.Data.Get("turn"), ev.Data.Get("step")}
	case "step/end":
		r.endStep()
	case assistantMessage:
		for block := range MessageOf(ev).Content.Elements() {
			if id, ok := block.Get("id").Text(); ok && block.Get("type").Is("tool-call") {
				r.expect(openCall{id: id, turn: ev.Data.Get("turn"), step: ev.Data.Get("step"), started: -1})
			}
		}
	case "tool/call":
		if i, ok := r.at[callID(ev)]; ok {
			r.calls[i].started = ev.Seq
		}
	case toolResult:
		id := callID(ev)
		if i, ok := r.at[id]; ok {
			r.calls[i].answered = true
			delete(r.at, id)
		}
	}
}

func (r *Repair) endStep() { r.step, r.calls, r.at = openSpan{}, nil, nil }

// expect notes a call; one that is asked for again keeps its place.
func (r *Repair) expect(c openCall) {
	if i, ok := r.at[c.id]; ok {
		r.calls[i] = c
		return
	}
	if r.at == nil {
		r.at = make(map[string]int)
	}
	r.at[c.id] = len(r.calls)
	r.calls = append(r.calls, c)
}

// callID is the call that a tool/call or tool/result is about.
func callID(ev Event) string {
	if id, ok := ev.Data.Get("callId").Text(); ok {
		return id
	}
	id, _ := ev.Data.Get("message", "source", "callId").Text()
	return id
}

// Closers returns the events to append, with the seqs that come next and the time
// of the last event; none where no turn is open.
func (r *Repair) Closers() []Event {
	if !r.turn.open {
		return nil
	}
	c := closers{seq: r.next, time: r.time}
	for _, call := range r.calls {
		if !call.answered {
			c.result(call)
		}
	}
	if r.step.open {
		c.end("step/end", r.step.turn, func(w *jstext.Writer) { writeIfThere(w, "step", r.step.step) })
	}
	c.end("turn/end", r.turn.turn, func(w *jstext.Writer) {
		w.Key("reason")
		w.BeginObject()
		w.Key("kind")
		w.Text("interrupted")
		w.EndObject()
	})
	return c.events
}

// closers builds the events that Closers returns.
type closers struct {
	events    []Event
	seq, time int64
}

func (c *closers) event(typ string, body func(*jstext.Writer)) {
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text(typ)
	w.Key("seq")
	w.Int(c.seq)
	w.Key("time")
	w.Int(c.time)
	w.Key("data")
	body(&w)
	w.EndObject()
	c.events = append(c.events, ParseEvent(w.Value()))
	c.seq++
}

func (c *closers) end(typ string, turn jstext.Value, rest func(*jstext.Writer)) {
	c.event(typ, func(w *jstext.Writer) {
		w.BeginObject()
		writeIfThere(w, "turn", turn)
		rest(w)
		w.EndObject()
	})
}

// What a model is told about a call that has no result. The words are dsh's own
// records', which a resumed log must match.
const (
	notStarted = "The tool call was interrupted before the Harness recorded it as started. " +
		"Retry it if it is still needed."
	outcomeUnknown = "The tool call was interrupted after it was recorded, but no result was durably recorded. " +
		"Its outcome is unknown. Decide whether to retry from the tool semantics: " +
		"retry only if the operation is read-only or idempotent; if it may have side effects, " +
		"first verify external state or ask the user. Do not retry blindly."
)

func (c *closers) result(call openCall) {
	text, name, code := notStarted, "ToolNotStartedError", "TOOL_NOT_STARTED"
	if call.started >= 0 {
		text, name, code = outcomeUnknown, "ToolOutcomeUnknownError", "TOOL_OUTCOME_UNKNOWN"
	}
	c.event(toolResult, func(w *jstext.Writer) {
		w.BeginObject()
		writeIfThere(w, "turn", call.turn)
		writeIfThere(w, "step", call.step)
		w.Key("callId")
		w.Text(call.id)
		writeContent(w, text)
		w.Key("isError")
		w.Bool(true)
		w.Key("error")
		w.BeginObject()
		w.Key("name")
		w.Text(name)
		w.Key("code")
		w.Text(code)
		w.EndObject()
		w.EndObject()
		w.Key("surfaceOp")
		w.Text("append")
		if call.started >= 0 {
			w.Key("sourceEventSeqs")
			w.BeginArray()
			w.Int(call.started)
			w.EndArray()
		}
	})
}
