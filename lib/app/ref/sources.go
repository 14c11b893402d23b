package ref

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
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

	mu       sync.Mutex
	receipts []store.Receipt
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
		f := &lazyFile{name: name}
		defer f.Close()
		r, subject = f, fmt.Sprintf("%q", name)
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

// lazyFile is a file that is opened by its first Read: to open a FIFO waits for a
// writer, and a read is what cli.Interruptible can leave behind.
type lazyFile struct {
	name string
	mu   sync.Mutex
	f    *os.File
}

func (l *lazyFile) Read(p []byte) (int, error) {
	f, err := l.open()
	if err != nil {
		return 0, err
	}
	return f.Read(p)
}

func (l *lazyFile) open() (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.f == nil {
		if l.f, err = os.Open(l.name); err != nil {
			return nil, &fault.Error{
				Kind: fault.Unreadable, Code: fault.ReadFailed, Subject: fmt.Sprintf("%q", l.name),
				Message: "cannot be read", Err: errors.Unwrap(err),
			}
		}
	}
	return l.f, err
}

// Close closes the file if it could be opened; one that is still being opened is
// left to the end of the process.
func (l *lazyFile) Close() {
	if l.mu.TryLock() {
		defer l.mu.Unlock()
		if l.f != nil {
			l.f.Close()
		}
	}
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
	surface, err := reading.ForReference()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.receipts = append(s.receipts, reading.Receipt)
	return surface, nil
}

// printNotes says what is to be said of the sources, and of two that began as one:
// their common part is in the message twice.
func (s *sources) printNotes(c *cli.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.receipts, func(a, b store.Receipt) int { return strings.Compare(a.SessionID, b.SessionID) })
	first := make(map[string]string)
	for _, r := range s.receipts {
		for _, note := range r.Notes {
			c.Note("%s: %s", store.Subject(r.SessionID), note)
		}
		if other, ok := first[r.Lineage]; ok && r.Lineage != "" {
			c.Note("%s and %s began as one: the message holds their common part twice", store.Subject(other), store.Subject(r.SessionID))
		}
		first[r.Lineage] = r.SessionID
	}
}
