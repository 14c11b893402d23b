package headcache

import (
	"io/fs"
	"syscall"
)

// addSystem adds what only this system tells of a file.
func (k *Key) addSystem(info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		k.Ctime = st.Ctimespec.Nano()
		k.Inode, k.Device = st.Ino, uint64(st.Dev)
	}
}
