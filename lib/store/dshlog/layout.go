package dshlog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/store/dshlog/diskname"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

var errNotDir = errors.New("not a directory")

// place is where a session is: a log file of the early layout, or a directory of
// the late one. id is what the name says.
type place struct {
	path string
	dir  bool
	id   string
}

// places finds what looks like a session below the root. It opens the root and the
// directories in it, and no session's own. A directory or file that is linked to
// several times is found once, by its own name if that is below the root. fail gets
// what cannot be read.
func (s *Store) places(ctx context.Context, fail func(error)) []place {
	var found []place
	root := realPath(s.root)
	seen := map[string]bool{root: true}
	projects, err := entries(s.root, root, seen)
	if err != nil {
		fail(jsonl.Unreadable(s.root, err))
		return nil
	}
	for _, p := range projects {
		if ctx.Err() != nil {
			return nil
		}
		if p.err == nil && !p.dir {
			continue
		}
		children, err := p.children(seen)
		if err != nil {
			fail(jsonl.Unreadable(p.path, err))
			continue
		}
		for _, c := range children {
			if c.err != nil {
				fail(jsonl.Unreadable(c.path, c.err))
			} else if pl, ok := c.place(); ok {
				found = append(found, pl)
			}
		}
	}
	return found
}

// entry is one directory entry, links followed.
type entry struct {
	path string
	real string
	name string
	dir  bool
	err  error // of a link that leads nowhere
}

func (e entry) children(seen map[string]bool) ([]entry, error) {
	if e.err != nil {
		return nil, e.err
	}
	return entries(e.path, e.real, seen)
}

// entries reads a directory: directories and regular files, each real path once,
// those that are no links first.
func entries(dir, real string, seen map[string]bool) ([]entry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	out := make([]entry, 0, len(list))
	add := func(e entry) {
		if !seen[e.real] {
			seen[e.real] = true
			out = append(out, e)
		}
	}
	for _, d := range list {
		if d.IsDir() || d.Type().IsRegular() {
			add(entry{filepath.Join(dir, d.Name()), filepath.Join(real, d.Name()), d.Name(), d.IsDir(), nil})
		}
	}
	for _, d := range list {
		if d.Type()&fs.ModeSymlink == 0 {
			continue
		}
		path := filepath.Join(dir, d.Name())
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		add(entry{path, realPath(path), d.Name(), err == nil && info.IsDir(), err})
	}
	return out, nil
}

// place is what the entry of a project's directory looks like.
func (e entry) place() (place, bool) {
	stem := e.name
	if !e.dir {
		var ok bool
		if stem, ok = diskname.SplitExt(e.name); !ok {
			return place{}, false
		}
	}
	id, ok := diskname.DecodeID(stem)
	return place{e.path, e.dir, id}, ok
}

// logs returns the log of the place: a file's own path, or of a directory the
// newest generation. There are several if that is stored in several encodings, and
// none if the directory holds no log.
func (p place) logs() ([]string, error) {
	if !p.dir {
		return []string{p.path}, nil
	}
	f, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	newest := -1
	var paths []string
	for _, name := range names {
		n, ok := diskname.Generation(name)
		if !ok || n < newest {
			continue
		}
		if n > newest {
			newest, paths = n, paths[:0]
		}
		paths = append(paths, filepath.Join(p.path, name))
	}
	return paths, nil
}

// candidates returns the places where a session of this id would be, one for each
// directory below the root.
func (s *Store) candidates(ctx context.Context, id string) ([]place, error) {
	segment, err := diskname.EncodeID(id)
	if err != nil {
		return nil, nil // no file can hold it
	}
	root := realPath(s.root)
	seen := map[string]bool{root: true}
	projects, err := entries(s.root, root, seen)
	if err != nil {
		return nil, jsonl.Unreadable(s.root, err)
	}
	var found []place
	for _, p := range projects {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !p.dir {
			continue
		}
		for _, c := range [...]place{
			{filepath.Join(p.path, segment), true, id},
			{filepath.Join(p.path, segment+diskname.RawExt), false, id},
			{filepath.Join(p.path, segment+diskname.ZstdExt), false, id},
		} {
			info, err := os.Stat(c.path)
			real := filepath.Join(p.real, filepath.Base(c.path))
			switch {
			case errors.Is(err, fs.ErrNotExist), err != nil && tooLong(c.path), err == nil && info.IsDir() != c.dir,
				err == nil && !c.dir && !info.Mode().IsRegular():
				continue
			case err != nil:
				return nil, jsonl.Unreadable(c.path, err)
			case seen[realPath(real)]:
				continue
			}
			seen[realPath(real)] = true
			found = append(found, c)
		}
	}
	return found, nil
}

// tooLong reports whether no file system will have the path's last name, so that
// asking for it fails in a way of its own.
func tooLong(path string) bool {
	return len(filepath.Base(path)) > 255 || strings.Contains(path, "\x00")
}
