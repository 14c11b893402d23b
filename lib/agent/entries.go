package agent

import (
	"slices"

	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// The events of a turn, in the early vocabulary of format 0. recordId is ours: it
// ties the log to the queue, so that a record whose turn a crash has cut off from
// its queue is neither lost nor asked twice.

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
	return entry("prompt/blocked", func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		writeText(w, "reason", reason)
	})
}

// userMessages are a placed prompt and its separate contexts.
func userMessages(p Placed) []logwriter.Entry {
	return withContexts(p, surface("user/message", p.members))
}

// steeringMessages are the same for a record that steers: its message says in
// which turn and of which record it is.
func steeringMessages(turn int64, r Record) []logwriter.Entry {
	p := Place(r.Content, r.Source, r.Contexts)
	return withContexts(p, surface("steering/message", func(w *jstext.Writer) {
		writeInt(w, "turn", turn)
		p.members(w)
		writeText(w, "recordId", r.ID)
	}))
}

func withContexts(p Placed, message logwriter.Entry) []logwriter.Entry {
	out := []logwriter.Entry{message}
	for _, c := range p.Separate {
		out = append(out, surface("context/message", func(w *jstext.Writer) { contextMembers(w, c) }))
	}
	return out
}

func contextMembers(w *jstext.Writer, c jstext.Value) {
	for _, key := range [...]string{"content", "source", "meta"} {
		writeMember(w, key, c.Get(key))
	}
}

func injectedMessage(r Record) logwriter.Entry {
	return surface("context/message", func(w *jstext.Writer) {
		writeMember(w, "content", r.Content)
		writeMember(w, "source", r.Source)
		writeMember(w, "meta", r.Meta)
		writeText(w, "recordId", r.ID)
	})
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
