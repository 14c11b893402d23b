package send

import (
	"context"
	"io"
	"strings"
	"sync/atomic"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// printer writes the answer out as it comes. A reader that has stopped reading
// holds the agent up, but not its cancellation: the writing is a goroutine's of
// its own, which a blocked pipe may keep for ever.
type printer struct {
	ctx    context.Context
	texts  chan string
	done   chan error
	failed atomic.Bool
	inLine bool // the last text did not end its line
}

func newPrinter(ctx context.Context, w io.Writer) *printer {
	p := &printer{ctx: ctx, texts: make(chan string), done: make(chan error, 1)}
	go p.write(w)
	return p
}

func (p *printer) write(w io.Writer) {
	var err error
	for text := range p.texts {
		if err != nil {
			continue
		}
		if _, err = io.WriteString(w, text); err != nil {
			p.failed.Store(true)
		}
	}
	p.done <- err
}

// print gives a text to the reader, who takes it before print returns or is not
// there any more.
func (p *printer) print(text string) {
	if text == "" {
		return
	}
	select {
	case p.texts <- jstext.ToUTF8(text):
		p.inLine = !strings.HasSuffix(text, "\n")
	case <-p.ctx.Done():
	}
}

// endLine ends the line that the last text left open.
func (p *printer) endLine() {
	if p.inLine {
		p.print("\n")
	}
}

// broken reports whether writing has failed.
func (p *printer) broken() bool { return p.failed.Load() }

// close waits until all is written, or the run is cancelled.
func (p *printer) close() error {
	close(p.texts)
	select {
	case err := <-p.done:
		return err
	case <-p.ctx.Done():
		return nil
	}
}
