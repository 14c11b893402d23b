//go:build unix

package logwriter

import (
	"os"
	"syscall"
)

// noFollow makes opening a symbolic link an error.
const noFollow = syscall.O_NOFOLLOW

// openAppend opens a log that is there; a symbolic link is an error.
func openAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|noFollow, 0)
}
