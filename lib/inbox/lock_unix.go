//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package inbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryFlock takes the advisory lock of an open file without waiting. held is true
// where somebody else has it. The lock ends with the last descriptor of this
// opening of the file, so a dead process holds none.
func tryFlock(f *os.File, shared bool) (held bool, err error) {
	how := unix.LOCK_EX | unix.LOCK_NB
	if shared {
		how = unix.LOCK_SH | unix.LOCK_NB
	}
	for {
		switch err = unix.Flock(int(f.Fd()), how); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return true, nil
		default:
			return false, err
		}
	}
}
