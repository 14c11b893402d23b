//go:build !unix

package logwriter

import (
	"errors"
	"os"
)

const noFollow = 0

// openAppend opens a log that is there; a symbolic link is an error.
func openAppend(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
}
