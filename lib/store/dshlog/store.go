package dshlog

import (
	"os"
	"path/filepath"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/headcache"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Store is one root of dsh logs. It is safe for concurrent use.
type Store struct {
	root  string
	cache *headcache.Cache
}

// Open opens the root at dir, which must be a directory. Of dsh's home, the directory
// that dsh itself is told of as DSH_HOME, it opens the sessions. It reads nothing yet.
func Open(dir string, env store.Env) (*Store, error) {
	dir = inHome(dir)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errNotDir
	}
	if err != nil {
		return nil, jsonl.Unreadable(dir, err)
	}
	return &Store{root: dir, cache: headcache.New(cachePath(dir, env))}, nil
}

// inHome is the root in dsh's home, or dir where that is none. A root holds projects
// alone, whose names begin with a dash, an underscore or cwd-.
func inHome(dir string) string {
	sessions := filepath.Join(dir, "sessions")
	if info, err := os.Stat(sessions); err == nil && info.IsDir() {
		return sessions
	}
	return dir
}

// Kind is dsh's, whose ids have no prefix.
func (s *Store) Kind() string { return store.DSH }

// Root is the directory that was opened.
func (s *Store) Root() string { return s.root }

// Flush writes down what listing and titles have taught the cache. A cache that
// cannot be written is as good as none: there is no error.
func (s *Store) Flush() { s.cache.Save() }

// realPath is p with links resolved, or p where that fails.
func realPath(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return p
}
