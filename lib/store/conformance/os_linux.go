package conformance

import (
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dropOverride gives up root's right to pass over permissions, in all threads,
// until the test ends. Where the runtime cannot do that (with cgo, as under the
// race detector) nothing happens, and the caller finds that it can still read.
func dropOverride(t *testing.T) {
	t.Helper()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var had [2]unix.CapUserData
	if err := unix.Capget(&header, &had[0]); err != nil {
		t.Skipf("capget: %v", err)
	}
	now := had
	now[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	set := func(data *[2]unix.CapUserData) {
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		// The error is what the caller finds out by trying.
		_, _, _ = syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(data)), 0)
	}
	set(&now)
	t.Cleanup(func() { set(&had) })
}
