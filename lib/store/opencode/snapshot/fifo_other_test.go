//go:build !unix

package snapshot

import "os"

// mkfifo makes a directory: what stands for "not a regular file" where no pipe can
// be made.
func mkfifo(path string) error { return os.Mkdir(path, 0o700) }
