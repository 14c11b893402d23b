package logwriter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/diskname"
)

// Mark is the name of the file that says that a root is the toolkit's own.
const Mark = ".dsh-toolkit"

// nameMax is the longest name of a directory, in bytes, that file systems take.
const nameMax = 255

const markText = "Session logs of the dsh toolkit. It writes to no root without this file.\n"

// Root is a directory of the toolkit's own logs.
type Root struct{ dir string }

// OpenRoot opens the root at dir and makes it if nothing is there. A directory
// that is there without the mark is a *fault.Error of kind Usage with the rule
// "foreign-root".
func OpenRoot(dir string) (*Root, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := makeRoot(dir); err != nil {
		return nil, err
	}
	mark, err := os.Lstat(filepath.Join(dir, Mark))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !mark.Mode().IsRegular() {
		return nil, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Rule: "foreign-root",
			Subject: fmt.Sprintf("%q", dir), Message: "not a root of the toolkit's own logs",
			Hint: "name a directory that does not exist yet; a store of dsh's is never written to",
		}
	}
	if err != nil {
		return nil, err
	}
	return &Root{dir}, nil
}

// Dir is the root's absolute path.
func (r *Root) Dir() string { return r.dir }

// makeRoot makes the root with its mark in one step, so that a crash can leave no
// root without one. That the root is there already, or comes to be meanwhile, is
// no error.
func makeRoot(dir string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := mkdirAll(parent); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, filepath.Base(dir)+".tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	f, err := create(filepath.Join(tmp, Mark))
	if err != nil {
		return err
	}
	if err := writeAndClose(f, []byte(markText)); err != nil {
		return err
	}
	if err := syncDir(tmp); err != nil {
		return err
	}
	// Renaming replaces no directory that holds something.
	if err := os.Rename(tmp, dir); err != nil {
		if _, statErr := os.Lstat(dir); statErr == nil {
			return nil
		}
		return err
	}
	return syncDir(parent)
}

// exclusively runs f while no other process runs one on this root, so that two
// cannot make the same session in two places.
func (r *Root) exclusively(f func() error) error {
	lock := newLock(filepath.Join(r.dir, Mark))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Close()
	return f()
}

// find returns the directory of a session: where its log is, or where it will be.
// The header's cwd decides where a new one goes; an existing log is found wherever
// it lies. Two logs of one id are an error that names both.
func (r *Root) find(id string, cwd *string) (dir string, exists bool, err error) {
	segment, err := diskname.EncodeID(id)
	if err != nil {
		return "", false, err
	}
	if len(segment) > nameMax {
		return "", false, &fault.Error{
			Kind: fault.Reference, Code: fault.InvalidReference, Rule: "id-too-long", Subject: subject(id),
			Message: fmt.Sprintf("its id makes a file name of %d bytes, and %d is the most", len(segment), nameMax),
		}
	}
	projects, err := os.ReadDir(r.dir)
	if err != nil {
		return "", false, err
	}
	var found []string
	for _, p := range projects {
		dir := filepath.Join(r.dir, p.Name(), segment)
		if _, err := os.Lstat(filepath.Join(dir, logName)); err == nil {
			found = append(found, dir)
		}
	}
	switch len(found) {
	case 0:
		return filepath.Join(r.dir, diskname.ProjectDir(cwd), segment), false, nil
	case 1:
		return found[0], true, nil
	}
	slices.Sort(found)
	return "", false, &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "ambiguous-id", Subject: subject(id),
		Message: fmt.Sprintf("two logs claim it: %q and %q", found[0], found[1]),
	}
}

func subject(id string) string { return "session " + fault.Quote(id) }
