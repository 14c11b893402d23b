// Package screen is a headless terminal: what a program writes to it can be read
// back as text, as a picture, and as the bytes that were written. Tests compare
// its frames, and the pictures in the documentation are made by it.
package screen

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// Screen is one terminal. Its methods may be called at the same time.
type Screen struct {
	mu            sync.Mutex
	emu           *vt.Emulator
	width, height int
	alternate     bool
	raw           bytes.Buffer
}

// New returns a terminal of the given size in cells. Somebody must Read what it
// answers to queries.
func New(width, height int) *Screen {
	s := &Screen{emu: vt.NewEmulator(width, height), width: width, height: height}
	s.emu.SetCallbacks(vt.Callbacks{
		AltScreen: func(on bool) { s.alternate = on },
	})
	return s
}

// Write is for the program's output.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(p)
	return s.emu.Write(p)
}

// Read gives the program's input: what the terminal answers.
func (s *Screen) Read(p []byte) (int, error) { return s.emu.Read(p) }

// Close ends Read.
func (s *Screen) Close() error {
	if c, ok := s.emu.InputPipe().(io.Closer); ok {
		return c.Close()
	}
	return s.emu.Close()
}

// Resize changes the size.
func (s *Screen) Resize(width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.width, s.height = width, height
	s.emu.Resize(width, height)
}

// Raw is everything that was written.
func (s *Screen) Raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// Alternate reports whether the alternate screen is shown.
func (s *Screen) Alternate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alternate
}

// Frame is what is on the screen, one line a row without spaces at their ends, and
// a last line that says where the cursor is.
func (s *Screen) Frame() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for y := range s.height {
		var row strings.Builder
		for x := 0; x < s.width; {
			content, width := " ", 1
			if c := s.emu.CellAt(x, y); c != nil && c.Content != "" {
				content, width = c.Content, max(c.Width, 1)
			}
			row.WriteString(content)
			x += width
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
		b.WriteByte('\n')
	}
	if s.emu.CursorHidden() {
		b.WriteString("(no cursor)\n")
	} else {
		p := s.emu.CursorPosition()
		fmt.Fprintf(&b, "(cursor %d,%d)\n", p.X, p.Y)
	}
	return b.String()
}

// cell is what stands at a place, with its style.
func (s *Screen) cell(x, y int) uv.Cell {
	if c := s.emu.CellAt(x, y); c != nil && c.Content != "" {
		return *c
	}
	return uv.Cell{Content: " ", Width: 1}
}
