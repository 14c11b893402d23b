package surface

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/store"
)

// patience is how long a listing waits for what the file system says of
// directories: one may lie on a mount whose server never answers.
const patience = 2 * time.Second

// goneDirs returns which of the entries' directories are no longer there, asking
// once for each. What is not known in time, or to be known at all, is not in it.
func goneDirs(ctx context.Context, entries []store.Entry) map[string]bool {
	var dirs []string
	asked := make(map[string]bool)
	for _, e := range entries {
		if e.Cwd != nil && !asked[*e.Cwd] && local(*e.Cwd) {
			asked[*e.Cwd] = true
			dirs = append(dirs, *e.Cwd)
		}
	}
	missing := make(chan string, len(dirs))
	go func() {
		defer close(missing)
		for _, dir := range dirs {
			if gone(dir) {
				missing <- dir
			}
		}
	}()
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	out := make(map[string]bool)
	for {
		select {
		case dir, more := <-missing:
			if !more {
				return out
			}
			out[dir] = true
		case <-ctx.Done():
			return out
		}
	}
}

// local reports whether a recorded directory can be looked for on this machine. A
// path of another system cannot, nor one whose bytes the log has lost; a share on a
// server is not asked for, since the name of the server comes from a log.
func local(dir string) bool {
	return filepath.IsAbs(dir) && !strings.ContainsRune(dir, utf8.RuneError) &&
		!strings.HasPrefix(filepath.ToSlash(filepath.VolumeName(dir)), "//")
}

// gone reports whether there is surely no such directory: one that may not be
// looked at is not gone.
func gone(dir string) bool {
	info, err := os.Stat(dir)
	if err == nil {
		return !info.IsDir()
	}
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
