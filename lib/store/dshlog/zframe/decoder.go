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

// The errors of decoding. Everything else that a Reader says means that the frame is
// not what its writer wrote: a wrong checksum, a broken block.
var (
	// ErrNoRoom says that the frame does not decode into the room it was given. It
	// may be too large, or damaged: a Reader tells which.
	ErrNoRoom = errors.New("the frame does not decode into the room there is")
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

// Append decodes one frame behind dst, within its capacity. Without an error the
// frame is whole, and its checksum right. The error is ErrTorn, and what the blocks
// before the cut gave is there; or ErrNoRoom or ErrWindow, and nothing is.
func (d *Decoder) Append(dst, frame []byte) ([]byte, error) {
	if d.whole == nil {
		var err error
		if d.whole, err = newDecoder(zstd.WithDecodeAllCapLimit(true)); err != nil {
			return dst, err
		}
	}
	out, err := d.whole.DecodeAll(frame, dst)
	switch err = kind(err); {
	case err == nil, errors.Is(err, ErrTorn):
		return out, err
	case errors.Is(err, ErrWindow):
		return dst, err
	}
	// The library has several ways to say that the room is too small, and some of
	// them it also says of damage.
	return dst, ErrNoRoom
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

// Rest lets go of what the decoder was given, so that it can be kept for another
// file.
func (d *Decoder) Rest() {
	if d.stream != nil {
		_ = d.stream.Reset(nil) // with nil there is nothing to fail
	}
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
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return ErrWindow
	}
	return err
}
