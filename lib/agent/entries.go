package agent

import (
	"slices"

	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// The events of a turn, in the early vocabulary of format 0, with the members that
// dsh takes in them (0.1.0-rc.8) and no others. What is ours beside them: recordId in
// a turn's trigger, which dsh passes over, and deliveryType. They tie the log to the
// queue, so that a record whose turn a crash has cut off from its queue is neither
// lost nor asked twice.

// deliveryType is our own record, ignorable to every other reader. It stands
// directly before the message that it is about: {"turn","recordId"?,"source"?,
// "meta"?}. recordId is the queue's record that the message delivers. source and
// meta are what a context had that its user/message cannot hold. Without that
// message behind it the record says nothing: a crash came between the two.
const deliveryType = "dsh-toolkit/delivery"

func turnStart(turn int64, r Record) logwriter.Entry {
	kind := "message"
	if r.Kind == inbox.Inject {
		kind = "injection"
	}
	return entry("turn/start", func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		w.Key("trigger")
		w.BeginObject()
		writeText(w, "kind", kind)
		writeMember(w, "source", r.Source)
		writeText(w, "recordId", r.ID)
		w.EndObject()
	})
}

func turnEnd(turn int64, reason Reason, detail func(*jstext.Writer)) logwriter.Entry {
	return entry("turn/end", func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		w.Key("reason")
		w.BeginObject()
		writeText(w, "kind", string(reason))
		if detail != nil {
			detail(w)
		}
		w.EndObject()
	})
}

func stepMark(typ string, turn, step int64) logwriter.Entry {
	return entry(typ, func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		writeInt(w, "step", step)
	})
}

func promptBlocked(turn int64, reason string) logwriter.Entry {
	e := entry("prompt/blocked", func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		writeText(w, "reason", reason)
	})
	e.Ignorable = true
	return e
}

// userMessages are a placed prompt and its separate contexts.
func userMessages(turn int64, p Placed) []logwriter.Entry {
	return withContexts(turn, p, surface("user/message", p.members))
}

// steeringMessages are the same for a record that steers: its message says in
// which turn it is, and the delivery before it of which record.
func steeringMessages(turn int64, r Record) []logwriter.Entry {
	p := Place(r.Content, r.Source, r.Contexts)
	return append([]logwriter.Entry{delivery(turn, r.ID, jstext.Value{}, jstext.Value{})},
		withContexts(turn, p, surface("steering/message", func(w *jstext.Writer) {
			writeInt(w, "turn", turn)
			p.members(w)
		}))...)
}

func withContexts(turn int64, p Placed, message logwriter.Entry) []logwriter.Entry {
	out := []logwriter.Entry{message}
	for _, c := range p.Separate {
		out = append(out, contextMessage(turn, "", c.Get("content"), c.Get("source"), c.Get("meta"))...)
	}
	return out
}

func injectedMessage(turn int64, r Record) []logwriter.Entry {
	return contextMessage(turn, r.ID, r.Content, r.Source, r.Meta)
}

// contextMessage is a context that is a message of its own: a user/message of its
// source's kind, which is how every dsh from late format 0 on has it. rc.8 refuses
// the early context/message in every form.
func contextMessage(turn int64, recordID string, content, source, meta jstext.Value) []logwriter.Entry {
	written, given := source, jstext.Value{}
	if m := (session.Message{Type: "user/message", Source: source}); m.ByPerson() || m.Checkpoint() {
		written, given = contextSource, source
	}
	var out []logwriter.Entry
	if recordID != "" || given.Exists() || meta.Exists() {
		out = append(out, delivery(turn, recordID, given, meta))
	}
	return append(out, surface("user/message", func(w *jstext.Writer) {
		writeMember(w, "content", content)
		writeMember(w, "source", written)
	}))
}

// contextSource is the source of a context whose own would make its user/message a
// person's words or a compaction's summary, and so conversation.
var contextSource = jstext.MustParse(`{"kind":"plugin","plugin":"dsh-toolkit"}`)

func delivery(turn int64, recordID string, source, meta jstext.Value) logwriter.Entry {
	e := entry(deliveryType, func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		if recordID != "" {
			writeText(w, "recordId", recordID)
		}
		writeMember(w, "source", source)
		writeMember(w, "meta", meta)
	})
	e.Ignorable = true
	return e
}

// messagesIn counts the messages in a batch.
func messagesIn(batch []logwriter.Entry) (n int) {
	for _, e := range batch {
		if e.Surface {
			n++
		}
	}
	return n
}

func assistantMessage(turn, step int64, a Answer) logwriter.Entry {
	return surface("assistant/message", func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		writeInt(w, "step", step)
		w.Key("content")
		w.BeginArray()
		if a.Text != "" {
			session.WriteTextBlock(w, a.Text)
		}
		w.EndArray()
		w.Key("provenance")
		w.BeginObject()
		writeText(w, "provider", a.Provider)
		writeText(w, "model", a.Model)
		w.EndObject()
		writeMember(w, "usage", a.Usage)
	})
}

// partialAnswer keeps what there was of an answer that did not come to its end.
func partialAnswer(turn, step int64, text string) logwriter.Entry {
	return entry("assistant/chunk", func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		writeInt(w, "step", step)
		w.Key("chunk")
		w.BeginObject()
		writeText(w, "type", "text-delta")
		writeInt(w, "index", 0)
		writeText(w, "text", text)
		w.EndObject()
	})
}

func entry(typ string, members func(*jstext.Writer)) logwriter.Entry {
	var w jstext.Writer
	w.BeginObject()
	members(&w)
	w.EndObject()
	return logwriter.Entry{Type: typ, Data: w.Value()}
}

// surface is an entry for an event of the surface.
func surface(typ string, members func(*jstext.Writer)) logwriter.Entry {
	e := entry(typ, members)
	e.Surface = true
	return e
}

func writeText(w *jstext.Writer, key, s string) {
	w.Key(key)
	w.Text(s)
}

func writeInt(w *jstext.Writer, key string, n int64) {
	w.Key(key)
	w.Int(n)
}

// fallbackTitle is the title event for a prompt that will have the given seq; none
// where the prompt has no words of a person's. It is made of what the person
// typed: a snapshot never names the session that received it.
func fallbackTitle(p Placed, seq int64) []logwriter.Entry {
	ev := session.Event{Type: "user/message", Seq: seq, Data: p.Data()}
	prompts := session.TitleMessages([]session.Event{ev}, nil)
	if len(prompts) == 0 {
		return nil
	}
	title, err := session.FallbackTitle(prompts[0].Text, session.FallbackWords, session.FallbackBytes)
	if err != nil || title == "" {
		return nil
	}
	return []logwriter.Entry{entry("session/title", func(w *jstext.Writer) {
		writeText(w, "title", title)
		w.Key("messageSeqs")
		w.BeginArray()
		w.Int(seq)
		w.EndArray()
		w.Key("source")
		w.BeginObject()
		writeText(w, "kind", "fallback")
		w.EndObject()
	})}
}

// modelMessages is what a model is given for a surface.
func modelMessages(nodes []session.Event) []jstext.Value {
	all := jstext.MustParse(string(session.AppendMessages(nil, nodes)))
	return slices.Collect(all.Elements())
}
