package smallfs

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// NeedsRoot skips a test that only root can run, or fails it where DSH_REQUIRE_ROOT
// says that there is no excuse.
func NeedsRoot(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("DSH_REQUIRE_ROOT") != "" {
		t.Fatalf("DSH_REQUIRE_ROOT is set: %v", why)
	}
	t.Skipf("needs root: %v", why)
}

// Mount mounts a file system with these options of tmpfs for as long as the test runs.
// remount gives it others.
func Mount(t *testing.T, options string) (dir string, remount func(flags uintptr, options string)) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		NeedsRoot(t, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir, func(flags uintptr, options string) {
		t.Helper()
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|flags, options); err != nil {
			t.Fatal(err)
		}
	}
}
