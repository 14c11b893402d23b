package agent

import (
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Kind is how a record was handed in.
type Kind string

// The kinds of record.
const (
	KindSend   Kind = "send"
	KindSteer  Kind = "steer"
	KindInject Kind = "inject"
)

// Message is what Send, Steer and Inject are given. The zero value of a member
// means that it was not given.
type Message struct {
	ID       string       // the record's id; empty: a new one is made
	Content  jstext.Value // an array of blocks; required
	Source   jstext.Value // an object with a string kind; default {"kind":"user"}
	Contexts jstext.Value // an array of {content, source, placement?, meta?}; not for Inject
	Meta     jstext.Value // anything; for Inject only
}

// Record is a message that is owned: frozen, lossless JSON that nothing changes
// any more, with its contexts until its end (SPEC 7).
type Record struct {
	ID       string
	Kind     Kind
	Content  jstext.Value // an array of blocks
	Source   jstext.Value // an object
	Contexts jstext.Value // an array, possibly empty; Absent for KindInject
	Meta     jstext.Value // Absent if there is none
}

// Steering reports whether the record is meant for a turn that runs.
func (r Record) Steering() bool { return r.Kind == KindSteer }

var userSource = jstext.MustParse(`{"kind":"user"}`)

// Text is the content of one text block.
func Text(s string) jstext.Value {
	var w jstext.Writer
	w.BeginArray()
	writeTextBlock(&w, s)
	w.EndArray()
	return w.Value()
}

func writeTextBlock(w *jstext.Writer, s string) {
	w.BeginObject()
	w.Key("type")
	w.Text("text")
	w.Key("text")
	w.Text(s)
	w.EndObject()
}

// Freeze checks a message and makes the record of it, or says what is wrong with
// it before anything is visible. Errors are *fault.Error of kind Usage.
func Freeze(kind Kind, m Message) (Record, error) {
	r := Record{ID: m.ID, Kind: kind, Source: userSource}
	if err := CheckContent("content", m.Content); err != nil {
		return Record{}, err
	}
	r.Content = frozen(m.Content)
	if m.Source.Exists() {
		if err := checkSource("source", m.Source); err != nil {
			return Record{}, err
		}
		r.Source = frozen(m.Source)
	}
	if kind == KindInject {
		if m.Contexts.Len() > 0 {
			return Record{}, malformed("contexts: an injected message takes none")
		}
		r.Meta = frozen(m.Meta)
		return r, nil
	}
	if m.Meta.Exists() {
		return Record{}, malformed("meta: only an injected message takes it")
	}
	r.Contexts = jstext.MustParse("[]")
	if m.Contexts.Exists() {
		if err := CheckContexts("contexts", m.Contexts); err != nil {
			return Record{}, err
		}
		r.Contexts = frozen(m.Contexts)
	}
	return r, nil
}

// frozen is v in the one form that JSON.stringify writes, in memory of its own.
func frozen(v jstext.Value) jstext.Value {
	if !v.Exists() {
		return v
	}
	var w jstext.Writer
	w.Raw(v)
	return w.Value()
}

// CheckContent checks that v is an array of blocks: objects with a string type,
// of which a text block has a string text. name is what the error calls it.
func CheckContent(name string, v jstext.Value) error {
	if v.Kind() != jstext.Array {
		return malformed("%s: not an array of blocks", name)
	}
	i := 0
	for b := range v.Elements() {
		kind, ok := b.Get("type").Text()
		switch {
		case !ok:
			return malformed("%s[%d]: a block without a string type", name, i)
		case kind == "text" && b.Get("text").Kind() != jstext.String:
			return malformed("%s[%d]: a text block without a string text", name, i)
		}
		i++
	}
	return nil
}

// CheckContexts checks that v is an array of contexts.
func CheckContexts(name string, v jstext.Value) error {
	if v.Kind() != jstext.Array {
		return malformed("%s: not an array of contexts", name)
	}
	i := 0
	for c := range v.Elements() {
		at := fmt.Sprintf("%s[%d]", name, i)
		if err := CheckContent(at+".content", c.Get("content")); err != nil {
			return err
		}
		if err := checkSource(at+".source", c.Get("source")); err != nil {
			return err
		}
		if p := c.Get("placement"); p.Exists() && p.Kind() != jstext.String {
			return malformed("%s.placement: not a string", at)
		}
		i++
	}
	return nil
}

func checkSource(name string, v jstext.Value) error {
	if _, ok := v.Get("kind").Text(); !ok {
		return malformed("%s: not an object with a string kind", name)
	}
	return nil
}

func malformed(format string, args ...any) error {
	return &fault.Error{Kind: fault.Usage, Code: fault.UsageCode, Subject: "message", Message: fmt.Sprintf(format, args...)}
}
