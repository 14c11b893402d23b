package scan

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/zframe"
)

const (
	// headStep is the first read of a log. A listing usually makes no other.
	headStep = 4 << 10
	// maxHeader bounds the header line. Real ones are a few hundred bytes.
	maxHeader = 16 << 20
)

// head is what the beginning of a log says.
type head struct {
	encoding Encoding
	header   session.Header
}

// Header reads the header of a log and no more of it than that takes. Its errors
// are those of Scan. A Stream is used up.
func Header(src Source) (session.Header, Encoding, error) {
	h, err := readHead(&src)
	return h.header, h.encoding, err
}

// scratch is memory for reading headers, which a listing does thousands of times.
type scratch struct {
	step    [headStep]byte
	line    [8 * headStep]byte
	decoder zframe.Decoder
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// readHead reads the header. It puts what it read of a stream back in front of it.
func readHead(src *Source) (head, error) {
	var in io.Reader
	if src.At != nil {
		in = io.NewSectionReader(src.At, 0, src.Size)
	} else {
		stream, seen := src.Stream, new(bytes.Buffer)
		in = io.TeeReader(stream, seen)
		defer func() { src.Stream = io.MultiReader(seen, stream) }()
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	n, err := io.ReadFull(in, s.step[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return head{}, err
	}
	h := head{encoding: Raw}
	var line []byte
	if zframe.Is(s.step[:n]) {
		h.encoding = Zstd
		line, err = s.firstLineZstd(s.step[:n], in)
	} else {
		line, err = firstLine(s.step[:n], in)
	}
	if err != nil {
		return head{}, err
	}
	h.header, err = record.ParseHeader(line)
	return h, err
}

// firstLine returns the line that begins with what was read already and goes on in
// in.
func firstLine(read []byte, in io.Reader) ([]byte, error) {
	var line, buf []byte
	var err error
	for {
		if i := bytes.IndexByte(read, '\n'); i >= 0 {
			return append(line, read[:i]...), nil
		}
		line = append(line, read...)
		switch {
		case len(line) > maxHeader:
			return nil, headFault("header-json", "the first line is longer than a header can be")
		case errors.Is(err, io.EOF), errors.Is(err, zframe.ErrTorn):
			return nil, headFault("no-header", "no session header yet: the first line is not complete")
		case err != nil:
			return nil, err
		}
		if len(buf) == 0 {
			buf = make([]byte, 64<<10)
		}
		var n int
		n, err = in.Read(buf)
		read = buf[:n]
	}
}

// firstLineZstd is firstLine for what frames decode to. The header usually has a
// small frame of its own, which needs no window. The blocks of a frame that is cut
// count, as anywhere.
func (s *scratch) firstLineZstd(read []byte, in io.Reader) ([]byte, error) {
	n, ok := zframe.End(read)
	if !ok && len(read) < headStep {
		n, ok = len(read), true // that is all there is
	}
	if ok {
		out, err := s.decoder.Append(s.line[:0], read[:n])
		if i := bytes.IndexByte(out, '\n'); i >= 0 && (err == nil || errors.Is(err, zframe.ErrTorn)) {
			return out[:i], nil
		}
	}
	r, err := s.decoder.Reader(io.MultiReader(bytes.NewReader(read), in))
	if err != nil {
		return nil, err
	}
	line, err := firstLine(nil, r)
	var f *fault.Error
	var p *fs.PathError
	switch {
	case err == nil, errors.As(err, &f), errors.As(err, &p):
		return line, err
	case errors.Is(err, zframe.ErrWindow):
		return nil, windowFault(0, err)
	}
	return nil, &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "no-header",
		Message: "the zstd frame of the session header does not decode", Err: err,
	}
}

func headFault(rule, message string) error {
	return &fault.Error{Kind: fault.Damaged, Code: fault.ReadFailed, Rule: rule, Message: message}
}
