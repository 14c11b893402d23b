package zframe

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// MaxWindow is the largest window that a frame may ask for. RFC 8878 recommends
// 8 MiB for interchange; what dsh writes asks for less.
const MaxWindow = 32 << 20

// The errors of decoding. Everything else that a decoder can say means that the
// frame is not what its writer wrote: a wrong checksum, a broken block.
var (
	// ErrNoRoom says that the frame is larger than the room it was given.
	ErrNoRoom = errors.New("the frame decodes to more than there is room for")
	// ErrTorn says that the input ended inside the frame.
	ErrTorn = errors.New("the frame is cut")
	// ErrWindow says that the frame asks for more memory than MaxWindow.
	ErrWindow = fmt.Errorf("the frame asks for a window of more than %d MiB", MaxWindow>>20)
)

// Decoder decodes frames. It is not safe for concurrent use.
type Decoder struct {
	whole  *zstd.Decoder
	stream *zstd.Decoder
}

func newDecoder(opts ...zstd.DOption) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, append(opts,
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(MaxWindow))...)
}

// Append decodes one frame behind dst, within its capacity. With an error, the
// bytes that were decoded before it are there, for ErrTorn each of them right; the
// checksum of a whole frame has been checked when there is none.
func (d *Decoder) Append(dst, frame []byte) ([]byte, error) {
	if d.whole == nil {
		var err error
		if d.whole, err = newDecoder(zstd.WithDecodeAllCapLimit(true)); err != nil {
			return dst, err
		}
	}
	out, err := d.whole.DecodeAll(frame, dst)
	if cap(out) > cap(dst) || len(out) < len(dst) {
		return dst, ErrNoRoom // never: the option above forbids it
	}
	return out, kind(err)
}

// Reader decodes the frame that r delivers piece by piece, for a frame of unknown
// size. Its error is io.EOF at the end, when the checksum has been checked, or one
// of this package's. A call of Reader ends what an earlier one returned.
func (d *Decoder) Reader(r io.Reader) (io.Reader, error) {
	if d.stream == nil {
		var err error
		if d.stream, err = newDecoder(); err != nil {
			return nil, err
		}
	}
	if err := d.stream.Reset(r); err != nil {
		return nil, kind(err)
	}
	return streamReader{d.stream}, nil
}

// Close lets go of the decoder's memory.
func (d *Decoder) Close() {
	for _, z := range []*zstd.Decoder{d.whole, d.stream} {
		if z != nil {
			z.Close()
		}
	}
	*d = Decoder{}
}

type streamReader struct{ d *zstd.Decoder }

func (s streamReader) Read(p []byte) (int, error) {
	n, err := s.d.Read(p)
	if errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	return n, kind(err)
}

func kind(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return ErrTorn
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return ErrNoRoom
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return ErrWindow
	}
	return err
}
