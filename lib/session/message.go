package session

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Role is who speaks in a message.
type Role string

// The roles. An event that is no message has the empty one.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	System    Role = "system"
	Developer Role = "developer"
)

// Message is what an event says, whatever its format. Format 0 was never
// versioned, so the place of each part is found by the event's shape: in data, or
// in data.message where there is one (the record table of FORMATS-dsh).
type Message struct {
	Type     string
	Role     Role
	Source   jstext.Value // who made it, an object; Absent for early assistant and tool events
	Content  jstext.Value // the blocks a model is given
	Envelope jstext.Value // {displayContent, prefixContexts} of a message with baked contexts
}

// roleOf is the role that an event's type gives its message.
func roleOf(typ string) Role {
	switch typ {
	case userMessage, contextMessage, steeringMessage:
		return User
	case assistantMessage:
		return Assistant
	case toolResult:
		return Tool
	case systemMessage:
		return System
	case developerMessage:
		return Developer
	}
	return ""
}

// MessageOf returns the message that an event holds. It reads data once.
func MessageOf(ev Event) Message {
	m := Message{Type: ev.Type, Role: roleOf(ev.Type)}
	if m.Role == "" {
		return m
	}
	if inner := m.take(ev.Data); inner.Kind() == jstext.Object {
		envelope := m.Envelope
		m.Source, m.Content = jstext.Value{}, jstext.Value{}
		m.take(inner)
		if !m.Envelope.Exists() {
			m.Envelope = envelope
		}
	}
	return m
}

// take picks the parts out of the object that holds them and returns its member
// message.
func (m *Message) take(v jstext.Value) (inner jstext.Value) {
	for key, value := range v.Members() {
		switch key {
		case "source":
			m.Source = value
		case "content":
			m.Content = value
		case "envelope":
			m.Envelope = value
		case "message":
			inner = value
		}
	}
	return inner
}

// Display is the content that a person typed: the envelope's where there is one,
// else the content.
func (m Message) Display() jstext.Value {
	if d := m.Envelope.Get("displayContent"); d.Exists() && d.Kind() != jstext.Null {
		return d
	}
	return m.Content
}

// Said is the text that a person typed: the text of Display, without the snapshots
// of other sessions that it begins with where a host had to keep them as the
// person's own words. Snapshots counts those.
func (m Message) Said() (text string, snapshots int) {
	said, snapshots := frame.RequestOf(texts(m.Display()))
	return strings.Join(said, "\n"), snapshots
}

// ByPerson reports whether a person wrote the message: a prompt or steering whose
// source.kind is exactly "user", in every format.
func (m Message) ByPerson() bool {
	return (m.Type == userMessage || m.Type == steeringMessage) && m.Source.Get("kind").Is("user")
}

// Checkpoint reports whether the message is the summary that a compaction put in
// place of what it removed.
func (m Message) Checkpoint() bool {
	if m.Type != userMessage {
		return false
	}
	kind := m.Source.Get("kind")
	return kind.Is("plugin") && m.Source.Get("plugin").Is("compact") || kind.Is("compact-checkpoint")
}

// Text is a message's text: its text blocks joined by newlines. Blocks of other
// types, and contents that are no array, have none.
func Text(content jstext.Value) string { return strings.Join(texts(content), "\n") }

// texts returns the text blocks of a content.
func texts(content jstext.Value) []string {
	var out []string
	for block := range content.Elements() {
		if text, ok := textBlock(block); ok {
			out = append(out, text)
		}
	}
	return out
}

func textBlock(block jstext.Value) (string, bool) {
	var typ, text jstext.Value
	for key, value := range block.Members() {
		switch key {
		case "type":
			typ = value
		case "text":
			text = value
		}
	}
	if !typ.Is("text") {
		return "", false
	}
	return text.Text()
}

// Cited is one session that a message referenced.
type Cited struct {
	SessionID string
	Label     string // the id where no label was kept
}

// References returns the sessions that came along with a message as snapshots: the
// prefix contexts of its envelope, or, from late format 0 on, the message's own
// source, which then is a message beside the prompt.
func (m Message) References() []Cited {
	var out []Cited
	if m.Source.Get("kind").Is(referenceKind) {
		out = appendCited(out, m.Source)
	}
	for c := range m.Envelope.Get("prefixContexts").Elements() {
		if meta := c.Get("meta"); meta.Get("kind").Is(referenceKind) {
			out = appendCited(out, meta)
		}
	}
	return out
}

const referenceKind = "session-reference"

func appendCited(out []Cited, v jstext.Value) []Cited {
	for r := range v.Get("references").Elements() {
		id, ok := r.Get("sessionId").Text()
		if !ok {
			continue
		}
		label, ok := r.Get("label").Text()
		if !ok {
			label = id
		}
		out = append(out, Cited{id, label})
	}
	return out
}

// TextContent is the content of one text block.
func TextContent(text string) jstext.Value {
	var w jstext.Writer
	w.BeginArray()
	WriteTextBlock(&w, text)
	w.EndArray()
	return w.Value()
}

// WriteTextBlock writes {"type":"text","text":text}.
func WriteTextBlock(w *jstext.Writer, text string) {
	w.BeginObject()
	w.Key("type")
	w.Text("text")
	w.Key("text")
	w.Text(text)
	w.EndObject()
}
