package early

import (
	"io"
	"time"
)

// stream reads ahead of its reader, so that a read that waits can be left to wait.
// It is not safe for concurrent use.
type stream struct {
	pieces chan piece
	read   []byte // what came and was not taken yet
	err    error  // the end of the input
}

type piece struct {
	data []byte
	err  error
}

func newStream(r io.Reader) *stream {
	s := &stream{pieces: make(chan piece)}
	go func() {
		for {
			buf := make([]byte, 32<<10)
			n, err := r.Read(buf)
			s.pieces <- piece{buf[:n], err}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// whole waits for the end of the input and returns all of it; nothing is taken. ok
// is false where the end does not come in time, is an error, or lies behind most
// bytes.
func (s *stream) whole(patience time.Duration, most int) (text []byte, ok bool) {
	late := time.After(patience)
	for s.err == nil && len(s.read) <= most {
		select {
		case p := <-s.pieces:
			s.read, s.err = append(s.read, p.data...), p.err
		case <-late:
			return nil, false
		}
	}
	return s.read, s.err == io.EOF && len(s.read) <= most
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.read) == 0 && s.err == nil {
		next := <-s.pieces
		s.read, s.err = next.data, next.err
	}
	if len(s.read) == 0 {
		return 0, s.err
	}
	n := copy(p, s.read)
	s.read = s.read[n:]
	return n, nil
}
