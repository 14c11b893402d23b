package claude

import (
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// file is one file that may be a session.
type file struct {
	path    string
	regular bool
}

// modified is when the file was last written; zero where that cannot be told.
func (f file) modified() time.Time {
	info, err := os.Stat(f.path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// projects are the directories that hold session files: those in the root's
// projects directory, or in the root itself, and the root. A directory that is
// reached twice, through links, is one.
func (s *claudeStore) projects() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		base := s.root
		if dir := filepath.Join(base, "projects"); isDir(dir) {
			base = dir
		}
		names, err := os.ReadDir(base)
		if err != nil {
			yield("", jsonl.Unreadable(base, err))
			return
		}
		real := realPath(base)
		seen := map[string]bool{real: true}
		if !yield(base, nil) {
			return
		}
		for _, d := range names { // a directory's own path is better than a link to it
			if d.IsDir() {
				seen[filepath.Join(real, d.Name())] = true
				if !yield(filepath.Join(base, d.Name()), nil) {
					return
				}
			}
		}
		for _, d := range names {
			path := filepath.Join(base, d.Name())
			if d.Type()&os.ModeSymlink == 0 || filepath.Ext(path) == ".jsonl" { // a link to a file is followed below
				continue
			}
			switch info, err := os.Stat(path); {
			case err != nil:
				if !yield("", jsonl.Unreadable(path, err)) {
					return
				}
			case info.IsDir() && !seen[realPath(path)]:
				seen[realPath(path)] = true
				if !yield(path, nil) {
					return
				}
			}
		}
	}
}

// files are the files that may be sessions, in every project: those named like
// one, and not like a subagent's. Sidecars lie deeper, or have other names. A pipe
// in the place of a log can be read, but is not listed.
func (s *claudeStore) files() iter.Seq2[file, error] {
	return func(yield func(file, error) bool) {
		for dir, err := range s.projects() {
			if err != nil {
				if !yield(file{}, err) {
					return
				}
				continue
			}
			names, err := os.ReadDir(dir)
			if err != nil && !yield(file{}, jsonl.Unreadable(dir, err)) {
				return
			}
			for _, d := range names {
				path := filepath.Join(dir, d.Name())
				if filepath.Ext(path) != ".jsonl" || strings.HasPrefix(d.Name(), "agent-") {
					continue
				}
				mode := d.Type()
				if mode&os.ModeSymlink != 0 {
					info, err := os.Stat(path)
					if err != nil {
						if !yield(file{}, jsonl.Unreadable(path, err)) {
							return
						}
						continue
					}
					mode = info.Mode()
				}
				if mode.IsDir() {
					continue
				}
				if !yield(file{path, mode.IsRegular()}, nil) {
					return
				}
			}
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
