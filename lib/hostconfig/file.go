package hostconfig

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

const (
	// backupSuffix ends the name of a backup, which stands beside its file.
	backupSuffix = ".before-dsh-ref"
	// madeName is a file in each folder that Replace had to make, so that Delete takes
	// away those folders and no other.
	madeName = ".made-by-dsh-ref"
	// maxLinks is how many links in a row are followed, as many as Linux does.
	maxLinks = 40
)

// File is a file as it was when it was read. Where a path is a link, the file is the
// link's target: the link stays what it is.
type File struct {
	Path   string // as it was asked for
	Data   []byte
	Exists bool
	target string // Path, behind its links
	info   fs.FileInfo
}

// Open reads a file. One that does not exist is no error. What is no regular file,
// or larger than MaxSize, is.
func Open(path string) (*File, error) {
	f := &File{Path: path, target: path}
	for n := 0; ; n++ {
		info, err := os.Lstat(f.target)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			break // a failure shows below
		}
		to, err := os.Readlink(f.target)
		if err != nil {
			return nil, f.failed("cannot read", err)
		}
		if n == maxLinks {
			return nil, f.usage("links lead in a circle")
		}
		if !filepath.IsAbs(to) {
			// The link's folder may be reached by a link too: .. leads up from where it is.
			dir, err := filepath.EvalSymlinks(filepath.Dir(f.target))
			if err != nil {
				return nil, f.failed("cannot read", err)
			}
			to = filepath.Join(dir, to)
		}
		f.target = to
	}
	info, err := os.Stat(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, f.failed("cannot read", err)
	}
	if !info.Mode().IsRegular() {
		return nil, f.usage("is not a regular file")
	}
	if info.Size() > MaxSize {
		return nil, f.usage(fmt.Sprintf("is larger than %d bytes", MaxSize))
	}
	f.info, f.Exists = info, true
	f.Data, err = os.ReadFile(f.target)
	if err != nil {
		return nil, f.failed("cannot read", err)
	}
	return f, nil
}

// Replace gives the file new content, in one step: whoever reads it has the old or
// the new. Mode and, where that is allowed, owner stay. Where somebody else wrote
// the file since Open, it is an error and the file is left alone. Folders that are
// missing are made.
func (f *File) Replace(data []byte) error {
	if err := f.mkdir(); err != nil {
		return err
	}
	return f.write(f.target, data, f.unchanged)
}

// write puts data into path by a new file of the same folder. check is asked just
// before the new file takes its name.
func (f *File) write(path string, data []byte, check func() error) (err error) {
	tmp, err := os.OpenFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return f.failed("cannot write", err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if f.info != nil {
		copyOwner(tmp, f.info)
		if err := tmp.Chmod(f.info.Mode().Perm()); err != nil {
			return f.failed("cannot write", err)
		}
	}
	if _, err := tmp.Write(data); err != nil {
		return f.failed("cannot write", err)
	}
	// Without it a crash may leave the new name on an empty file.
	if err := tmp.Sync(); err != nil {
		return f.failed("cannot write", err)
	}
	if err := tmp.Close(); err != nil {
		return f.failed("cannot write", err)
	}
	if err := check(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return f.failed("cannot write", err)
	}
	return nil
}

// Delete removes the file, and the folders that Replace made for it where nothing
// else is in them. Where somebody else wrote the file since Open, it is an error.
func (f *File) Delete() error {
	if err := f.unchanged(); err != nil {
		return err
	}
	if err := os.Remove(f.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.failed("cannot remove", err)
	}
	for dir := filepath.Dir(f.target); ; dir = filepath.Dir(dir) {
		if err := os.Remove(filepath.Join(dir, madeName)); err != nil {
			return nil // not ours, and so none above it
		}
		// A folder that has something stays; that is the only reason to fail.
		_ = os.Remove(dir)
	}
}

// Settle forgets that folders were made for the file: they are its program's now.
func (f *File) Settle() error {
	for dir := filepath.Dir(f.target); ; dir = filepath.Dir(dir) {
		err := os.Remove(filepath.Join(dir, madeName))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return f.failed("cannot remove the mark in its folder", err)
		}
	}
}

// Backup is the content that SaveBackup kept; ok is false where there is none.
func (f *File) Backup() (data []byte, ok bool, err error) {
	info, err := os.Lstat(f.BackupPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > MaxSize) {
		return nil, false, f.usage("its backup " + filepath.Base(f.target) + backupSuffix + " is not a file that was written here")
	}
	if err == nil {
		data, err = os.ReadFile(f.BackupPath())
	}
	if err != nil {
		return nil, false, f.failed("cannot read the backup", err)
	}
	return data, true, nil
}

// BackupPath is where SaveBackup keeps the content.
func (f *File) BackupPath() string { return f.target + backupSuffix }

// SaveBackup keeps the content as it was read, beside the file, with its mode.
func (f *File) SaveBackup() error {
	if _, _, err := f.Backup(); err != nil {
		return err
	}
	return f.write(f.BackupPath(), f.Data, func() error { return nil })
}

// DropBackup removes the backup, if there is one.
func (f *File) DropBackup() error {
	if err := os.Remove(f.BackupPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.failed("cannot remove the backup", err)
	}
	return nil
}

// unchanged is nil where the file is as it was at Open.
func (f *File) unchanged() error {
	now, err := os.Open(f.target)
	if errors.Is(err, fs.ErrNotExist) && !f.Exists {
		return nil
	}
	if err == nil {
		defer now.Close()
		var data []byte
		data, err = io.ReadAll(io.LimitReader(now, MaxSize+1))
		if err == nil && f.Exists && bytes.Equal(data, f.Data) {
			return nil
		}
	}
	return &fault.Error{
		Kind: fault.Unexpected, Code: fault.Failed, Rule: "file-changed", Subject: f.Path,
		Message: "was changed by somebody else meanwhile, nothing was written", Hint: "try again",
	}
}

// mkdir makes the missing folders above the file, each with its mark.
func (f *File) mkdir() error {
	var missing []string
	dir := filepath.Dir(f.target)
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := os.Mkdir(missing[i], 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return f.failed("cannot make its folder", err)
		} else if err != nil {
			continue // somebody else's
		}
		if err := os.WriteFile(filepath.Join(missing[i], madeName), nil, 0o666); err != nil {
			return f.failed("cannot make its folder", err)
		}
	}
	return nil
}

func (f *File) failed(what string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) && strings.HasPrefix(path.Path, f.target) {
		err = path.Err
	}
	return &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: f.Path, Message: what, Err: err}
}

func (f *File) usage(message string) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.InvalidConfig, Subject: f.Path, Message: message, Hint: "nothing was changed",
	}
}
