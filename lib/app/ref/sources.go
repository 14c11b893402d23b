package ref

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// sources is where referenced sessions are read: the snapshots that --surface
// names, then the stores. It remembers what a person should be told of them.
type sources struct {
	snapshots map[string]*session.Surface
	stores    func() (*store.Set, error)

	mu    sync.Mutex
	notes []string
}

func openSources(ctx context.Context, c *cli.Call) (*sources, error) {
	s := &sources{
		snapshots: make(map[string]*session.Surface),
		stores:    sync.OnceValues(func() (*store.Set, error) { return stores.Open(c) }), // opened only if a reference needs one
	}
	for _, name := range c.StringSlice("surface") {
		surface, err := readSnapshot(ctx, c, name)
		if err != nil {
			return nil, err
		}
		s.snapshots[surface.Header.ID] = surface
	}
	return s, nil
}

func readSnapshot(ctx context.Context, c *cli.Call, name string) (*session.Surface, error) {
	r, subject := c.Sys.Stdin, "<stdin>"
	if name != "-" {
		subject = fmt.Sprintf("%q", name)
		f, err := os.Open(name)
		if err != nil {
			return nil, &fault.Error{Kind: fault.Unreadable, Code: fault.ReadFailed, Subject: subject, Message: "cannot be read", Err: err}
		}
		defer f.Close()
		r = f
	}
	text, err := cli.ReadAll(ctx, r, subject)
	if err != nil {
		return nil, err
	}
	surface, err := session.ParseSurface(jstext.Decode(text))
	if f := fault.Of(err); f != nil {
		named := *f
		named.Subject = subject
		named.Hint = "give what dsh-surface printed: dsh-surface ID | dsh-ref --surface - MESSAGE"
		return nil, &named
	}
	return surface, nil
}

// ReadSurface implements reference.Reader.
func (s *sources) ReadSurface(ctx context.Context, id string) (*session.Surface, error) {
	if surface, ok := s.snapshots[id]; ok {
		return surface, nil
	}
	set, err := s.stores()
	if err != nil {
		return nil, err
	}
	reading, err := set.Read(ctx, id, store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, note := range reading.Receipt.Notes {
		s.notes = append(s.notes, store.Subject(id)+": "+note)
	}
	return reading.Surface, nil
}

func (s *sources) printNotes(c *cli.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.notes {
		c.Note("%s", n)
	}
}
