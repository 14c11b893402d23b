package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Span is where a record stands in the decoded content, in bytes.
type Span struct{ Off, Len int64 }

// Record is one record of a file.
type Record struct {
	Span
	// Index counts the records of the file from 0, damaged ones included, so that a
	// record keeps its number for ever.
	Index int64
	// Value is the record, pruned.
	Value jstext.Value
}

const (
	readSize = 128 << 10
	// keepCap is how large a record buffer may stay for the next record.
	keepCap = 1 << 20
)

// Stores of one file a record have thousands of small ones; their buffers are used
// again.
var readBuffers = sync.Pool{New: func() any { return new([readSize]byte) }}

// Records yields the records in the order of the file, each pruned by shape, and
// counts in s what it passes over. A stop by the caller ends the reading. An error
// is the last thing yielded: ctx's, or a *fault.Error for a file that fails.
func (s *Source) Records(ctx context.Context, shape Shape) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		r, done, err := s.stream(s.Hash)
		if err != nil {
			yield(Record{}, Unreadable(s.Path, err))
			return
		}
		defer done()
		s.Count, s.Damaged, s.Torn, s.NULs, s.nulRuns = 0, 0, 0, 0, 0
		l := newSplitter(shape, s.Form, func(rec Record) bool { return yield(rec, nil) })
		var w *window
		l.again = func(sc *scanner, span Span) (err error) {
			if w == nil {
				if w, err = s.window(); err != nil {
					return err
				}
			}
			return w.feed(sc, span)
		}
		err = l.run(ctx, r)
		if w != nil {
			w.close()
		}
		s.Count, s.Damaged, s.Torn = l.count, l.damaged+l.nulRuns, l.torn
		s.NULs, s.nulRuns = l.nuls, l.nulRuns
		if err != nil && !errors.Is(err, errStopped) {
			yield(Record{}, Unreadable(s.Path, err))
		}
	}
}

// Scan yields the records of a piece of a file that is in memory. What is not a
// whole record at either end is passed over.
func Scan(b []byte, shape Shape) iter.Seq[Record] { return (*Form)(nil).Scan(b, shape) }

// Scan is the function Scan for records of a form.
func (f *Form) Scan(b []byte, shape Shape) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		l := newSplitter(shape, f, yield)
		l.again = func(sc *scanner, span Span) error {
			sc.feed(b[span.Off : span.Off+span.Len])
			return nil
		}
		if l.piece(b, 0) == nil { // fails only where the caller stops
			_ = l.endLine()
		}
	}
}

var errStopped = errors.New("stopped by the caller")

// splitter cuts a stream into records.
type splitter struct {
	scanner
	yield func(Record) bool
	form  *Form
	again func(sc *scanner, span Span) error // gives sc an object that has been passed

	start   int64 // where the record being read begins; -1: between records
	skip    bool  // the rest of the line is damaged, and counted
	count   int64
	damaged int64
	torn    int64
	doubt   bool    // this line has a damaged record: what follows is one only if it is whole up to the next
	held    *Record // such a one, until what stands behind it is known

	nuls     int64 // NUL bytes
	lineNuls int64 // of them those in this line
	nulRuns  int64 // runs of NUL bytes that are part of no damaged record
	inNuls   bool  // the last byte was of such a run
}

func newSplitter(shape Shape, form *Form, yield func(Record) bool) *splitter {
	l := &splitter{scanner: scanner{shape: shape}, form: form, yield: yield, start: -1}
	if form != nil && form.List != "" {
		l.list = jstext.Quote(form.List)
	}
	return l
}

func (l *splitter) run(ctx context.Context, r io.Reader) error {
	buf := readBuffers.Get().(*[readSize]byte)
	defer readBuffers.Put(buf)
	for off := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf[:])
		if lerr := l.piece(buf[:n], off); lerr != nil {
			return lerr
		}
		off += int64(n)
		if err == nil {
			continue
		}
		if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if err := l.endLine(); err != nil {
			return err
		}
		l.end(off, err)
		return nil
	}
}

// end counts what is left at off, the end of the input.
func (l *splitter) end(off int64, err error) {
	if l.skip { // broken, but perhaps only because it is unfinished
		l.damaged--
		l.count--
	}
	if l.start >= 0 {
		l.torn = off - l.start
	} else if err != io.EOF {
		l.torn = 1 // cut between records: at least the end of the frame is missing
	}
	if l.start >= 0 && l.lineNuls > 0 {
		l.nulRuns++ // no writer leaves NULs in what it has only begun
	}
}

// piece takes bytes that stand at off, any number of lines of them.
func (l *splitter) piece(p []byte, off int64) error {
	for len(p) > 0 {
		line, ended := p, false
		if n := bytes.IndexByte(p, '\n'); n >= 0 {
			line, ended = p[:n], true
		}
		if err := l.line(line, off); err != nil {
			return err
		}
		off += int64(len(line))
		p = p[len(line):]
		if !ended {
			return nil
		}
		p = p[1:]
		off++
		if err := l.endLine(); err != nil {
			return err
		}
		if l.start >= 0 && !l.skip {
			l.damage() // the line ended inside a record
		}
		l.start, l.skip, l.doubt, l.inNuls, l.lineNuls = -1, false, false, false, 0
		l.reset()
	}
	return nil
}

// between takes what stands between records off the start of p: white space, and the
// NULs that a power cut leaves where a file had grown and its bytes were not written.
func (l *splitter) between(p []byte) (n int) {
	for ; n < len(p); n++ {
		switch p[n] {
		case 0:
			if !l.inNuls {
				l.nulRuns++
			}
			l.inNuls = true
		case ' ', '\t', '\r':
			l.inNuls = false
		default:
			l.inNuls = false
			return n
		}
	}
	return n
}

// line takes bytes of one line.
func (l *splitter) line(p []byte, off int64) error {
	nuls := int64(bytes.Count(p, []byte{0}))
	l.nuls += nuls
	l.lineNuls += nuls
	for len(p) > 0 {
		n, err := l.next(p, off)
		if err != nil {
			return err
		}
		p = p[n:]
		off += int64(n)
	}
	return nil
}

// next takes some bytes of one line, and says how many.
func (l *splitter) next(p []byte, off int64) (int, error) {
	if l.skip {
		return l.behindNULs(p), nil
	}
	if l.state == atStart {
		if n := l.between(p); n > 0 {
			return n, nil
		}
		if l.held != nil {
			if p[0] != '{' {
				l.dismiss()
				return 0, nil
			}
			if err := l.flush(); err != nil {
				return 0, err
			}
		}
	}
	l.off = off
	n, v := l.feed(p)
	if l.start < 0 && (len(l.stack) > 0 || v == closed) {
		l.start = off + int64(bytes.IndexByte(p, '{'))
	}
	switch v {
	case closed:
		return n, l.record(off + int64(n))
	case broken:
		l.recover(p[n:], off+int64(n))
	}
	return n, nil
}

// recover goes on behind a damaged record: where a new one was written over it, or
// else on the next line.
func (l *splitter) recover(p []byte, off int64) {
	if l.glued() {
		return
	}
	welded := l.welded()
	over := p[0] == '{' && len(l.stack) > 0
	l.damage()
	l.reset()
	switch {
	case welded:
		l.start, l.off = off-2, off-2
		l.feed([]byte(`{"`))
	case over:
		l.start = -1
	default:
		l.skip = true
		if l.start < 0 {
			l.start = off // text from the line's start: torn, if nothing follows
		}
	}
}

func (l *splitter) damage() {
	l.damaged++
	l.count++
	l.doubt = true
}

// endLine takes what the end of a line, or of the input, makes certain.
func (l *splitter) endLine() error {
	if !l.skip && l.start >= 0 {
		l.glued()
	}
	return l.flush()
}

func (l *splitter) record(end int64) error {
	v, err := jstext.Parse(jstext.Decode(l.out))
	rec := Record{Span: Span{l.start, end - l.start}, Value: v}
	l.start = -1
	l.reset()
	if cap(l.out) > keepCap {
		l.out = nil
	}
	switch {
	case err != nil: // cannot be: the scanner follows the same grammar
		l.damage()
	case l.doubt:
		held := rec // so that only such a record is put on the heap
		l.held = &held
	default:
		return l.give(rec)
	}
	return nil
}

func (l *splitter) give(rec Record) error {
	rec.Index = l.count
	l.count++
	if !l.yield(rec) {
		return errStopped
	}
	return nil
}
