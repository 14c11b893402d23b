package inbox

import (
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Kind is how a record was handed in. It says what the sender wants; the order of
// the queue is the same for all.
type Kind string

// The kinds.
const (
	Send   Kind = "send"   // opens a turn of its own
	Steer  Kind = "steer"  // joins the turn that runs, if it comes in time
	Inject Kind = "inject" // adds context; takes meta instead of contexts
)

// State is where a record stands.
type State string

// The states.
const (
	Waiting State = "waiting"
	Claimed State = "claimed" // by a driver, which may have died since
	Done    State = "done"    // finished by a driver
	Dropped State = "dropped" // cancelled before it was finished
)

// Draft is a message to be enqueued. The values must come from a text that is
// UTF-8; they are copied.
type Draft struct {
	ID       string       // any JavaScript string but the empty one, which asks for a new id
	To       string       // the target's id, any JavaScript string but the empty one
	Kind     Kind         // Send if empty
	Content  jstext.Value // an array of blocks: objects with a string type
	Source   jstext.Value // an object with a string kind; Absent: {"kind":"user"}
	Contexts jstext.Value // an array of {content, source, placement?, meta?}; none for Inject
	Meta     jstext.Value // anything; for Inject only
}

// Record is a frozen message: lossless JSON that nothing changes any more.
type Record struct {
	ID       string
	To       string
	Kind     Kind
	Seq      int64 // place in the target's order, from 0; there may be gaps
	Content  jstext.Value
	Source   jstext.Value
	Contexts jstext.Value // an array, possibly empty; Absent for Inject
	Meta     jstext.Value // Absent where there is none
	Time     int64        // when it was frozen, ms since 1970; says nothing about order
	State    State
	Attempts int // how often a driver has claimed it; more than 1: one died over it
}

// AppendJSON appends the record as
// {"id","to","kind","seq","content","source","contexts"}, an injected one with
// "meta", where it has any, in the place of "contexts".
func (r Record) AppendJSON(dst []byte) []byte {
	var w jstext.Writer
	w.BeginObject()
	r.head(&w)
	w.Key("seq")
	w.Int(r.Seq)
	r.body(&w)
	w.EndObject()
	return append(dst, w.Bytes()...)
}

// fileText is the record as its file holds it.
func (r Record) fileText() string {
	var w jstext.Writer
	w.BeginObject()
	r.head(&w)
	r.body(&w)
	w.Key("time")
	w.Int(r.Time)
	w.EndObject()
	return w.String() + "\n"
}

func (r Record) head(w *jstext.Writer) {
	w.Key("id")
	w.Text(r.ID)
	w.Key("to")
	w.Text(r.To)
	w.Key("kind")
	w.Text(string(r.Kind))
}

func (r Record) body(w *jstext.Writer) {
	w.Key("content")
	w.Raw(r.Content)
	w.Key("source")
	w.Raw(r.Source)
	if r.Kind != Inject {
		w.Key("contexts")
		w.Raw(r.Contexts)
	} else if r.Meta.Exists() {
		w.Key("meta")
		w.Raw(r.Meta)
	}
}

// parseRecord reads what fileText writes. ok is false for anything that it would
// not have written for a record of that name.
func parseRecord(text string, to string, n name) (r Record, ok bool) {
	v, err := jstext.Parse(text)
	if err != nil || !utf8.ValidString(text) {
		return Record{}, false
	}
	r = Record{Seq: n.seq, Attempts: n.attempts}
	var kind string
	var okID, okTo, okKind, okTime bool
	for key, m := range v.Members() {
		switch key {
		case "id":
			r.ID, okID = m.Text()
		case "to":
			r.To, okTo = m.Text()
		case "kind":
			kind, okKind = m.Text()
		case "content":
			r.Content = m
		case "source":
			r.Source = m
		case "contexts":
			r.Contexts = m
		case "meta":
			r.Meta = m
		case "time":
			r.Time, okTime = m.Int()
		}
	}
	r.Kind = Kind(kind)
	if !okID || !okTo || !okKind || !okTime || r.To != to || r.Kind != n.kind || keyOf(r.ID) != n.key {
		return Record{}, false
	}
	return r, r.check() == nil
}

// same reports whether two records are the same message.
func (r Record) same(o Record) bool {
	return r.Kind == o.Kind && jstext.Equal(r.Content, o.Content) && jstext.Equal(r.Source, o.Source) &&
		jstext.Equal(r.Contexts, o.Contexts) && jstext.Equal(r.Meta, o.Meta)
}
