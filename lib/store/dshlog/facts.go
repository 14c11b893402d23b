package dshlog

import (
	"io/fs"
	"path/filepath"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/headcache"
)

// facts is what the cache keeps of a log.
type facts struct {
	id        string
	cwd       *string // of the header
	moved     *string // where the session has moved to; nil: nowhere, or not known without titled
	createdAt int64
	parent    string
	titled    bool // title is known; nil: there is none
	title     *string
}

// cachePath is the cache file of the root at dir; empty: there is to be none.
func cachePath(dir string, env store.Env) string {
	if env.CacheDir == "" {
		return ""
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	return headcache.Path(env.CacheDir, store.DSH, realPath(abs))
}

// facts returns what is known of the log at path, from the cache or from its
// header. Errors are *fault.Error.
func (s *Store) facts(path string, info fs.FileInfo) (facts, error) {
	key := headcache.KeyOf(path, info)
	if v, ok := s.cache.Get(key); ok {
		if f, ok := parseFacts(v); ok {
			return f, nil
		}
	}
	h, err := header(path)
	if err != nil {
		return facts{}, withSubject(path, err)
	}
	f := facts{id: h.ID, cwd: h.Cwd, createdAt: h.CreatedAt, parent: parent(h)}
	s.cache.Put(key, f.String())
	return f, nil
}

// String is the facts as the cache holds them.
func (f facts) String() string {
	var w jstext.Writer
	w.BeginArray()
	w.Text(f.id)
	w.OptText(f.cwd)
	w.Int(f.createdAt)
	w.Text(f.parent)
	w.Bool(f.titled)
	w.OptText(f.title)
	w.OptText(f.moved)
	w.EndArray()
	return w.String()
}

func parseFacts(text string) (f facts, ok bool) {
	v, err := jstext.Parse(text)
	if err != nil {
		return facts{}, false
	}
	var m [7]jstext.Value
	n := 0
	for e := range v.Elements() {
		if n == len(m) {
			return facts{}, false
		}
		m[n] = e
		n++
	}
	opt := func(v jstext.Value) *string {
		if t, ok := v.Text(); ok {
			return &t
		}
		return nil
	}
	f.id, ok = m[0].Text()
	f.cwd, f.title, f.moved = opt(m[1]), opt(m[5]), opt(m[6])
	f.createdAt, _ = m[2].Int()
	f.parent, _ = m[3].Text()
	f.titled = m[4].True()
	return f, ok && n == len(m)
}
