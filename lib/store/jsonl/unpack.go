package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

const (
	// maxWindow is the largest window a frame may ask for. The decoder allocates what
	// a frame's header asks for, so this bounds its memory. RFC 8878 asks decoders for
	// 8 MiB; zstd's levels up to 19 stay within it, and agents pack at level 3.
	maxWindow = 8 << 20
	// A packed log may grow by maxGrowth, and by freeGrowth whatever its size. JSON
	// lines pack up to about a hundredfold; zstd itself can reach thirty thousand,
	// which only a bomb does.
	maxGrowth  = 2048
	freeGrowth = 64 << 20
)

// unpack decodes a zstd stream of size bytes. A stream that is cut is a file that
// is still being written: it ends early with io.ErrUnexpectedEOF after all that
// could be decoded. One that grows like a bomb, asks for too large a window or has
// a wrong checksum is a *fault.Error.
func unpack(r io.Reader, size int64) (io.Reader, func(), error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	return &unpacked{d, freeGrowth + maxGrowth*size}, d.Close, nil
}

type unpacked struct {
	d    *zstd.Decoder
	left int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.d.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, damaged("zstd-growth", "unpacks to more than %d times its size", maxGrowth)
	}
	switch {
	case err == nil || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = &fault.Error{
			Kind: fault.Unsupported, Code: fault.ReadFailed, Rule: "zstd-window",
			Message: fmt.Sprintf("packed with a zstd window of over %d MiB", maxWindow>>20),
			Hint:    "unpack it with zstd -d --long=31 and name the plain file",
		}
	default:
		err = damaged("zstd", "zstd data is damaged: %v", err)
	}
	return n, err
}

// UnpackHead is the start of a file's content by its first bytes: of a packed one
// what can be decoded of them, at most PeekSize, of another the bytes themselves.
func UnpackHead(head []byte) []byte {
	if !bytes.HasPrefix(head, zstdMagic) {
		return head
	}
	r, done, err := unpack(bytes.NewReader(head), int64(len(head)))
	if err != nil {
		return nil
	}
	defer done()
	out := make([]byte, PeekSize)
	n, _ := io.ReadFull(r, out) // cut, as a head is
	return out[:n]
}
