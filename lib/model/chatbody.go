package model

import (
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// chatBody is the body of a chat completion request. It is written here because
// encoding/json turns a lone surrogate into U+FFFD.
func chatBody(model string, messages []jstext.Value) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("model")
	w.Text(model)
	w.Key("messages")
	w.BeginArray()
	for _, m := range messages {
		writeChatMessage(&w, m)
	}
	w.EndArray()
	w.Key("stream")
	w.Bool(true)
	w.EndObject()
	return w.Bytes()
}

// writeChatMessage writes a message as a plain string, which every endpoint takes,
// or as parts where it holds pictures. Blocks that are neither text nor pictures
// (reasoning, tools of another agent) have no place in a conversation without
// tools; a message of nothing else is left out.
func writeChatMessage(w *jstext.Writer, m jstext.Value) {
	content := m.Get("content")
	texts, images := 0, 0
	for b := range content.Elements() {
		switch kind := b.Get("type"); {
		case kind.Is("text"):
			texts++
		case isImage(b):
			images++
		}
	}
	if texts+images == 0 && content.Len() > 0 {
		return
	}
	w.BeginObject()
	w.Key("role")
	w.Raw(m.Get("role"))
	w.Key("content")
	if images == 0 {
		w.Text(Prompt(content))
	} else {
		writeParts(w, content)
	}
	w.EndObject()
}

func isImage(b jstext.Value) bool {
	return b.Get("type").Is("image") && b.Get("mimeType").Kind() == jstext.String && b.Get("data").Kind() == jstext.String
}

func writeParts(w *jstext.Writer, content jstext.Value) {
	w.BeginArray()
	for b := range content.Elements() {
		if b.Get("type").Is("text") {
			text, _ := b.Get("text").Text()
			writePart(w, "text", func() { w.Text(text) })
		} else if isImage(b) {
			mime, _ := b.Get("mimeType").Text()
			data, _ := b.Get("data").Text()
			writePart(w, "image_url", func() {
				w.BeginObject()
				w.Key("url")
				w.Text("data:" + mime + ";base64," + data)
				w.EndObject()
			})
		}
	}
	w.EndArray()
}

// writePart writes {"type":TYPE,TYPE:value}.
func writePart(w *jstext.Writer, typ string, value func()) {
	w.BeginObject()
	w.Key("type")
	w.Text(typ)
	w.Key(typ)
	value()
	w.EndObject()
}
