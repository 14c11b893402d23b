package jsonl

import (
	"maps"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Form says how the records of an agent look, so that one that was written behind a
// record that had been cut off, on the same line, is told from an object inside of that
// record. Where the cut is behind a colon or a bracket, nothing else tells the two apart.
type Form struct {
	// Shape is what Is looks at. It may be kept of every such record, beside what the
	// reader asks for.
	Shape Shape
	// Is reports whether an object that is so pruned is a whole record.
	Is func(v jstext.Value) bool
	// List is the key of arrays inside of records whose elements look like records
	// themselves; empty: there are none. What stands in such a one is never taken for a
	// record. Only where a Shape keeps what is around the array can it be known.
	List string
}

// with is a shape that keeps what the form looks at too.
func (f *Form) with(shape Shape) Shape {
	if shape == nil {
		return nil
	}
	both := maps.Clone(f.Shape)
	maps.Copy(both, shape)
	return both
}
