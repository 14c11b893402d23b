package scan

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/store/dshlog/zframe"
)

// These are variables for the sake of tests, which set them to a few bytes.
var (
	// pieceSize is how much of a raw log is looked through at a time: little enough
	// to stay in a core's cache between being read and being looked through.
	pieceSize int64 = 256 << 10
	// small is the size of a log that is not worth goroutines.
	small int64 = 64 << 10
)

// maxWorkers bounds memory, which grows with the number of workers.
const maxWorkers = 8

// job is one piece of a log on its way through the pipeline.
type job struct {
	size int64        // bytes of the log
	off  int64        // in a raw file
	buf  []byte       // of a raw stream
	item *zframe.Item // of a zstd log

	parts []part
	torn  int64 // bytes of a cut frame
	err   error
	done  chan struct{}
}

// ErrShrunk says that the file has become shorter than it was when its size was
// taken.
var ErrShrunk = errors.New("the file got shorter while it was read")

// inline looks through a small log in the caller's goroutine. take gets its jobs.
func inline(ctx context.Context, src Source, h head, o Options, take func(*job) error) error {
	w := newWorker(src, h.header.Version, o)
	defer w.close()
	var err error
	produce(src, h, func(j *job) bool {
		if err = ctx.Err(); err != nil {
			return false
		}
		if j.err == nil {
			w.do(j)
		}
		err = take(j)
		return err == nil
	})
	return err
}

// start begins to read and look through the log. The jobs come out in the log's
// order; each is done when its done is closed. The log is at its end when the
// channel is closed. Everything stops soon after ctx is done, but for a read that
// cannot be interrupted: its result is dropped.
func start(ctx context.Context, src Source, h head, o Options) <-chan *job {
	workers := min(runtime.GOMAXPROCS(0), maxWorkers)
	work := make(chan *job)
	order := make(chan *job, 2*workers)
	for range workers {
		go func() {
			w := newWorker(src, h.header.Version, o)
			defer w.close()
			for j := range work {
				if ctx.Err() == nil {
					w.do(j)
				}
				close(j.done)
			}
		}()
	}
	put := func(j *job) bool {
		j.done = make(chan struct{})
		select {
		case <-ctx.Done():
			return false
		case order <- j:
		}
		if j.err != nil {
			close(j.done)
			return false
		}
		select {
		case <-ctx.Done():
			close(j.done)
			return false
		case work <- j:
			return true
		}
	}
	go func() {
		defer close(order)
		defer close(work)
		produce(src, h, put)
	}()
	return order
}

// produce cuts the log into jobs until put refuses one.
func produce(src Source, h head, put func(*job) bool) {
	switch {
	case h.encoding == Zstd:
		produceZstd(src, put)
	case src.At != nil:
		produceFile(src, put)
	default:
		produceStream(src.Stream, put)
	}
}

func produceFile(src Source, put func(*job) bool) {
	for off := int64(0); off < src.Size; off += pieceSize {
		if !put(&job{off: off, size: min(pieceSize, src.Size-off)}) {
			return
		}
	}
}

func produceStream(r io.Reader, put func(*job) bool) {
	for {
		buf := make([]byte, pieceSize)
		n, err := io.ReadFull(r, buf)
		if n > 0 && !put(&job{size: int64(n), buf: buf[:n]}) {
			return
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return
		case err != nil:
			put(&job{err: err})
			return
		}
	}
}

// itemBytes are buffers for the bytes of small frames.
var itemBytes = sync.Pool{New: func() any { return new([]byte) }}

// maxItem is the largest buffer that is worth keeping.
const maxItem = 256 << 10

// release gives the bytes of an item back.
func release(it *zframe.Item) {
	if b := it.Data[:0]; cap(b) > 0 && cap(b) <= maxItem {
		itemBytes.Put(&b)
	}
}

func produceZstd(src Source, put func(*job) bool) {
	in := src.Stream
	if src.At != nil {
		in = io.NewSectionReader(src.At, 0, src.Size)
	}
	s := zframe.NewSplitter(in)
	s.KeepAll = src.At == nil
	for {
		it, err := s.Next(*itemBytes.Get().(*[]byte))
		switch {
		case errors.Is(err, io.EOF):
			if src.At != nil && s.Offset() < src.Size {
				put(&job{err: ErrShrunk})
			}
			return
		case err != nil:
			put(&job{err: err})
			return
		case !put(&job{size: it.Size, item: &it}):
			return
		}
	}
}
