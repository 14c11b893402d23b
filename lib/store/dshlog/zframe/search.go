package zframe

import (
	"bytes"
	"errors"
	"io"
)

// maxTries bounds how often a frame is looked for behind bad bytes: each false
// start may cost a walk through much of what is left.
const maxTries = 64

// frameFollows reports whether a whole frame begins inside the rest of the file,
// which is in the window. Then the frame before it is not torn: only what is at
// the end can be, and a length in it is wrong.
func (s *Splitter) frameFollows() bool {
	b := s.in.bytes()
	for s.tries < maxTries && len(b) > 0 {
		i := bytes.Index(b[1:], []byte(magicBytes))
		if i < 0 {
			return false
		}
		b = b[1+i:]
		var w walker
		if w.run(b) == nil {
			return true
		}
		s.tries++
	}
	return false
}

// toNextMagic drops bytes up to the next that could begin a frame, at least one;
// after too many tries, all.
func (s *Splitter) toNextMagic() error {
	s.tries++
	s.in.drop(1)
	for {
		if s.tries <= maxTries {
			if i := bytes.Index(s.in.bytes(), []byte(magicBytes)); i >= 0 {
				s.in.drop(i)
				return nil
			}
		}
		// A magic number may lie across the end of the window.
		s.in.drop(max(0, len(s.in.bytes())-len(magicBytes)+1))
		if !s.in.more() {
			s.in.drop(len(s.in.bytes()))
			if errors.Is(s.in.err, io.EOF) {
				return nil
			}
			return s.in.err
		}
	}
}
