package jsonl

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"
	"time"
)

// PeekSize is how much of a file's head and of its tail a listing looks at.
const PeekSize = 64 << 10

// Peek is what a listing reads of a file: never its body.
type Peek struct {
	Head    []byte // the first bytes, decoded, at most PeekSize
	Tail    []byte // whole lines from the last bytes; Head itself where that is the whole file; empty for a packed file
	Whole   bool   // Head is all there is
	Packed  bool
	Size    int64
	ModTime time.Time

	buf *[2 * PeekSize]byte
}

// Listings look at tens of thousands of files; their buffers are used again.
var peekBuffers = sync.Pool{New: func() any { return new([2 * PeekSize]byte) }}

// Release gives the buffers back, where a listing has taken what it needs. Head
// and Tail must not be used after it. To forget it is no error.
func (p *Peek) Release() {
	if p.buf != nil {
		peekBuffers.Put(p.buf)
	}
	p.buf, p.Head, p.Tail = nil, nil, nil
}

// ReadPeek looks at a regular file; anything else is refused unopened, so that a
// listing cannot hang on a pipe. Errors are *fault.Error. The file of a live writer
// is seen at the size it has then.
func ReadPeek(path string) (Peek, error) {
	// Asked before the open: to open a pipe would wait for its writer.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		if err == nil {
			err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
		}
		return Peek{}, Unreadable(path, err)
	}
	s, err := Open(context.Background(), path)
	if err != nil {
		return Peek{}, err
	}
	defer s.Close()
	p := Peek{Packed: s.Packed, Size: s.Size, ModTime: s.ModTime, buf: peekBuffers.Get().(*[2 * PeekSize]byte)}
	if err := p.read(s); err != nil {
		return Peek{}, Unreadable(path, err)
	}
	return p, nil
}

func (p *Peek) read(s *Source) error {
	if s.Packed {
		return p.unpack(s)
	}
	p.Head = p.buf[:min(s.Size, PeekSize)]
	n, err := s.file.ReadAt(p.Head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	p.Head = p.Head[:n]
	if p.Whole = s.Size <= PeekSize; p.Whole {
		p.Tail = p.Head
		return nil
	}
	p.Tail = p.buf[PeekSize:]
	n, err = s.file.ReadAt(p.Tail, s.Size-PeekSize)
	if err != nil && err != io.EOF {
		return err
	}
	// The first line is the end of a longer one; its start may even look whole.
	_, p.Tail, _ = bytes.Cut(p.Tail[:n], []byte{'\n'})
	return nil
}

// unpack decodes the head only: the tail of a frame cannot be had without all
// before it.
func (p *Peek) unpack(s *Source) error {
	r, done, err := s.stream(nil)
	if err != nil {
		return err
	}
	defer done()
	p.Head = p.buf[:PeekSize]
	n, err := io.ReadFull(r, p.Head)
	p.Head = p.Head[:n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		p.Whole, err = true, nil
		p.Tail = p.Head
	}
	return err
}

// Lines yields the lines of b, without their ends, the last one also where it is
// unfinished.
func Lines(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			line, rest, _ := bytes.Cut(b, []byte{'\n'})
			if !yield(line) {
				return
			}
			b = rest
		}
	}
}
