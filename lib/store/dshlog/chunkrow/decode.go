package chunkrow

import (
	"iter"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

const chunkType = "assistant/chunk"

// Events yields the chunk events that the row stands for, in order, each as it
// would stand in a log without packed rows.
func (r Row) Events() iter.Seq[jstext.Value] {
	return func(yield func(jstext.Value) bool) {
		at, seq := r.time0, r.Seq0
		next, stop := iter.Pull(r.dt.Elements())
		defer stop()
		for payload := range r.members.Elements() {
			if !yield(r.event(seq, at, payload)) {
				return
			}
			if gap, ok := next(); ok {
				n, _ := gap.Int()
				at += n
			}
			seq++
		}
	}
}

func (r Row) event(seq, at int64, payload jstext.Value) jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text(chunkType)
	w.Key("seq")
	w.Int(seq)
	w.Key("time")
	w.Int(at)
	w.Key("data")
	w.BeginObject()
	raw(&w, "turn", r.turn)
	raw(&w, "step", r.step)
	w.Key("chunk")
	w.BeginObject()
	w.Key("type")
	w.Text(r.kind.delta)
	raw(&w, "index", r.index)
	if r.kind.call {
		raw(&w, "id", r.id)
		if r.name.Exists() {
			raw(&w, "name", r.name)
		}
	}
	raw(&w, r.kind.payload, payload)
	w.EndObject()
	w.EndObject()
	w.EndObject()
	return w.Value()
}

// raw writes one member of an object.
func raw(w *jstext.Writer, key string, v jstext.Value) {
	w.Key(key)
	w.Raw(v)
}
