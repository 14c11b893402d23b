//go:build unix

package hostconfig

import (
	"io/fs"
	"os"
	"syscall"
)

// copyOwner gives a file the owner of another. Only root may do that in general, so
// a failure is none.
func copyOwner(f *os.File, like fs.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
