package inbox

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// queue is the directory of one target, open.
type queue struct {
	box  *Inbox
	to   string
	path string // for errors
	root *os.Root
}

func (q *queue) close() { q.root.Close() }

// do performs one operation on file; op is the verb of the error. Every change of
// the disk goes through here, so that a test can stop it or fail it at any step.
func (b *Inbox) do(op, path string, f func() error) error {
	var err error
	if b.probe != nil {
		err = b.probe(op)
	}
	if err == nil {
		err = f()
	}
	return ioError(op, path, err)
}

func (q *queue) do(op, file string, f func() error) error {
	return q.box.do(op, filepath.Join(q.path, file), f)
}

func ioError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	var le *os.LinkError
	switch { // their paths are below ours
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	f := &fault.Error{
		Kind: fault.Unexpected, Code: fault.Failed,
		Subject: strconv.Quote(path), Message: "cannot " + op + " it", Err: err,
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		f.Hint = "make room on that file system; nothing has been queued or lost"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		f.Hint = "the inbox must be in a directory that you can write"
	case errors.Is(err, errLink):
		f.Hint = "nothing is written through a link: put a real file or directory in its place"
	}
	return f
}

var errLink = errors.New("something else is in its place, perhaps a symbolic link")

// openDir opens a directory and follows no link in its last element. stat and
// open look it up.
func openDir(stat func() (fs.FileInfo, error), open func() (*os.Root, error)) (*os.Root, error) {
	before, err := stat()
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, errLink
	}
	root, err := open()
	if err != nil {
		return nil, err
	}
	if after, err := root.Stat("."); err != nil || !os.SameFile(before, after) {
		root.Close()
		return nil, errLink
	}
	return root, nil
}

// openFile opens a regular file of the queue, whatever flag asks for, and follows
// no link. It does not wait where a FIFO has been put.
func (q *queue) openFile(file string, flag int) (*os.File, error) {
	for {
		before, err := q.root.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0 {
			f, err := q.root.OpenFile(file, flag|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				continue // somebody else has just made it
			}
			return f, err
		}
		if err != nil {
			return nil, err
		}
		if !before.Mode().IsRegular() {
			return nil, errLink
		}
		f, err := q.root.OpenFile(file, flag&^os.O_CREATE, 0)
		if err != nil {
			return nil, err
		}
		if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
			f.Close()
			return nil, errLink
		}
		return f, nil
	}
}

// touch makes an empty file where there is none.
func (q *queue) touch(file string) error {
	return q.do("create", file, func() error {
		f, err := q.openFile(file, os.O_WRONLY|os.O_CREATE)
		if err != nil {
			return err
		}
		return f.Close()
	})
}

// temporary is a file in tmp that its writer holds the flock of.
type temporary struct {
	q     *queue
	f     *os.File
	file  string
	moved bool // it has its place
}

// write makes a file of the text in tmp and flushes it.
func (q *queue) write(text string) (*temporary, error) {
	t, err := q.createTemporary()
	if err != nil {
		return nil, err
	}
	err = q.do("write", t.file, func() error {
		_, err := io.WriteString(t.f, text)
		return err
	})
	if err == nil {
		// Before the rename, so that no name ever stands for bytes that a crash of
		// the machine can take away.
		err = q.do("flush", t.file, t.f.Sync)
	}
	if err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

// createTemporary makes a file that no sweep takes for a dead writer's. Between
// making and locking it one can; then there is another.
func (q *queue) createTemporary() (*temporary, error) {
	for {
		t := &temporary{q: q, file: tmpDir + "/" + rand.Text()}
		swept := false
		err := q.do("create", t.file, func() (err error) {
			t.f, err = q.root.OpenFile(t.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err == nil {
				swept, err = tryFlock(t.f, false)
			}
			return err
		})
		if err == nil && !swept {
			_, err = q.root.Lstat(t.file)
			swept = errors.Is(err, fs.ErrNotExist)
		}
		if err == nil && !swept {
			return t, nil
		}
		if t.f != nil {
			t.discard()
		}
		if !swept {
			return nil, err
		}
	}
}

// place renames the file to where it belongs.
func (t *temporary) place(file string) error {
	err := t.q.move(t.file, file)
	t.moved = err == nil
	return err
}

// discard gives the file up, and removes it unless it has its place.
func (t *temporary) discard() {
	if !t.moved {
		_ = t.q.root.Remove(t.file)
	}
	t.f.Close()
}

func (q *queue) move(from, to string) error {
	return q.do("rename", from, func() error { return q.root.Rename(from, to) })
}

func (q *queue) remove(file string) error {
	return q.do("remove", file, func() error { return q.root.Remove(file) })
}

// flush makes the names in directories durable, one after the other. A record
// that moves from one to another must reach the new place first.
func (q *queue) flush(dirs ...string) error {
	for _, dir := range dirs {
		err := q.do("flush", dir, func() error {
			f, err := q.root.Open(dir)
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Sync()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// names lists the records in directories by their number.
func (q *queue) names(dirs ...string) ([]name, error) {
	var out []name
	for _, dir := range dirs {
		files, err := q.list(dir)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if n, ok := parseName(dir, file); ok {
				out = append(out, n)
			}
		}
	}
	slices.SortFunc(out, inOrder)
	return out, nil
}

// list returns the names in a directory, of whatever they are: ReadDir would look
// at every single one.
func (q *queue) list(dir string) (files []string, err error) {
	err = q.do("list", dir, func() error {
		f, err := q.root.Open(dir)
		if err != nil {
			return err
		}
		defer f.Close()
		files, err = f.Readdirnames(-1)
		return err
	})
	return files, err
}

// read returns a record. One that nobody here can have written is a *fault.Error
// of kind Damaged.
func (q *queue) read(n name) (Record, error) {
	text, err := q.readText(n.path())
	if err != nil && !errors.Is(err, errLink) {
		return Record{}, err
	}
	r, ok := parseRecord(strings.TrimSuffix(text, "\n"), q.to, n)
	if !ok {
		return Record{}, &fault.Error{
			Kind: fault.Damaged, Code: fault.Failed, Rule: RuleDamaged,
			Subject: strconv.Quote(filepath.Join(q.path, n.path())), Message: "not a record of this queue",
			Hint: "look at the file and move it away; the queue stands still until then",
		}
	}
	r.State = n.state()
	return r, nil
}

func (q *queue) readText(file string) (text string, err error) {
	err = q.do("read", file, func() error {
		f, err := q.openFile(file, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		text = string(b)
		return err
	})
	return text, err
}
