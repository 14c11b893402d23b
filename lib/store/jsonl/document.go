package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Document reads a file that is one JSON object, over any number of lines, pruned by
// shape. What it holds is let go while it streams by, as in Records. Of the counts it
// sets those of what was passed over, which is NULs around the object alone. Errors are ctx's, or a *fault.Error: Damaged with the rule
// "unfinished" for an object that is not closed (a writer may be at it), or "not-json"
// for anything else than one object.
func (s *Source) Document(ctx context.Context, shape Shape) (jstext.Value, error) {
	r, done, err := s.stream(s.Hash)
	if err != nil {
		return jstext.Value{}, Unreadable(s.Path, err)
	}
	defer done()
	d := document{scanner: scanner{shape: shape}}
	buf := readBuffers.Get().(*[readSize]byte)
	defer readBuffers.Put(buf)
	if err := d.run(ctx, r, buf[:]); err != nil {
		var f *fault.Error
		if errors.As(err, &f) && f.Subject == "" {
			f.Subject = fmt.Sprintf("%q", s.Path)
		}
		return jstext.Value{}, Unreadable(s.Path, err)
	}
	s.Torn, s.NULs, s.nulRuns = 0, d.nuls, min(d.nuls, 1)
	s.Damaged = s.nulRuns
	return jstext.Parse(jstext.Decode(d.out))
}

type document struct {
	scanner
	ended bool
	nuls  int64
}

func (d *document) run(ctx context.Context, r io.Reader, buf []byte) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if !d.piece(buf[:n]) {
			return damaged("not-json", "not one JSON object")
		}
		if err == nil {
			continue
		}
		if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if !d.ended {
			return damaged("unfinished", "ends inside a JSON object")
		}
		return nil
	}
}

// piece takes bytes; false: they cannot belong to one object.
func (d *document) piece(p []byte) bool {
	for len(p) > 0 {
		line, rest, lf := bytes.Cut(p, []byte{'\n'})
		d.nuls += int64(bytes.Count(line, []byte{0}))
		if p = rest; d.ended {
			if len(bytes.Trim(line, " \t\r\x00")) > 0 {
				return false
			}
			continue
		}
		n, v := d.feed(line)
		if v == closed {
			d.ended = true
			if len(bytes.Trim(line[n:], " \t\r\x00")) > 0 {
				return false
			}
			continue
		}
		if v == more && lf {
			// Between tokens a line end is as good as a space; in a string it is refused as
			// the control character that it is.
			v = broken
			if d.state < inString || d.state > inWord {
				_, v = d.feed([]byte{' '})
			}
		}
		if v == broken {
			return false
		}
	}
	return true
}

// Prefix is what the first bytes of a file tell of the object that it begins with:
// those members of the shape that are whole, and plain values. It is for listings,
// which read no more. It is Absent where b does not begin with an object, or is not
// JSON as far as it goes.
func Prefix(b []byte, shape Shape) jstext.Value {
	d := document{scanner: scanner{shape: shape}}
	if !d.piece(b) && !d.ended || len(d.stack) == 0 && !d.ended {
		return jstext.Value{}
	}
	if !d.ended {
		between := d.state == afterValue || d.state == atKey || d.state == atFirstKey
		if !between || len(d.stack) > 1 {
			d.out = d.out[:d.mark] // the member that is being read is not whole
		}
		d.out = append(d.out, '}')
	}
	// An array or object that was asked for and is cut may leave no JSON.
	v, err := jstext.Parse(jstext.Decode(d.out))
	if err != nil {
		return jstext.Value{}
	}
	return v
}
