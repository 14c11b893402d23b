package inbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// create makes a target's directories, or completes what another process has
// begun. The file that makes the queue one comes last, when all above it is
// durable: whoever sees it need not wonder whether its maker got that far.
func (b *Inbox) create(to, dir string) error {
	if err := b.makeRoot(); err != nil {
		return err
	}
	box, err := b.openRoot()
	if err != nil {
		return ioError("open", b.dir, err)
	}
	defer box.Close()
	if err := b.mkdir(filepath.Join(b.dir, dir), func() error { return box.Mkdir(dir, 0o700) }); err != nil {
		return err
	}
	q, err := b.openTarget(box, to, dir)
	if err != nil {
		return err
	}
	defer q.close()
	for _, d := range [...]string{tmpDir, newDir, curDir, doneDir} {
		if err := b.mkdir(filepath.Join(q.path, d), func() error { return q.root.Mkdir(d, 0o700) }); err != nil {
			return err
		}
	}
	// All that a driver needs is there before the first record: to empty a queue
	// must be possible on a full disk.
	for _, file := range [...]string{lockFile, driverFile} {
		if err := q.touch(file); err != nil {
			return err
		}
	}
	if err := q.flush("."); err != nil {
		return err
	}
	if err := b.flushDir(b.dir); err != nil {
		return err
	}
	return q.writeFormat()
}

func (q *queue) writeFormat() error {
	if _, err := q.root.Lstat(formatFile); err == nil {
		return nil // somebody else was faster, or only a directory was missing
	}
	t, err := q.write(formatText(q.to))
	if err != nil {
		return err
	}
	defer t.discard()
	if err := t.place(formatFile); err != nil {
		return err
	}
	return q.flush(".")
}

// makeRoot makes the inbox and what is missing above it, and flushes every
// directory that has been given a name.
func (b *Inbox) makeRoot() error {
	var missing []string
	at := b.dir
	for {
		if _, err := os.Lstat(at); err == nil || !errors.Is(err, fs.ErrNotExist) {
			break // what is wrong with it, making the next one says
		}
		missing = append(missing, at)
		at = filepath.Dir(at)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		dir := missing[i]
		if err := b.mkdir(dir, func() error { return os.Mkdir(dir, 0o700) }); err != nil {
			return err
		}
		if err := b.flushDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return nil
	}
	return b.flushDir(filepath.Dir(b.dir)) // its maker may have died before this
}

// mkdir makes one directory; one that is there already will do.
func (b *Inbox) mkdir(path string, mkdir func() error) error {
	return b.do("create", path, func() error {
		if err := mkdir(); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

func (b *Inbox) flushDir(path string) error {
	return b.do("flush", path, func() error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	})
}
