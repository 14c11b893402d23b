package record

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/chunkrow"
)

// Record is what one line holds.
type Record struct {
	// Seq is the record's seq, for a packed row its first member's; -1 where the
	// line has none that a log could count with. Then Got says what it has.
	Seq int64
	Got string
	// Len is how many seqs the record takes: 1, or the members of a packed row.
	Len int64
	// Fold says that Event is set and has to go through the fold: it is on the
	// surface, or a title, or carries what only surface events may.
	Fold  bool
	Event session.Event
	// End marks a turn/end: all before it was written in full once.
	End bool
	// Null marks the line "null".
	Null bool
	// Unknown is the record's type, where it is none that dsh is known to write, the
	// record does not say that it may be ignored, and nothing follows from it.
	Unknown string
}

// Reader reads the lines of one log. It is not safe for concurrent use; readers of
// the same log need not know of each other. The zero value is for format 0.
type Reader struct {
	Version int
	// Plain reads every line in full: Pass passes nothing.
	Plain bool
	// TitlesOnly reads for the sake of the title: of the surface's events none has
	// Fold, and what is wrong with them does not matter.
	TitlesOnly bool

	shapes [shapeCount]shape
	recent int // the shape that fitted last
}

// Read reads one line without its line feed. The record shares no memory with it.
// An error means that the line is not a record: it is not JSON, or a packed row
// that breaks a rule.
//
// Bytes that are not UTF-8 are U+FFFD in the event, as a decoder of the Encoding
// Standard has it; they make no line unreadable.
func (r *Reader) Read(line []byte) (Record, error) {
	if r.folds(leadingType(line)) {
		return r.kept(line)
	}
	// The event borrows the line's bytes: record and learn keep nothing of them.
	ev, err := session.ReadEvent(unsafe.String(unsafe.SliceData(line), len(line)))
	if err != nil {
		return Record{}, err
	}
	rec, err := r.record(ev)
	if rec.Fold {
		return r.kept(line)
	}
	if err == nil && rec.Seq >= 0 && !r.Plain {
		switch {
		case ev.Type == chunkType:
			r.learn(line, ev)
		case bare[ev.Type]:
			r.learnBare(line, ev)
		}
	}
	return rec, err
}

// kept reads a line whose event will be kept, from a copy.
func (r *Reader) kept(line []byte) (Record, error) {
	ev, err := session.ReadEvent(jstext.Decode(line))
	if err != nil {
		return Record{}, err
	}
	return r.record(ev)
}

// leadingType is the type of a line that begins as dsh writes it, else empty. It
// borrows the line's bytes.
func leadingType(line []byte) string {
	const lead = `{"type":"`
	if len(line) < len(lead) || string(line[:len(lead)]) != lead {
		return ""
	}
	rest := line[len(lead):]
	n := bytes.IndexByte(rest[:min(len(rest), 64)], '"')
	if n <= 0 {
		return ""
	}
	return unsafe.String(unsafe.SliceData(rest), n)
}

// record makes the record of a line's event. Only Event, if Fold is set, shares the
// event's memory.
func (r *Reader) record(ev session.Event) (Record, error) {
	v := ev.JSON
	if v.Kind() == jstext.Null {
		return Record{Seq: -1, Len: 1, Got: "null", Null: true}, nil
	}
	if r.Version < 2 && strings.HasSuffix(ev.Type, "-chunks") && chunkrow.Is(v) {
		row, err := chunkrow.Parse(v)
		return Record{Seq: row.Seq0, Len: row.Len}, err
	}
	rec := Record{Seq: ev.Seq, Len: 1, End: ev.Type == endType}
	if rec.Seq < 0 {
		rec.Seq, rec.Got = -1, got(v)
	}
	switch {
	case r.folds(ev.Type), !r.TitlesOnly && (ev.SurfaceOp.Exists() || ev.SourceEventSeqs.Exists()):
		rec.Fold, rec.Event = true, ev
	case r.TitlesOnly:
	case !known[ev.Type] && !v.Get("ignorable").True():
		rec.Unknown = strings.Clone(ev.Type)
	}
	return rec, nil
}

// got is a seq as the line has it, for a message.
func got(v jstext.Value) string {
	if v.Kind() != jstext.Object {
		return "a record that is no object"
	}
	seq := v.Get("seq")
	switch raw := seq.Raw(); {
	case !seq.Exists():
		return "none"
	case len(raw) <= 40 && seq.Kind() != jstext.Object && seq.Kind() != jstext.Array:
		return seq.JSON()
	}
	return "something that is no number"
}
