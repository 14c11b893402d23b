package reference

import (
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// Item is one message of a conversation, as another session is told of it.
type Item struct {
	Role       session.Role // User or Assistant
	Text       string       // never empty
	Checkpoint bool         // the summary of what a compaction removed
}

// Conversation projects a surface to what people and the model said, in order
// (SPEC 5): prompts and steering as they were typed, checkpoints, and the text of
// answers. All else is left out, and so is a message without text.
func Conversation(surface []session.Event) []Item {
	var out []Item
	for _, ev := range surface {
		m := session.MessageOf(ev)
		item := Item{Role: m.Role, Checkpoint: m.Checkpoint()}
		switch {
		case m.ByPerson():
			// A snapshot never carries an older snapshot along.
			item.Text, _ = m.Said()
		case item.Checkpoint:
			item.Text = session.Text(m.Display())
		case m.Role == session.Assistant:
			item.Text = session.Text(m.Content)
		}
		if item.Text != "" {
			out = append(out, item)
		}
	}
	return out
}

// SnapshotsLeftOut counts the snapshots of other sessions that stand in what people
// typed on a surface, and that Conversation leaves out: those that a host kept as
// the person's words. The contexts of an envelope are not among them.
func SnapshotsLeftOut(surface []session.Event) int {
	left := 0
	for _, ev := range surface {
		if m := session.MessageOf(ev); m.ByPerson() {
			_, n := m.Said()
			left += n
		}
	}
	return left
}

// Projection is a whole session projected, without a budget.
type Projection struct {
	SessionID          string
	Title              *string
	Cwd                *string
	CapturedThroughSeq *int64
	Conversation       []Item
}

// Project projects a session.
func Project(s *session.Surface) Projection {
	return Projection{s.Header.ID, s.Title, s.Header.Cwd, s.CapturedThroughSeq, Conversation(s.Events)}
}

// AppendJSON appends {"sessionId","title","cwd","capturedThroughSeq",
// "conversation":[{"role","text","checkpoint"}]}.
func (p Projection) AppendJSON(dst []byte) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("sessionId")
	w.Text(p.SessionID)
	w.Key("title")
	w.OptText(p.Title)
	w.Key("cwd")
	w.OptText(p.Cwd)
	w.Key("capturedThroughSeq")
	w.OptInt(p.CapturedThroughSeq)
	w.Key("conversation")
	w.BeginArray()
	for _, it := range p.Conversation {
		w.BeginObject()
		w.Key("role")
		w.Text(string(it.Role))
		w.Key("text")
		w.Text(it.Text)
		w.Key("checkpoint")
		w.Bool(it.Checkpoint)
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	return append(dst, w.Bytes()...)
}
