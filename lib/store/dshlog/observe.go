package dshlog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
)

const (
	// sampleSize is how many bytes at the end of an observation are looked at again
	// after it.
	sampleSize = 4 << 10
	// attempts is how often a file is read that does not hold still.
	attempts = 4
)

// observation is one look at a log: what there is up to a size that is taken once.
type observation struct {
	file   *os.File
	stream bool // a pipe: it is read once, to its end
	size   int64
	mtime  time.Time
	sample []byte // the last bytes
	sum    hash.Hash
	damage string // what is wrong with the log, as far as that is no error
}

// observe opens the file at path and calls use with an observation of it. If the
// file turns out to have been cut or rewritten meanwhile, what use made of it is
// worth nothing, and it is called again.
//
// dsh appends, and that is no change: what is behind an observation does not
// concern it. But when it takes a session up again it first cuts off a torn tail,
// and what was read of that tail is then no part of the log. Damage in a file that
// changed while it was read may be nothing but that, so it has to be met twice.
func observe(ctx context.Context, path string, use func(*observation) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	doubt := ""
	for range attempts {
		o, err := newObservation(file)
		if err != nil {
			return err
		}
		err = use(o)
		if err != nil && fault.KindOf(err) == fault.Damaged {
			o.damage = err.Error()
		}
		switch state := o.now(); {
		case ctx.Err() != nil:
			return err
		case errors.Is(err, scan.ErrShrunk), state == cut:
		case state == grown && o.damage != "" && o.damage != doubt:
			doubt = o.damage
		default:
			return err
		}
	}
	return &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "unstable",
		Message: "the file is being cut or rewritten while it is read",
		Hint:    "a log that only grows can be read at any time: is another program at work on it?",
	}
}

func newObservation(file *os.File) (*observation, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	o := &observation{file: file, size: info.Size(), mtime: info.ModTime(), stream: !info.Mode().IsRegular()}
	if !o.stream {
		o.sample, err = o.tail()
	}
	return o, err
}

// tail reads the last bytes of the observation.
func (o *observation) tail() ([]byte, error) {
	b := make([]byte, min(o.size, sampleSize))
	n, err := o.file.ReadAt(b, o.size-int64(len(b)))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:n], nil
}

// state is what has become of a file since it was observed.
type state int

const (
	still state = iota
	grown       // there may be more behind what was observed
	cut         // what was observed is not there any more
)

// now tells what has become of the file, as far as can be told without reading it
// all again. Whoever cut it below its size has removed its last bytes.
func (o *observation) now() state {
	if o.stream {
		return still
	}
	info, err := o.file.Stat()
	if err != nil || info.Size() < o.size {
		return cut
	}
	if info.Size() == o.size && info.ModTime().Equal(o.mtime) {
		return still
	}
	if now, err := o.tail(); err != nil || !bytes.Equal(now, o.sample) {
		return cut
	}
	return grown
}

// doubt takes note of damage that a scan found.
func (o *observation) doubt(res *scan.Result) {
	if len(res.Damage) > 0 {
		o.damage = res.Damage[0].String()
	}
}

func (o *observation) source() scan.Source {
	switch {
	case !o.stream:
		return scan.Source{At: o.file, Size: o.size}
	case o.sum != nil:
		return scan.Source{Stream: io.TeeReader(o.file, o.sum)}
	}
	return scan.Source{Stream: o.file}
}

// hash begins to compute the SHA-256 of the observed bytes, beside the scan where
// they can be read twice. It is called before source; the result, in hex, is empty
// if it is not wanted.
func (o *observation) hash(want bool) func() (string, error) {
	if !want {
		return func() (string, error) { return "", nil }
	}
	sum := sha256.New()
	if o.stream {
		o.sum = sum
		return func() (string, error) { return hex.EncodeToString(sum.Sum(nil)), nil }
	}
	done := make(chan error, 1)
	go func() {
		n, err := io.Copy(sum, io.NewSectionReader(o.file, 0, o.size))
		if err == nil && n < o.size {
			err = scan.ErrShrunk
		}
		done <- err
	}()
	return func() (string, error) {
		if err := <-done; err != nil {
			return "", err
		}
		return hex.EncodeToString(sum.Sum(nil)), nil
	}
}
