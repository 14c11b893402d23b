package snapshot

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

const dbName = "db" // the database's name in the file system shown to SQLite

// files is a database and its log, opened, and how they looked then. It is the
// file system that SQLite is shown.
type files struct {
	path      string
	db, wal   *os.File // wal is nil where there is none
	info      fs.FileInfo
	dbHeader  [headerSize]byte
	walHeader [walHeaderSize]byte
}

const (
	headerSize    = 100 // of the database file
	walHeaderSize = 32  // of the log: its salts change with every new start
)

func openFiles(path string) (*files, error) {
	// Stat first: opening a FIFO would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	f := &files{path: path}
	if f.db, err = os.Open(path); err != nil {
		return nil, err
	}
	if f.info, err = f.db.Stat(); err != nil {
		f.close()
		return nil, err
	}
	if wal, err := os.Stat(path + "-wal"); err == nil && wal.Mode().IsRegular() {
		if f.wal, err = os.Open(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.close()
			return nil, err
		}
	}
	f.walHeader = f.readWALHeader()
	if _, err := f.db.ReadAt(f.dbHeader[:], 0); err != nil && !errors.Is(err, io.EOF) {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *files) close() {
	f.db.Close()
	if f.wal != nil {
		f.wal.Close()
	}
}

func (f *files) readWALHeader() (h [walHeaderSize]byte) {
	if f.wal != nil {
		// A log that is empty or cut has no header; zeroes stand for that.
		_, _ = f.wal.ReadAt(h[:], 0)
	}
	return h
}

// isWAL reports whether the file says that it is in write-ahead mode.
func (f *files) isWAL() bool { return f.dbHeader[18] == 2 }

// restless reports whether the database was written so lately that another write
// could get the same time.
func (f *files) restless() bool {
	age := time.Since(f.info.ModTime())
	return age >= 0 && age < settle
}

// changed reports whether the files are no longer those that were opened, or no
// longer hold what they held.
func (f *files) changed() bool {
	now, err := os.Stat(f.path)
	if err != nil || !os.SameFile(now, f.info) || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return true
	}
	if f.readWALHeader() != f.walHeader {
		return true
	}
	return f.journalled()
}

// journalled reports whether a rollback journal holds a transaction that has begun
// to change the database: a live writer's, which is over in a moment, or one that a
// crash left. A journal that is empty or begins with zeroes holds none.
func (f *files) journalled() bool {
	if f.isWAL() || f.info.Size() == 0 {
		return false
	}
	info, err := os.Stat(f.path + "-journal")
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	j, err := os.Open(f.path + "-journal")
	if err != nil {
		return false
	}
	defer j.Close()
	var magic [8]byte
	_, _ = j.ReadAt(magic[:], 0)
	return magic != [8]byte{}
}

// Open is the file system that SQLite sees: the database and its log. A database in
// write-ahead mode must have a log to be opened, so an absent one is shown as empty.
func (f *files) Open(name string) (fs.File, error) {
	switch name {
	case "/" + dbName:
		return &view{f: f.db}, nil
	case "/" + dbName + "-wal":
		if f.wal != nil || f.isWAL() {
			return &view{f: f.wal}, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// view reads one of the files at a place of its own; a nil f is an empty file.
// Closing is left to the owner of the descriptors.
type view struct {
	f   *os.File
	pos int64
}

func (v *view) Close() error { return nil }

func (v *view) Stat() (fs.FileInfo, error) {
	if v.f == nil {
		return emptyInfo{}, nil
	}
	return v.f.Stat()
}

func (v *view) Seek(offset int64, _ int) (int64, error) {
	v.pos = offset // SQLite seeks from the start only
	return offset, nil
}

func (v *view) Read(p []byte) (int, error) {
	if v.f == nil {
		return 0, io.EOF
	}
	n, err := v.f.ReadAt(p, v.pos)
	v.pos += int64(n)
	return n, err
}

type emptyInfo struct{}

func (emptyInfo) Name() string       { return dbName + "-wal" }
func (emptyInfo) Size() int64        { return 0 }
func (emptyInfo) Mode() fs.FileMode  { return 0o400 }
func (emptyInfo) ModTime() time.Time { return time.Time{} }
func (emptyInfo) IsDir() bool        { return false }
func (emptyInfo) Sys() any           { return nil }
