package pi

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/headcache"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

func open(root string, env store.Env) (store.Store, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: root, Err: fs.ErrInvalid}
	}
	return &piStore{root, headcache.ForRoot(env.CacheDir, Kind, root)}, nil
}

// files are the session files: in a directory for each cwd, and, by a mistake of
// version 0.30.0, beside those directories. A directory that is reached twice
// through links is one, and a loop ends because nothing deeper is looked into; a
// file that is reached twice has one id.
func (s *piStore) files() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		seen := make(map[string]bool)
		once := func(path string) bool {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real
			}
			known := seen[path]
			seen[path] = true
			return !known
		}
		dirs := []string{s.root, filepath.Join(s.root, "sessions")}
		for i := 0; i < len(dirs); i++ {
			base := i < 2
			names, err := os.ReadDir(dirs[i])
			if err != nil {
				if i == 1 && os.IsNotExist(err) {
					continue // the root is a sessions directory itself
				}
				if !yield("", jsonl.Unreadable(dirs[i], err)) {
					return
				}
			}
			for _, d := range names {
				path := filepath.Join(dirs[i], d.Name())
				isLog := filepath.Ext(path) == ".jsonl"
				mode := d.Type()
				if mode&fs.ModeSymlink != 0 {
					info, err := os.Stat(path)
					if err != nil {
						if (isLog || base) && !yield("", jsonl.Unreadable(path, err)) {
							return
						}
						continue
					}
					mode = info.Mode()
				}
				switch {
				case mode.IsDir():
					if base && once(path) && path != dirs[1] {
						dirs = append(dirs, path)
					}
				case isLog && mode.IsRegular():
					if !yield(path, nil) {
						return
					}
				}
			}
		}
	}
}
