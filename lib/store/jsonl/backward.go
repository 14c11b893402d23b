package jsonl

import (
	"bytes"
	"iter"
)

// LinesBackward yields the lines of b from the last to the first, without their ends,
// the last one also where it is unfinished. A listing finds with it the newest record
// of a kind without a look at the others.
func LinesBackward(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if n := len(b); n > 0 && b[n-1] == '\n' {
			b = b[:n-1]
		} else if n == 0 {
			return
		}
		for {
			i := bytes.LastIndexByte(b, '\n')
			if !yield(b[i+1:]) || i < 0 {
				return
			}
			b = b[:i]
		}
	}
}
