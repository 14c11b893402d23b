package hostconfig

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// undo is how to take back what a change has done so far.
type undo []func()

func (u *undo) add(f func()) { *u = append(*u, f) }

// onError takes everything back, the last first, where the change failed.
func (u *undo) onError(err *error) {
	if *err == nil {
		return
	}
	for _, f := range slices.Backward(*u) {
		f()
	}
}

// Replace gives the file new content, in one step: whoever reads it has the old or
// the new. Mode and, where that is allowed, owner stay. With keep the old content is
// kept as the backup. Where somebody else wrote the file since Open, it is an error.
// Folders that are missing are made. Whatever the error is, the file, its backup and
// the folders are as they were.
func (f *File) Replace(data []byte, keep bool) (err error) {
	var u undo
	defer u.onError(&err)
	if err := f.mkdir(&u); err != nil {
		return err
	}
	tmp, err := f.stage(f.target, data, &u)
	if err != nil {
		return err
	}
	done, err := f.begin(keep, &u)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, f.target); err != nil {
		return f.failed("cannot write", err)
	}
	done()
	return nil
}

// Delete removes the file, and the folders that Replace made for it where nothing
// else is in them. With keep the content is kept as the backup. Where somebody else
// wrote the file since Open, it is an error; then nothing has changed.
func (f *File) Delete(keep bool) (err error) {
	var u undo
	defer u.onError(&err)
	done, err := f.begin(keep, &u)
	if err != nil {
		return err
	}
	if err := os.Remove(f.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.failed("cannot remove", err)
	}
	done()
	for dir := filepath.Dir(f.target); ; dir = filepath.Dir(dir) {
		if err := os.Remove(filepath.Join(dir, madeName)); err != nil {
			return nil // not ours, and so none above it
		}
		// A folder that has something stays; that is the only reason to fail.
		_ = os.Remove(dir)
	}
}

// begin checks that the file may be changed, and puts the backup in its place where
// there is to be one: what takes room has been done when that is seen. done is for when
// the file has changed.
func (f *File) begin(keep bool, u *undo) (done func(), err error) {
	if !keep {
		return func() {}, f.unchanged()
	}
	_, had, err := f.Backup()
	if err != nil {
		return nil, err
	}
	tmp, err := f.stage(f.BackupPath(), f.Data, u)
	if err != nil {
		return nil, err
	}
	if err := f.unchanged(); err != nil {
		return nil, err
	}
	done = func() {}
	if had {
		older := besides(f.BackupPath())
		if err := os.Rename(f.BackupPath(), older); err != nil {
			return nil, f.failed("cannot write the backup", err)
		}
		u.add(func() { os.Rename(older, f.BackupPath()) })
		done = func() { os.Remove(older) }
	}
	if err := os.Rename(tmp, f.BackupPath()); err != nil {
		return nil, f.failed("cannot write the backup", err)
	}
	u.add(func() { os.Remove(f.BackupPath()) })
	return done, nil
}

// stage writes data into a new file that is to become path.
func (f *File) stage(path string, data []byte, u *undo) (name string, err error) {
	tmp, err := os.OpenFile(besides(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", f.failed("cannot write", err)
	}
	u.add(func() {
		tmp.Close()
		os.Remove(tmp.Name())
	})
	if f.info != nil {
		copyOwner(tmp, f.info)
		if err := tmp.Chmod(f.info.Mode().Perm()); err != nil {
			return "", f.failed("cannot write", err)
		}
	}
	if _, err := tmp.Write(data); err != nil {
		return "", f.failed("cannot write", err)
	}
	// Without it a crash may leave the new name on an empty file.
	if err := tmp.Sync(); err != nil {
		return "", f.failed("cannot write", err)
	}
	if err := tmp.Close(); err != nil {
		return "", f.failed("cannot write", err)
	}
	return tmp.Name(), nil
}

// besides is a name beside a file that nothing has.
func besides(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text())
}

// mkdir makes the missing folders above the file, each with its mark.
func (f *File) mkdir(u *undo) error {
	var missing []string
	dir := filepath.Dir(f.target)
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		missing = append(missing, dir)
	}
	for _, dir := range slices.Backward(missing) {
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return f.failed("cannot make its folder", err)
		} else if err != nil {
			continue // somebody else's
		}
		u.add(func() { os.Remove(dir) })
		mark := filepath.Join(dir, madeName)
		u.add(func() { os.Remove(mark) })
		if err := os.WriteFile(mark, nil, 0o666); err != nil {
			return f.failed("cannot make its folder", err)
		}
	}
	return nil
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

// Backup is the content that was kept beside the file; ok is false where there is none.
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

// BackupPath is where the content is kept as it was read.
func (f *File) BackupPath() string { return f.target + backupSuffix }

// DropBackup removes the backup, if there is one.
func (f *File) DropBackup() error {
	if err := os.Remove(f.BackupPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.failed("cannot remove the backup", err)
	}
	return nil
}
