package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// translate gives an error from SQLite or the file system its class.
func translate(ctx context.Context, path string, err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f := &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Subject: fmt.Sprintf("%q", path),
		Message: "cannot be read", Err: err,
	}
	var lite *sqlite.Error
	var file *fs.PathError
	switch {
	case errors.As(err, &lite):
		switch lite.Code() & 0xFF {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return busy(path, err)
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
			f.Kind, f.Rule, f.Message = fault.Damaged, "damaged-database", "not a sound SQLite database"
		case sqlite3.SQLITE_READONLY: // what SQLite says where it would have to play a journal back
			f.Rule, f.Message = "hot-journal", "holds an unfinished transaction"
			f.Hint = "let its own program open it once, which finishes or undoes the transaction"
		}
	case errors.As(err, &file):
		f.Err = file.Err
	}
	return f
}

// indexGone reports whether a reading with locks failed because the log's index was
// not there, or not in use by anybody.
func indexGone(err error) bool {
	var lite *sqlite.Error
	if !errors.As(err, &lite) {
		return false
	}
	code := lite.Code()
	return code&0xFF == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_READONLY_CANTINIT || code == sqlite3.SQLITE_READONLY_RECOVERY
}

func busy(path string, err error) error {
	return &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "busy", Subject: fmt.Sprintf("%q", path),
		Message: "is being written without pause", Hint: "try again in a moment", Err: err,
	}
}
