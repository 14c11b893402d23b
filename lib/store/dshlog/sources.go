package dshlog

import (
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// maxCited bounds how often the seqs of a log may be named by the events of its
// surface, all ranges written out: a message names the chunks that it was made of,
// and a checkpoint what it replaces, so that about once is normal. Beyond it a few
// bytes could ask for any amount of memory.
const maxCited = 8

// writeOutSources replaces ranges in sourceEventSeqs, which formats 1 and later may
// have, by the seqs they stand for. The fold has held the ranges to be in the log.
func writeOutSources(s *session.Surface) error {
	if s.Header.Version < 1 || s.CapturedThroughSeq == nil {
		return nil
	}
	left := maxCited * (*s.CapturedThroughSeq + 1)
	for i := range s.Events {
		ev := &s.Events[i]
		if !hasRange(ev.SourceEventSeqs) {
			continue
		}
		seqs, n := writtenOut(ev.SourceEventSeqs, left)
		if left -= n; left < 0 {
			return &fault.Error{
				Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "sources-too-many",
				Message: "the ranges in sourceEventSeqs name more events than a log of this length can mean",
			}
		}
		ev.SourceEventSeqs = seqs
		ev.JSON = with(ev.JSON, "sourceEventSeqs", seqs)
	}
	return nil
}

func hasRange(v jstext.Value) bool {
	for e := range v.Elements() {
		if e.Kind() == jstext.Array {
			return true
		}
	}
	return false
}

// writtenOut returns a list of seqs and ranges as seqs, and how many they are. It
// stops when they are more than limit.
func writtenOut(v jstext.Value, limit int64) (jstext.Value, int64) {
	var w jstext.Writer
	n := int64(0)
	w.BeginArray()
	for e := range v.Elements() {
		first, last := e, e
		if e.Kind() == jstext.Array {
			k := 0
			for end := range e.Elements() {
				if k == 0 {
					first = end
				}
				last = end
				k++
			}
		}
		a, _ := first.Int()
		b, _ := last.Int()
		if n += b - a + 1; n > limit {
			return v, n
		}
		for ; a <= b; a++ {
			w.Int(a)
		}
	}
	w.EndArray()
	return w.Value(), n
}

// with is an object with another value for a key.
func with(v jstext.Value, key string, value jstext.Value) jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	for k, m := range v.Members() {
		if k == key {
			m = value
		}
		w.Key(k)
		w.Raw(m)
	}
	w.EndObject()
	return w.Value()
}
