package scan

import (
	"context"
	"io"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
)

// Source is the bytes of one log.
type Source struct {
	// At and Size are a file, of which Size bytes are observed.
	At   io.ReaderAt
	Size int64
	// Stream is the source where At is nil. It is read to its end.
	Stream io.Reader
}

// Sink takes the events of a log in order; *session.Fold is one.
type Sink interface {
	// Add takes an event that may be of concern.
	Add(session.Event) error
	// Skip passes over the next n seqs: events that are of no concern.
	Skip(n int64)
}

// Options changes how a log is scanned.
type Options struct {
	// Begin is called once with the header, before any event, and gives the sink.
	// Nil: the events are looked through and dropped.
	Begin func(session.Header) (Sink, error)
	// Plain reads every line in full, also those whose shape is known. The result
	// is the same.
	Plain bool
	// TitlesOnly gives the sink no events but those that set the title.
	TitlesOnly bool
	// All goes on behind damage, to find what else there is. Corruption is no
	// error then but in Result.Damage, and the sink has the events before it.
	All bool
}

func (o Options) reader(version int) reader {
	return reader{record.Reader{Version: version, Plain: o.Plain, TitlesOnly: o.TitlesOnly}, o.All}
}

// Encoding is how a log is stored.
type Encoding string

// The encodings.
const (
	Raw  Encoding = "raw"
	Zstd Encoding = "zstd"
)

// Result is what a scan found out besides events.
type Result struct {
	Header   session.Header
	Encoding Encoding
	Bytes    int64 // of the file that were observed
	Decoded  int64 // bytes of lines; Bytes, for a raw log
	Frames   int64 // whole zstd frames that were decoded
	Events   int64 // that count; a packed row is as many as it has members
	// Committed is where the last record that counts ends, in decoded bytes; 0 if
	// there is not even a header.
	Committed int64
	// Torn is the length of a torn tail: the bytes behind the last line feed of a
	// raw log, the bytes of the cut frame of a zstd log. 0 if there is none.
	Torn int64
	// Damage is what is wrong with the log, in order; without Options.All at most the
	// first thing.
	Damage []Damage
	// Dropped is how many whole lines stand at and behind the first damage.
	Dropped int64
	// Unknown is the first types, each once, that dsh is not known to write and that
	// do not say they may be ignored. They were passed over.
	Unknown []string
}

// LastSeq is the highest seq that counts; nil for a log without events.
func (r *Result) LastSeq() *int64 {
	if r.Events == 0 {
		return nil
	}
	last := r.Events - 1
	return &last
}

// Scan reads a log. Errors are *fault.Error: Damaged for a corrupt log, with the
// rules no-header, header-json, header-shape, committed-unparsable,
// committed-seq-gap, null-record, committed-frame, decoded-size and line-size;
// Unsupported for a frame that asks for too much memory; the error of the source,
// of Begin, of the sink, or of ctx. With an error there may still be a result, as
// far as the scan came.
//
// Scan returns when ctx is done: at once also while a stream does not deliver. No
// call of the sink is made after it has returned.
func Scan(ctx context.Context, src Source, opts Options) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		head head
		err  error
	}
	first := make(chan answer, 1)
	go func() {
		h, err := readHead(&src)
		first <- answer{h, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-first:
		if a.err != nil {
			return nil, a.err
		}
		return scan(ctx, src, a.head, opts)
	}
}

func scan(ctx context.Context, src Source, h head, opts Options) (*Result, error) {
	m := merger{
		src: src, opts: opts,
		res: Result{Header: h.header, Encoding: h.encoding},
	}
	m.lines = opts.reader(h.header.Version)
	if opts.Begin != nil {
		sink, err := opts.Begin(h.header)
		if err != nil {
			return m.result(), err
		}
		m.sink = sink
	}
	var err error
	if src.At != nil && src.Size <= small {
		if err = inline(ctx, src, h, opts, m.job); err == nil {
			err = m.end(ctx)
		}
	} else {
		err = m.all(ctx, start(ctx, src, h, opts))
	}
	return m.result(), err
}
