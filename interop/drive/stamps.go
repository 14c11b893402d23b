package drive

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// stamps is the size and time of every file below these paths. What vanishes meanwhile
// is left out: the next look sees that.
func stamps(dirs []string) string {
	var b strings.Builder
	for _, dir := range dirs {
		filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error { //nolint:errcheck // never one
			if err != nil || entry.IsDir() {
				return nil
			}
			if info, err := entry.Info(); err == nil {
				fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return b.String()
}
