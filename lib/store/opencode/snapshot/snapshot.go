// Package snapshot reads a SQLite database that another process may be writing,
// without leaving a trace: no lock is taken, no byte is written, and no -wal,
// -shm or -journal file is created beside it, also where SQLite's own read-only
// mode would create them.
//
// How: the database and its write-ahead log are opened as plain files and given to
// SQLite through a file system of our own that has only these two and cannot
// write. SQLite then recovers the log in memory and sees the last committed
// state. Nothing stops a writer meanwhile, so afterwards it is checked that
// neither a checkpoint touched the database nor a new log replaced the one that
// was read. If one did, what was read is thrown away and read again. A database
// that never rests is read with SQLite's own shared locks instead, still read-only
// and with nothing created.
//
// A rollback journal that holds an unfinished transaction is never played back,
// since that would be a write: it is an error that says so.
//
// View may be called at the same time from several goroutines.
package snapshot

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
	"modernc.org/sqlite/vfs"
)

const (
	// tries is how often an observation that a writer spoiled is made again, and
	// lockAfter from which on locks are used where they can be. The pauses between them
	// double up to maxPause: two seconds in all.
	tries     = 12
	lockAfter = 3
	maxPause  = 10 * settle
	// settle is longer than the tick of any clock that file times are taken from
	// (10 ms at the most on Linux): a file that has rested for so long cannot change
	// without its time changing.
	settle = 20 * time.Millisecond
	// busyMillis bounds the wait for a lock.
	busyMillis = 1500
)

// posix guards the process's POSIX locks: closing any descriptor of a file drops
// all locks that the process holds on it, so plain reading (shared) and reading
// with locks (exclusive) must not overlap.
var posix sync.RWMutex

// View runs read on one consistent state of the database at path, read-only. read
// may be run several times, so it must start its results afresh each time; what
// its last run made is what counts. Errors are *fault.Error, or those of read and
// ctx: Unreadable for a file that cannot be opened or is busy, Damaged for one that
// is no sound SQLite database.
func View(ctx context.Context, path string, read func(*sql.Conn) error) error {
	for i := range tries {
		if spoiled, err := viewFree(ctx, path, read); !spoiled {
			return translate(ctx, path, err)
		}
		if i >= lockAfter {
			if possible, err := viewLocked(ctx, path, read); possible {
				return translate(ctx, path, err)
			}
		}
		if err := sleep(ctx, min(settle<<i, maxPause)); err != nil {
			return err
		}
	}
	return busy(path, nil)
}

// viewFree reads without locks and reports whether a writer spoiled it.
func viewFree(ctx context.Context, path string, read func(*sql.Conn) error) (spoiled bool, err error) {
	posix.RLock()
	defer posix.RUnlock()
	f, err := openFiles(path)
	if err != nil {
		return false, err
	}
	defer f.close()
	if f.restless() {
		return true, nil
	}
	if f.journalled() {
		return true, nil
	}
	err = withVFS(ctx, f, read)
	return f.changed(), err
}

func withVFS(ctx context.Context, f *files, read func(*sql.Conn) error) (err error) {
	name, v, err := vfs.New(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	// Exclusive mode makes SQLite keep the index of the log in memory.
	return query(ctx, "file:/"+dbName+"?vfs="+name+"&mode=ro&_pragma=locking_mode(exclusive)", read)
}

// viewLocked reads as SQLite's own readers do. readonly_shm keeps it from creating
// or changing the shared index of the log: it is possible only where a live writer
// has made one.
func viewLocked(ctx context.Context, path string, read func(*sql.Conn) error) (possible bool, err error) {
	posix.Lock()
	defer posix.Unlock()
	f, err := openFiles(path)
	if err != nil {
		return true, err
	}
	needsIndex := f.isWAL()
	f.close()
	if _, err := os.Stat(path + "-shm"); err != nil && needsIndex {
		return false, nil
	}
	if path, err = filepath.Abs(path); err != nil {
		return true, err
	}
	u := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}
	err = query(ctx, u.String()+"?mode=ro&readonly_shm=1", read)
	// A writer that ends takes the index away again.
	return !indexGone(err), err
}

// query opens dsn with what holds for every way of reading: results of sorting stay
// in memory, and nothing in the file may run code or write.
func query(ctx context.Context, dsn string, read func(*sql.Conn) error) (err error) {
	dsn += fmt.Sprintf("&_pragma=busy_timeout(%d)", busyMillis) +
		"&_pragma=temp_store(memory)&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// One transaction, so that all of read's questions meet one state.
	if _, err := conn.ExecContext(ctx, "begin"); err != nil {
		return err
	}
	return read(conn)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
