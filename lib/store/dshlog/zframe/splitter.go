package zframe

import (
	"errors"
	"io"
)

// Kind is what an Item is.
type Kind uint8

// The kinds of items.
const (
	Whole Kind = iota // one or more frames, each with all its bytes
	Torn              // the beginning of a frame, ended by the end of the file
	Bad               // bytes that are no frame
	Skip              // a skippable frame: nothing to decode
)

// Item is a run of bytes of the file. The items of a file, in order, are all of it.
type Item struct {
	Kind   Kind
	Offset int64 // in the file
	Size   int64 // bytes
	// Data is those bytes. It is nil for a frame longer than MaxKept, unless the
	// splitter keeps all, and for what cannot be decoded.
	Data []byte
	// Frames is the end in Data of each whole frame; the last is all of Data.
	Frames []int
}

const (
	// batch is how many bytes of small frames are given out together. A durable
	// batch of dsh is a kilobyte or two; handing those over one by one would cost
	// more than decoding them.
	batch = 64 << 10
	// MaxKept is the longest frame whose bytes are held in memory.
	MaxKept = 1 << 20
)

// Splitter reads a file once, from its beginning.
type Splitter struct {
	// KeepAll keeps the bytes of frames of any length, for a source that cannot be
	// read again.
	KeepAll bool

	in    window
	tries int
}

// NewSplitter splits what r delivers.
func NewSplitter(r io.Reader) *Splitter { return &Splitter{in: window{r: r}} }

// Offset is how much of the file has been given out.
func (s *Splitter) Offset() int64 { return s.in.off }

// Next returns the next item; its bytes are put into dst, which becomes the
// item's. At the end the error is io.EOF; other errors are the reader's.
func (s *Splitter) Next(dst []byte) (Item, error) {
	it := Item{Offset: s.in.off, Data: dst[:0]}
	for it.Size < batch {
		if len(s.in.bytes()) == 0 && !s.in.more() {
			if it.Size > 0 {
				break
			}
			return Item{}, s.in.err
		}
		var w walker
		err := s.walk(&w, it.Size == 0)
		if err != nil || w.skip || s.in.off > it.Offset+it.Size {
			if it.Size > 0 {
				break // the next call walks here again
			}
			return s.single(w, err, it)
		}
		if it.Size > 0 && int(it.Size)+w.at > batch {
			break
		}
		it.Data = append(it.Data, s.in.bytes()[:w.at]...)
		it.Frames = append(it.Frames, len(it.Data))
		it.Size += int64(w.at)
		s.in.drop(w.at)
	}
	return it, nil
}

// errLong says that a frame is longer than MaxKept.
var errLong = errors.New("a long frame")

// walk finds the end of the frame at the beginning of the window. The bytes of a
// frame that grows too long are dropped on the way, if that is allowed: then w.at
// counts from the window's new beginning.
func (s *Splitter) walk(w *walker, mayDrop bool) error {
	for {
		err := w.run(s.in.bytes())
		if !errors.Is(err, errShort) {
			return err
		}
		if w.at > MaxKept && (!s.KeepAll || w.skip) {
			if !mayDrop {
				return errLong
			}
			n := min(w.at, len(s.in.bytes()))
			s.in.drop(n)
			w.at -= n
		}
		if !s.in.more() {
			if errors.Is(s.in.err, io.EOF) {
				return errShort
			}
			return s.in.err
		}
	}
}

// single makes the item for a place where no small whole frame begins. it is empty
// and holds where the place begins.
func (s *Splitter) single(w walker, err error, it Item) (Item, error) {
	dropped := s.in.off > it.Offset
	switch {
	case err == nil:
		if w.skip {
			it.Kind = Skip
		}
		it.Data = nil
		s.in.drop(w.at)
	case errors.Is(err, errShort) && !s.frameFollows():
		it.Kind = Torn
		if dropped || w.skip {
			it.Data = nil
		} else {
			it.Data = append(it.Data, s.in.bytes()...)
		}
		s.in.drop(len(s.in.bytes()))
	case errors.Is(err, errShort), errors.Is(err, errBad):
		it.Kind, it.Data = Bad, nil
		if err := s.toNextMagic(); err != nil {
			return Item{}, err
		}
	default:
		return Item{}, err
	}
	it.Size = s.in.off - it.Offset
	return it, nil
}
