package agent

import (
	"slices"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// Delimiter is the text of the block that stands between the contexts baked into
// a message and what the person typed (SPEC 7).
const Delimiter = frame.RequestHeading

// promptPrefix is the placement of a context that is baked into the message it
// came with. Any other, or none, makes a message of its own.
const promptPrefix = "prompt-prefix"

// Placed is a message whose contexts have found their places.
type Placed struct {
	Content  jstext.Value // what the model sees: the prefix contexts, Delimiter, the content
	Source   jstext.Value
	Envelope jstext.Value // what the person typed and where the prefix came from; Absent without a prefix
	Separate []jstext.Value
}

// Place puts contexts, an array, where their placement wants them: those with
// placement "prompt-prefix" are baked into the content, in order, with an
// envelope that keeps the content apart; the others are left as they are, for
// messages of their own.
//
// Rule: SPEC 7; vectors/admission.json.
func Place(content, source, contexts jstext.Value) Placed {
	p := Placed{Content: content, Source: source}
	var prefix []jstext.Value
	for c := range contexts.Elements() {
		if c.Get("placement").Is(promptPrefix) {
			prefix = append(prefix, c)
		} else {
			p.Separate = append(p.Separate, c)
		}
	}
	if len(prefix) == 0 {
		return p
	}
	p.Content = bake(prefix, content)
	p.Envelope = envelope(prefix, content)
	return p
}

func bake(prefix []jstext.Value, content jstext.Value) jstext.Value {
	var w jstext.Writer
	w.BeginArray()
	for _, c := range prefix {
		writeElements(&w, c.Get("content"))
	}
	session.WriteTextBlock(&w, Delimiter)
	writeElements(&w, content)
	w.EndArray()
	return w.Value()
}

func envelope(prefix []jstext.Value, content jstext.Value) jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	w.Key("displayContent")
	w.Raw(content)
	w.Key("prefixContexts")
	w.BeginArray()
	for _, c := range prefix {
		w.BeginObject()
		writeMember(&w, "source", c.Get("source"))
		writeMember(&w, "meta", c.Get("meta"))
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	return w.Value()
}

// Data is the payload of a user/message: {"content","source","envelope"?}.
func (p Placed) Data() jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	p.members(&w)
	w.EndObject()
	return w.Value()
}

func (p Placed) members(w *jstext.Writer) {
	writeMember(w, "content", p.Content)
	writeMember(w, "source", p.Source)
	writeMember(w, "envelope", p.Envelope)
}

// writeMember writes a member unless its value is Absent.
func writeMember(w *jstext.Writer, key string, v jstext.Value) {
	if v.Exists() {
		w.Key(key)
		w.Raw(v)
	}
}

func writeElements(w *jstext.Writer, array jstext.Value) {
	for e := range array.Elements() {
		w.Raw(e)
	}
}

// BakeAll bakes every context into the content, wherever it would rather be
// placed: for those who take one message and nothing beside it.
func BakeAll(content, contexts jstext.Value) jstext.Value {
	all := slices.Collect(contexts.Elements())
	if len(all) == 0 {
		return content
	}
	return bake(all, content)
}
