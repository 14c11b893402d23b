package session

import "github.com/dsh-toolkit/dsh/lib/jstext"

// AppendMessages appends the messages that a model is given for a surface, as one
// JSON array: what was said, without times, sources and display contents. A tool
// result is a user message with one tool-result block. An assistant message
// without content is left out, because models refuse it.
//
// Rule: vectors/derive.json.
func AppendMessages(dst []byte, surface []Event) []byte {
	var w jstext.Writer
	w.BeginArray()
	for _, ev := range surface {
		m := MessageOf(ev)
		switch m.Role {
		case User:
			writeMessage(&w, "user", m.Content)
		case Assistant:
			writeAnswer(&w, ev, m)
		case Tool:
			writeToolResult(&w, ev, m)
		case System, Developer:
			writeMessage(&w, string(m.Role), m.Content)
		}
	}
	w.EndArray()
	return append(dst, w.Bytes()...)
}

func writeMessage(w *jstext.Writer, role string, content jstext.Value) {
	w.BeginObject()
	w.Key("role")
	w.Text(role)
	writeIfThere(w, "content", content)
	w.EndObject()
}

func writeAnswer(w *jstext.Writer, ev Event, m Message) {
	if m.Content.Len() == 0 {
		return
	}
	w.BeginObject()
	w.Key("role")
	w.Text("assistant")
	writeIfThere(w, "content", m.Content)
	writeIfThere(w, "provenance", ev.Data.Get("provenance"))
	w.EndObject()
}

// writeToolResult writes a result of early format 0 as the block that later formats
// keep in the message.
func writeToolResult(w *jstext.Writer, ev Event, m Message) {
	if ev.Data.Get("message").Kind() == jstext.Object {
		writeMessage(w, "user", m.Content)
		return
	}
	w.BeginObject()
	w.Key("role")
	w.Text("user")
	w.Key("content")
	w.BeginArray()
	w.BeginObject()
	w.Key("type")
	w.Text("tool-result")
	writeIfThere(w, "toolCallId", ev.Data.Get("callId"))
	writeIfThere(w, "content", m.Content)
	writeIfThere(w, "isError", ev.Data.Get("isError"))
	w.EndObject()
	w.EndArray()
	w.EndObject()
}

func writeIfThere(w *jstext.Writer, key string, v jstext.Value) {
	if v.Exists() {
		w.Key(key)
		w.Raw(v)
	}
}
