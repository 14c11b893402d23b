package dshlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/diskname"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// List yields every session, by its header: of each log one small read, and none
// where the cache knows the file. An error names one file or directory. A session
// whose log is damaged behind the header, or torn, is listed all the same; reading
// it says so.
func (s *Store) List(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var failures []error
		places := s.places(ctx, func(err error) { failures = append(failures, err) })
		for _, err := range failures {
			if !yield(store.Entry{}, err) {
				return
			}
		}
		for _, l := range jsonl.Each(ctx, places, s.listed) {
			for _, e := range l.entries {
				if !yield(e, nil) {
					return
				}
			}
			if l.err != nil && !yield(store.Entry{}, l.err) {
				return
			}
		}
		if ctx.Err() == nil && len(failures) == 0 {
			s.cache.Prune()
		}
		s.Flush()
	}
}

type listing struct {
	entries []store.Entry
	err     error
}

// listed lists one place. A place without a log is nothing of ours.
func (s *Store) listed(p place) listing {
	paths, err := p.logs()
	if err != nil {
		return listing{err: jsonl.Unreadable(p.path, err)}
	}
	var l listing
	if len(paths) > 1 {
		l.err = ambiguous(p, paths)
		paths = paths[:1]
	}
	for _, path := range paths {
		e, err := s.entry(path, p.id)
		if err != nil {
			return listing{err: err}
		}
		l.entries = append(l.entries, e)
	}
	return l
}

func ambiguous(p place, paths []string) error {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = fmt.Sprintf("%q", filepath.Base(path))
	}
	return &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "ambiguous", Subject: fmt.Sprintf("%q", p.path),
		Message: "several logs of one generation: " + strings.Join(names, ", "),
	}
}

// entry lists one log, which its name says is the session id's.
func (s *Store) entry(path, id string) (store.Entry, error) {
	info, err := statLog(path)
	if err != nil {
		return store.Entry{}, err
	}
	f, err := s.facts(path, info)
	if err == nil {
		err = checkID(path, f.id, id)
	}
	if err != nil {
		return store.Entry{}, err
	}
	e := store.Entry{
		ID: f.id, Cwd: f.cwd, CreatedAt: f.createdAt, UpdatedAt: info.ModTime().UnixMilli(),
		Kind: store.DSH, Path: path, Root: s.root, CopiedFrom: f.parent,
	}
	if f.titled {
		e.Title = f.title
	}
	if f.moved != nil {
		e.Cwd, e.OtherCwds = f.moved, started(f)
	}
	return e, nil
}

// started is the directory that a session has left.
func started(f facts) []string {
	if f.cwd == nil || *f.cwd == *f.moved {
		return nil
	}
	return []string{*f.cwd}
}

var errNotRegular = errors.New("not a regular file")

func statLog(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, jsonl.Unreadable(path, err)
	}
	return info, nil
}

// checkID holds the id in a header against the one that the file's name, or the
// question, says.
func checkID(path, has, want string) error {
	if has == want {
		return nil
	}
	return &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "id-mismatch", Subject: fmt.Sprintf("%q", path),
		Message: fmt.Sprintf("the header names session %q, the file's name session %q", has, want),
	}
}

// header reads the header of the log at path and checks that a log can have it.
// It does not follow where a name leads to anything but a regular file.
func header(path string) (session.Header, error) {
	if err := checkGeneration(path); err != nil {
		return session.Header{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return session.Header{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return session.Header{}, err
	}
	h, _, err := scan.Header(scan.Source{At: f, Size: info.Size()})
	if err == nil {
		err = record.CheckHeader(h)
	}
	return h, err
}

// checkGeneration refuses a generation that is newer than can be read by its name:
// nothing is known of what is in it.
func checkGeneration(path string) error {
	if n, ok := diskname.Generation(filepath.Base(path)); ok && n > record.MaxVersion {
		return record.Newer(fmt.Sprint(n))
	}
	return nil
}

// parent is the session that a fork began as; empty if the header says of none.
func parent(h session.Header) string {
	seeded := h.JSON.Get("isSeeded").True()
	if n, ok := h.JSON.Get("seedLength").Int(); ok && n > 0 {
		seeded = true
	}
	if p, ok := h.JSON.Get("parentSession").Text(); ok && seeded {
		return p
	}
	return ""
}

// Lookup returns where the session id is to be found: none, one, or several places
// that claim it. It looks below every directory of the root for the names that the
// id has, and walks through none. A log whose header names another session, or
// cannot be read, is still a place: reading it says what is wrong.
func (s *Store) Lookup(ctx context.Context, id string) ([]store.Ref, error) {
	if !jstext.Valid(id) {
		return nil, nil
	}
	places, err := s.candidates(ctx, id)
	if err != nil {
		return nil, err
	}
	var refs []store.Ref
	for _, p := range places {
		paths, err := p.logs()
		if err != nil {
			return nil, jsonl.Unreadable(p.path, err)
		}
		for _, path := range paths {
			refs = append(refs, store.Ref{ID: id, Path: path})
		}
	}
	return refs, nil
}
