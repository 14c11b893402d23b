package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// Set is several stores that are searched as one. The zero value is empty.
type Set struct{ Stores []Store }

// Found is a Ref together with the store it is in.
type Found struct {
	Store Store
	Ref   Ref
}

// Find returns the one place where id is to be found. An id may be given in full
// ("claude:<uuid>") or bare, where only one kind of store knows it. Of several
// copies of another agent's session it is the newest. The error is Unreadable: not
// found, or several places, each named.
func (s *Set) Find(ctx context.Context, id string) (Found, error) {
	var found []Found
	var failures []error
	for _, st := range s.Stores {
		refs, err := lookup(ctx, st, id)
		if err != nil {
			failures = append(failures, err)
		}
		for _, r := range refs {
			found = append(found, Found{st, r})
		}
	}
	if len(found) > 1 {
		found = newestCopies(found, func(f Found) (string, string, time.Time) {
			return f.Store.Kind(), f.Ref.ID, modified(f.Ref.Path)
		})
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case ctx.Err() != nil:
		return Found{}, ctx.Err()
	case len(found) == 0:
		return Found{}, s.notFound(id, failures)
	}
	places := make([]string, len(found))
	for i, f := range found {
		places[i] = fmt.Sprintf("%s in %q", f.Store.Kind(), f.Ref.Path)
	}
	return Found{}, &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "ambiguous", Subject: Subject(id),
		Message: "claimed by several places: " + strings.Join(places, ", "),
		Hint:    "name one store with --store, or give the id with its kind, as in claude:ID",
	}
}

// newestCopies leaves, of what has one id in several stores of another agent, the
// one whose file changed last: such stores are copies of each other, made when a
// configuration moved (formats/claude-code, Listing). dsh's ids are not resolved
// so; there two places are two sessions (FORMATS-dsh).
func newestCopies[T any](all []T, of func(T) (kind, id string, changed time.Time)) []T {
	type name struct{ kind, id string }
	type copied struct {
		at      int
		changed time.Time
	}
	newest := make(map[name]copied)
	out := all[:0]
	for _, x := range all {
		kind, id, changed := of(x)
		was, ok := newest[name{kind, id}]
		switch {
		case kind == DSH || !ok:
			newest[name{kind, id}] = copied{len(out), changed}
			out = append(out, x)
		case changed.After(was.changed):
			newest[name{kind, id}] = copied{was.at, changed}
			out[was.at] = x
		}
	}
	return out
}

func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// lookup asks one store for a full or a bare id.
func lookup(ctx context.Context, st Store, id string) ([]Ref, error) {
	if rest, ok := strings.CutPrefix(id, st.Kind()+":"); ok && st.Kind() != DSH {
		return st.Lookup(ctx, rest)
	}
	return st.Lookup(ctx, id)
}

// DSH is the kind of dsh's own stores, the one whose ids have no prefix.
const DSH = "dsh"

func (s *Set) notFound(id string, failures []error) error {
	f := &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "not-found",
		Subject: Subject(id), Message: "not found", Err: errors.Join(failures...),
		Hint: "dsh-surface --list shows what there is; --store names another place",
	}
	if len(s.Stores) == 0 {
		f.Message = "not found: no store on this machine"
		f.Hint = "name a place with --store PATH or --store KIND:PATH"
	}
	return f
}

// Subject names a session in an error.
func Subject(id string) string { return fmt.Sprintf("session %q", id) }

// Read finds a session and reads it exactly.
func (s *Set) Read(ctx context.Context, id string, opts ReadOptions) (*Reading, error) {
	f, err := s.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	return f.Store.Read(ctx, f.Ref, opts)
}

// ReadSurface reads a session to be referenced.
func (s *Set) ReadSurface(ctx context.Context, id string) (*session.Surface, error) {
	r, err := s.Read(ctx, id, ReadOptions{})
	if err != nil {
		return nil, err
	}
	return r.ForReference()
}

// List lists all stores at the same time, in no order, and of copies of one session
// of another agent's the newest. The errors name files or
// stores that cannot be listed; the entries are those that can.
func (s *Set) List(ctx context.Context) ([]Entry, []error) {
	type listing struct {
		entries []Entry
		errs    []error
	}
	parts := make([]listing, len(s.Stores))
	var wg sync.WaitGroup
	for i, st := range s.Stores {
		wg.Go(func() {
			for e, err := range st.List(ctx) {
				if err != nil {
					parts[i].errs = append(parts[i].errs, err)
					continue
				}
				parts[i].entries = append(parts[i].entries, e)
			}
		})
	}
	wg.Wait()
	var all listing
	for _, p := range parts {
		all.entries = append(all.entries, p.entries...)
		all.errs = append(all.errs, p.errs...)
	}
	for i, e := range all.entries {
		all.entries[i].Title = shown(e.Title)
	}
	return newestCopies(all.entries, func(e Entry) (string, string, time.Time) {
		return e.Kind, e.ID, time.UnixMilli(e.UpdatedAt)
	}), all.errs
}

// FillTitles completes entries with their titles, several at a time. An entry
// whose title cannot be found keeps none: a listing shows its id instead, and
// reading it says why.
func (s *Set) FillTitles(ctx context.Context, entries []Entry) {
	byRoot := make(map[string]Store, len(s.Stores))
	for _, st := range s.Stores {
		byRoot[st.Kind()+"\x00"+st.Root()] = st
	}
	work := make(chan *Entry)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(entries)) {
		wg.Go(func() {
			for e := range work {
				if st := byRoot[e.Kind+"\x00"+e.Root]; st != nil && ctx.Err() == nil {
					complete(ctx, st, e)
				}
			}
		})
	}
	for i := range entries {
		if entries[i].Title == nil {
			work <- &entries[i]
		}
	}
	close(work)
	wg.Wait()
	for _, st := range s.Stores {
		// What titles have taught a store's cache serves the next program.
		if f, ok := st.(interface{ Flush() }); ok {
			f.Flush()
		}
	}
}

// complete fills in the title of an entry and, where the store learns it on the way,
// the directory that the session has moved to.
func complete(ctx context.Context, st Store, e *Entry) {
	title, err := st.Title(ctx, *e)
	if err != nil {
		return
	}
	e.Title = shown(title)
	if m, ok := st.(interface{ Cwd(e Entry) *string }); ok {
		if now := m.Cwd(*e); now != nil && (e.Cwd == nil || *now != *e.Cwd) {
			if e.Cwd != nil {
				e.OtherCwds = append(e.OtherCwds, *e.Cwd)
			}
			e.Cwd = now
		}
	}
}

// shown is a title for people and for other programs: its mentions as @label, also in one
// that an agent made itself, and half a surrogate pair as U+FFFD, since there are readers
// of JSON that refuse it.
func shown(title *string) *string {
	if title == nil {
		return nil
	}
	t := jstext.ToUTF8(sessionuri.Labels(*title))
	return &t
}

// Label is what a listing calls the session: its title, else its id.
func (e Entry) Label() string {
	if e.Title != nil && *e.Title != "" {
		return *e.Title
	}
	return e.ID
}
