package jsonl

import (
	"context"
	"io"
	"iter"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// fetchSize is the window of Fetch: records that are wanted stand close together
// more often than not, and one that stands alone is small.
const fetchSize = 32 << 10

// Fetch goes back to records that Records yielded, in rising order of their
// spans, and yields the value of each, pruned by a shape of its own. So a reader
// can decide over a whole file while it holds a few words per record, and then
// take the texts of those that count. It yields one value per span, or an error as
// the last: ctx's, or a *fault.Error.
func (s *Source) Fetch(ctx context.Context, shape Shape, spans []Span) iter.Seq2[jstext.Value, error] {
	return func(yield func(jstext.Value, error) bool) {
		w, err := s.window()
		if err != nil {
			yield(jstext.Value{}, Unreadable(s.Path, err))
			return
		}
		defer w.close()
		sc := scanner{shape: shape}
		for _, span := range spans {
			err := ctx.Err()
			if err == nil {
				err = w.feed(&sc, span)
			}
			var v jstext.Value
			if err == nil {
				v, err = jstext.Parse(jstext.Decode(sc.out))
			}
			if err != nil {
				yield(jstext.Value{}, Unreadable(s.Path, err))
				return
			}
			if !yield(v, nil) {
				return
			}
			if cap(sc.out) > keepCap {
				sc.out = nil
			}
		}
	}
}

// window is a moving view of the decoded content.
type window struct {
	at    io.ReaderAt // a plain file, or nil
	size  int64
	next  io.Reader // a packed one
	close func()
	buf   []byte
	n     int   // bytes in buf
	off   int64 // where buf stands
}

func (s *Source) window() (*window, error) {
	w := &window{buf: make([]byte, fetchSize), close: func() {}}
	if !s.Packed {
		w.at, w.size = s.file, s.Size
		return w, nil
	}
	var err error
	w.next, w.close, err = s.stream(nil)
	return w, err
}

// feed gives sc the record at span.
func (w *window) feed(sc *scanner, span Span) error {
	sc.reset()
	for off, end := span.Off, span.Off+span.Len; off < end; {
		p, err := w.from(off)
		if err != nil {
			return err
		}
		p = p[:min(int64(len(p)), end-off)]
		n, v := sc.feed(p)
		if off += int64(n); v == closed && off == end {
			return nil
		}
		if v != more {
			break
		}
	}
	return damaged("changed", "was changed while it was read")
}

// from is what is at hand of the content from off on, at least one byte.
func (w *window) from(off int64) ([]byte, error) {
	for off < w.off || off >= w.off+int64(w.n) {
		var err error
		if w.at != nil {
			w.off = off
			w.n, err = w.at.ReadAt(w.buf[:min(int64(len(w.buf)), max(w.size-off, 0))], off)
		} else {
			w.off += int64(w.n)
			w.n, err = w.next.Read(w.buf)
		}
		if w.n > 0 {
			continue
		}
		if err == nil && w.at != nil || err == io.EOF {
			err = damaged("changed", "was cut while it was read")
		}
		if err != nil {
			return nil, err
		}
	}
	return w.buf[off-w.off : w.n], nil
}
