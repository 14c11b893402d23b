package scan

import (
	"bytes"
	"errors"
	"io"
	"sort"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/store/dshlog/zframe"
)

const (
	// partSize is how many decoded bytes are looked through at a time; a frame that
	// is larger is looked through whole, up to maxRoom.
	partSize = 512 << 10
	roomy    = 2 * partSize
	maxRoom  = 4 << 20

	// A log may decode to minDecoded bytes, and beyond that to maxRatio times its
	// size. Real logs come to 30 times it.
	minDecoded = 64 << 20
	maxRatio   = 256
	// maxZstdLine bounds a line of a compressed log; real ones are below a megabyte.
	maxZstdLine = 256 << 20
)

// worker looks through pieces, one at a time.
type worker struct {
	*tools
	src    Source
	reader reader
	starts []frameStart // of the frames in buf
}

// tools is what a worker can take over from one that is done.
type tools struct {
	decoder zframe.Decoder
	buf     []byte
}

var toolbox = sync.Pool{New: func() any { return new(tools) }}

// frameStart is where a frame's bytes begin in a part.
type frameStart struct {
	at  int
	off int64
}

func newWorker(src Source, version int, o Options) *worker {
	return &worker{tools: toolbox.Get().(*tools), src: src, reader: o.reader(version)}
}

func (w *worker) close() {
	w.decoder.Rest()
	if cap(w.buf) > roomy {
		w.buf = nil
	}
	toolbox.Put(w.tools)
	w.tools = nil
}

func (w *worker) do(j *job) {
	switch {
	case j.item != nil:
		w.zstd(j)
	case j.buf != nil:
		j.parts = append(j.parts, newPart(&w.reader, j.buf))
		j.buf = nil
	default:
		w.room(int(j.size))
		buf := w.buf[:j.size]
		n, err := w.src.At.ReadAt(buf, j.off)
		if n < len(buf) {
			if j.err = err; err == nil || errors.Is(err, io.EOF) {
				j.err = ErrShrunk
			}
			return
		}
		j.parts = append(j.parts, newPart(&w.reader, buf))
	}
}

// roomFor is how much room to begin with for frames of that size.
func roomFor(size int64) int { return int(min(max(16*size, 16<<10), roomy)) }

// room makes w.buf at least n bytes large.
func (w *worker) room(n int) {
	if cap(w.buf) < n {
		w.buf = make([]byte, 0, n)
	}
}

func (w *worker) zstd(j *job) {
	it := j.item
	defer func() {
		release(it)
		j.item = nil
	}()
	switch it.Kind {
	case zframe.Bad:
		j.parts = append(j.parts, part{frame: it.Offset, err: errors.New("not a zstd frame")})
	case zframe.Torn:
		j.torn = it.Size
		w.torn(j, it)
	case zframe.Whole:
		if it.Data == nil {
			w.long(j, io.NewSectionReader(w.src.At, it.Offset, it.Size), it.Offset, it.Size)
			return
		}
		w.frames(j, it)
	}
}

// frames decodes small frames one behind the other and looks through them together.
func (w *worker) frames(j *job, it *zframe.Item) {
	w.room(roomFor(it.Size))
	dst := w.buf[:0]
	frames, decoded := int64(0), int64(0)
	flush := func() {
		if frames > 0 {
			p := w.part(dst)
			p.frames = frames
			j.parts = append(j.parts, p)
		}
		dst, w.starts, frames = w.buf[:0], w.starts[:0], 0
	}
	from := 0
	for _, end := range it.Frames {
		frame, off := it.Data[from:end], it.Offset+int64(from)
		from = end
		if len(dst) >= partSize {
			flush()
		}
		out, err := w.decoder.Append(dst, frame)
		if errors.Is(err, zframe.ErrNoRoom) {
			flush()
			out, err = w.alone(frame)
			dst = w.buf[:0]
		}
		switch {
		case err == nil:
			w.starts = append(w.starts, frameStart{len(dst), off})
			if decoded += int64(len(out) - len(dst)); decoded > minDecoded+maxRatio*it.Size {
				j.err = bombFault(off)
				return
			}
			dst = out
			frames++
		case errors.Is(err, zframe.ErrNoRoom):
			w.long(j, bytes.NewReader(frame), off, int64(len(frame)))
		case errors.Is(err, zframe.ErrWindow):
			j.err = windowFault(off, err)
			return
		default:
			flush()
			j.parts = append(j.parts, part{frame: off, err: err})
		}
		if j.err != nil {
			return
		}
	}
	flush()
}

// alone decodes one frame into an empty buffer, which grows to what is likely. A
// frame that needs more, or is damaged, is for long to decode.
func (w *worker) alone(frame []byte) ([]byte, error) {
	for {
		out, err := w.decoder.Append(w.buf[:0], frame)
		if !errors.Is(err, zframe.ErrNoRoom) || cap(w.buf) >= min(maxRoom, 64*len(frame)) {
			return out, err
		}
		w.buf = make([]byte, 0, min(8*cap(w.buf), maxRoom))
	}
}

// torn takes what the blocks of a cut frame give. That nothing more can be decoded
// is no error, whatever the reason.
func (w *worker) torn(j *job, it *zframe.Item) {
	if it.Data == nil {
		if w.src.At != nil {
			w.long(j, io.NewSectionReader(w.src.At, it.Offset, it.Size), it.Offset, it.Size)
		}
		return
	}
	w.room(roomFor(it.Size))
	out, err := w.alone(it.Data)
	if errors.Is(err, zframe.ErrNoRoom) {
		w.long(j, bytes.NewReader(it.Data), it.Offset, it.Size)
		return
	}
	w.starts = append(w.starts[:0], frameStart{0, it.Offset})
	j.parts = append(j.parts, w.part(out))
}

// long decodes a frame piece by piece. What it holds counts only when its checksum
// has turned out right, so its parts are kept until then; a cut frame has none.
func (w *worker) long(j *job, r io.Reader, off, size int64) {
	before, cut := len(j.parts), j.torn > 0
	decoded, sinceNewline := int64(0), int64(0)
	w.room(roomy)
	z, err := w.decoder.Reader(r)
	for err == nil {
		buf := w.buf[:partSize]
		var n int
		n, err = io.ReadFull(z, buf)
		if errors.Is(err, io.ErrUnexpectedEOF) { // ReadFull's, for a last short piece
			err = io.EOF
		}
		w.starts = append(w.starts[:0], frameStart{0, off})
		p := w.part(buf[:n])
		j.parts = append(j.parts, p)
		decoded += int64(n)
		if sinceNewline += int64(n); p.whole {
			sinceNewline = int64(len(p.tail))
		}
		switch {
		case decoded > minDecoded+maxRatio*size:
			j.err = bombFault(off)
			return
		case sinceNewline > maxZstdLine:
			j.err = lineFault(decoded)
			return
		}
	}
	switch {
	case errors.Is(err, zframe.ErrWindow):
		j.err = windowFault(off, err)
	case cut:
	case errors.Is(err, io.EOF):
		j.parts[before].frames = 1
	default:
		j.parts = append(j.parts[:before], part{frame: off, err: err})
	}
}

// part looks through decoded bytes and says of damage in which frame it lies.
func (w *worker) part(buf []byte) part {
	p := newPart(&w.reader, buf)
	if len(w.starts) > 0 {
		p.frame = w.starts[0].off
	}
	for i := range p.run.damage {
		d := &p.run.damage[i]
		at := len(p.head) + int(d.Offset)
		k := sort.Search(len(w.starts), func(k int) bool { return w.starts[k].at > at })
		d.Frame = w.starts[k-1].off
	}
	return p
}
