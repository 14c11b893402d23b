package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// directories finds the directory that each project is for. It keeps what it has read,
// for one listing: projects have many sessions. It is safe for concurrent use.
type directories struct {
	mu     sync.Mutex
	marks  map[place]string // the content of .project_root
	tables map[string]table // by the path of projects.json
}

// table is a projects.json: paths by the project's name, and by their hash.
type table struct{ bySlug, byHash map[string]string }

// cwd is the directory that a project is for: its .project_root, else the path that
// projects.json has for its name, or whose hash is its name or the one given.
func (d *directories) cwd(p place, hash string) *string {
	if p == "" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	mark, ok := d.marks[p]
	if !ok {
		mark = strings.TrimSpace(readSmall(filepath.Join(string(p), ".project_root")))
		d.marks = keep(d.marks, p, mark)
	}
	if mark != "" {
		return &mark
	}
	abs, err := filepath.Abs(string(p))
	if err != nil {
		return nil
	}
	name, list := filepath.Base(abs), filepath.Join(filepath.Dir(filepath.Dir(abs)), "projects.json")
	t, ok := d.tables[list]
	if !ok {
		t = readTable(list)
		d.tables = keep(d.tables, list, t)
	}
	for _, path := range []string{t.bySlug[name], t.byHash[name], t.byHash[hash]} {
		if path != "" {
			return &path
		}
	}
	return nil
}

func keep[K comparable, V any](m map[K]V, k K, v V) map[K]V {
	if m == nil {
		m = make(map[K]V)
	}
	m[k] = v
	return m
}

func readTable(path string) table {
	t := table{make(map[string]string), make(map[string]string)}
	v, err := jstext.Parse(readSmall(path))
	if err != nil {
		return t
	}
	for path, slug := range v.Get("projects").Members() {
		sum := sha256.Sum256([]byte(path))
		path = strings.Clone(path)
		t.byHash[hex.EncodeToString(sum[:])] = path
		if name, ok := slug.Text(); ok {
			t.bySlug[strings.Clone(name)] = path
		}
	}
	return t
}

// maxSmall bounds the files beside the recordings: a path, and a list of them.
const maxSmall = 4 << 20

// readSmall is a file's text; empty where it cannot be read.
func readSmall(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "" // to open a pipe would wait for its writer
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSmall))
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(jstext.Decode(data), "\uFEFF")
}
