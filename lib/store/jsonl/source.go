package jsonl

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"time"
)

// Source is one observation of one file: what it held when it was opened. Bytes
// appended later belong to the next observation. A Source is not safe for
// concurrent use.
type Source struct {
	Path    string
	Size    int64 // bytes on disk at open, the bound of this observation
	ModTime time.Time
	Packed  bool // zstd, by its first bytes

	// Hash, where set before Records, is fed the bytes on disk as they are read.
	Hash io.Writer

	// Form, where set before Records, is how records look; see there.
	Form *Form

	// What Records has met so far. Counts are of the last call.
	Count   int64 // records, damaged ones included
	Damaged int64 // records, and runs of NUL bytes outside of records, that were passed over
	Torn    int64 // bytes of an unfinished last record, as decoded
	NULs    int64 // NUL bytes, wherever they stand
	nulRuns int64 // the part of Damaged that is no record

	file *os.File
	temp bool // file is a private copy of a pipe
}

var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// Open observes the file at path. A pipe is copied to a private temporary file
// first, because readers go back; the wait for its writer ends with ctx. Other
// things that are no regular file are refused unopened. Errors are *fault.Error.
func Open(ctx context.Context, path string) (*Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	var file *os.File
	temp := info.Mode()&fs.ModeNamedPipe != 0
	switch {
	case temp:
		file, err = spool(ctx, path)
	case info.Mode().IsRegular():
		file, err = os.Open(path)
	default:
		err = errNotRegular
	}
	if err != nil {
		return nil, Unreadable(path, err)
	}
	s := &Source{Path: path, file: file, temp: temp}
	if err := s.observe(); err != nil {
		s.Close()
		return nil, Unreadable(path, err)
	}
	return s, nil
}

func (s *Source) observe() error {
	info, err := s.file.Stat() // of the open file: the path may lead elsewhere by now
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNotRegular
	}
	s.Size, s.ModTime = info.Size(), info.ModTime()
	head := make([]byte, len(zstdMagic))
	n, err := s.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	s.Packed = bytes.Equal(head[:n], zstdMagic)
	return nil
}

// Close ends the observation.
func (s *Source) Close() error {
	err := s.file.Close()
	if s.temp {
		os.Remove(s.file.Name())
	}
	return err
}

// stream is the decoded content from its start, up to the observed size. The
// close function must be called.
func (s *Source) stream(hash io.Writer) (io.Reader, func(), error) {
	var r io.Reader = io.NewSectionReader(s.file, 0, s.Size)
	if hash != nil {
		r = io.TeeReader(r, hash)
	}
	if !s.Packed {
		return r, func() {}, nil
	}
	return unpack(r, s.Size)
}

// spool copies a pipe to an unnamed corner of the temporary directory. The copy
// goes on in the background after ctx has ended, until the pipe's writer closes.
func spool(ctx context.Context, path string) (*os.File, error) {
	tmp, err := os.CreateTemp("", "dsh-pipe-*")
	if err != nil {
		return nil, err
	}
	_, err = Await(ctx, func() (int64, error) {
		src, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer src.Close()
		return io.Copy(tmp, src)
	})
	if err != nil {
		tmp.Close()
		os.Remove(tmp.Name())
		return nil, err
	}
	return tmp, nil
}

// Read observes the file at path and returns what f makes of it. It returns as soon
// as ctx ends, also where a read hangs; f's result is dropped then. Errors are
// *fault.Error.
func Read[T any](ctx context.Context, path string, f func(*Source) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, Unreadable(path, err)
	}
	src, err := Open(ctx, path)
	if err != nil {
		return none, err
	}
	v, err := Await(ctx, func() (T, error) {
		defer src.Close()
		return f(src)
	})
	if err != nil {
		return none, Unreadable(path, err)
	}
	return v, nil
}

// Await returns what f returns, or ctx's error as soon as ctx ends: a read that
// hangs in the kernel cannot be interrupted, but nobody has to wait for it. What
// a late f returns is dropped, so f must clean up after itself.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
