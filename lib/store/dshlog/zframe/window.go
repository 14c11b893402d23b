package zframe

import "io"

// A stream is read in steps that double from firstStep to readSize: most logs are
// small, and many of them are looked at in one go.
const (
	firstStep = 8 << 10
	readSize  = 256 << 10
)

// window is the part of a stream that has been read and not been dropped.
type window struct {
	r   io.Reader
	buf []byte
	pos int
	off int64 // in the stream, of the first byte
	err error // why there is no more; io.EOF at the end

	step int
}

func (w *window) bytes() []byte { return w.buf[w.pos:] }

func (w *window) drop(n int) {
	w.pos += n
	w.off += int64(n)
}

// more reads on and reports whether there are more bytes than before.
func (w *window) more() bool {
	if w.err != nil {
		return false
	}
	w.step = min(max(firstStep, 2*w.step), readSize)
	if w.pos > 0 && cap(w.buf)-len(w.buf) < w.step {
		w.buf = w.buf[:copy(w.buf, w.buf[w.pos:])]
		w.pos = 0
	}
	if cap(w.buf)-len(w.buf) < w.step {
		grown := make([]byte, len(w.buf), 2*len(w.buf)+2*w.step)
		copy(grown, w.buf)
		w.buf = grown
	}
	n := 0
	for n == 0 && w.err == nil {
		n, w.err = w.r.Read(w.buf[len(w.buf) : len(w.buf)+w.step])
		w.buf = w.buf[:len(w.buf)+n]
	}
	return n > 0
}
