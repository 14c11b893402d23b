package chunkrow

import (
	"math"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// minRun is the shortest run that is packed; a shorter one would not get smaller.
const minRun = 3

// Pack turns events into the records that are stored for them: each longest run
// of at least three chunk events that differ only in seq, time and payload
// becomes a row, everything else is kept as it is. Unpacking the rows gives the
// events again. The result shares the memory of events.
func Pack(events []jstext.Value) []jstext.Value {
	records := make([]jstext.Value, 0, len(events))
	var run []delta
	flush := func(end int) {
		if len(run) >= minRun {
			records = append(records, pack(run))
		} else {
			records = append(records, events[end-len(run):end]...)
		}
		run = run[:0]
	}
	for i, e := range events {
		d, ok := deltaOf(e)
		if len(run) > 0 && (!ok || !d.follows(run[len(run)-1])) {
			flush(i)
		}
		if ok {
			run = append(run, d)
		} else {
			records = append(records, e)
		}
	}
	flush(len(events))
	return records
}

// delta is a chunk event that a row can stand for.
type delta struct {
	kind              *kind
	seq, time         int64
	turn, step, index jstext.Value
	id, name          jstext.Value
	payload           jstext.Value
}

// deltaOf takes an event apart, if it has exactly the keys and types that
// unpacking a row would give it.
func deltaOf(event jstext.Value) (d delta, ok bool) {
	var seq, at, data, chunk, kindName jstext.Value
	if !take(event, map[string]*jstext.Value{"type": &kindName, "seq": &seq, "time": &at, "data": &data}) ||
		!kindName.Is(chunkType) ||
		!take(data, map[string]*jstext.Value{"turn": &d.turn, "step": &d.step, "chunk": &chunk}) {
		return d, false
	}
	for i := range kinds {
		if chunk.Get("type").Is(kinds[i].delta) {
			d.kind = &kinds[i]
		}
	}
	if d.kind == nil {
		return d, false
	}
	want := map[string]*jstext.Value{"type": &kindName, "index": &d.index, d.kind.payload: &d.payload}
	if d.kind.call {
		want["id"] = &d.id
		if chunk.Get("name").Exists() {
			want["name"] = &d.name
		}
	}
	if !take(chunk, want) {
		return d, false
	}
	d.seq, ok = seq.Int()
	if !ok || d.seq < 0 {
		return d, false
	}
	if d.time, ok = at.Int(); !ok {
		return d, false
	}
	return d, d.turn.Kind() == jstext.Number && d.step.Kind() == jstext.Number && d.index.Kind() == jstext.Number &&
		d.payload.Kind() == jstext.String && (!d.kind.call || d.id.Kind() == jstext.String) &&
		(!d.name.Exists() || d.name.Kind() == jstext.String)
}

// take fills the wanted values from v's members; it fails if one is missing or
// another is there.
func take(v jstext.Value, want map[string]*jstext.Value) bool {
	for k, m := range v.Members() {
		at := want[k]
		if at == nil {
			return false
		}
		*at = m
	}
	for _, at := range want {
		if !at.Exists() {
			return false
		}
	}
	return true
}

// follows reports whether d can be the next member of a row that ends with last.
func (d delta) follows(last delta) bool {
	return d.kind == last.kind && d.seq == last.seq+1 &&
		jstext.Equal(d.turn, last.turn) && jstext.Equal(d.step, last.step) && jstext.Equal(d.index, last.index) &&
		jstext.Equal(d.id, last.id) && jstext.Equal(d.name, last.name) &&
		math.Abs(float64(d.time)-float64(last.time)) <= jstext.MaxSafeInt
}

func pack(run []delta) jstext.Value {
	first := run[0]
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text(first.kind.row)
	w.Key("seq0")
	w.Int(first.seq)
	w.Key("time0")
	w.Int(first.time)
	w.Key("data")
	w.BeginObject()
	raw(&w, "turn", first.turn)
	raw(&w, "step", first.step)
	raw(&w, "index", first.index)
	w.Key("dt")
	w.BeginArray()
	for i, d := range run[1:] {
		w.Int(d.time - run[i].time)
	}
	w.EndArray()
	if first.kind.call {
		raw(&w, "id", first.id)
		if first.name.Exists() {
			raw(&w, "name", first.name)
		}
	}
	w.Key(first.kind.members)
	w.BeginArray()
	for _, d := range run {
		w.Raw(d.payload)
	}
	w.EndArray()
	w.EndObject()
	w.EndObject()
	return w.Value()
}
