package codex

import (
	"cmp"
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// home is a directory of Codex ($CODEX_HOME), or one that only holds rollouts.
type home struct{ root string }

const (
	sessions = "sessions"
	archived = "archived_sessions"
)

// homeOf is the home that a rollout lies in. Outside of one it is the file's own
// directory.
func homeOf(path string) *home {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	dir := filepath.Dir(path)
	for range 4 { // sessions/YYYY/MM/DD
		if base := filepath.Base(dir); base == sessions || base == archived {
			return &home{filepath.Dir(dir)}
		}
		dir = filepath.Dir(dir)
	}
	return &home{filepath.Dir(path)}
}

// dirs are the directories that rollouts are looked for in, the live ones first.
func (h *home) dirs() []string {
	var out []string
	for _, name := range []string{sessions, archived} {
		if dir := filepath.Join(h.root, name); isDir(dir) {
			out = append(out, dir)
		}
	}
	if out == nil {
		out = []string{h.root}
	}
	return out
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// names are the threads' names from the index, to which the agent only appends:
// the last line of a thread counts. Without an index there are none.
func (h *home) names() map[string]string {
	out := make(map[string]string)
	path := filepath.Join(h.root, "session_index.jsonl")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return out
	}
	src, err := jsonl.Open(context.Background(), path)
	if err != nil {
		return out
	}
	defer src.Close()
	for rec, err := range src.Records(context.Background(), jsonl.Shape{"id": nil, "thread_name": nil}) {
		if err != nil {
			break
		}
		o := jsonl.Members(rec.Value)
		out[strings.Clone(o.Text("id"))] = strings.Clone(o.Text("thread_name"))
	}
	return out
}

// file is one rollout.
type file struct {
	path     string
	thread   string // by its name; empty where the name is not the agent's
	segment  string // the rollout's own id, likewise
	archived bool
	regular  bool
}

// files are the rollouts below the home. Of one that lies there plain and packed
// the plain one is given, as the agent takes it; links are followed once.
func (h *home) files() iter.Seq2[file, error] {
	return func(yield func(file, error) bool) {
		w := walk{seen: make(map[string]bool), yield: yield}
		for _, dir := range h.dirs() {
			w.archived = filepath.Base(dir) == archived
			if !w.dir(dir, 0) {
				return
			}
		}
	}
}

// maxDepth is how deep rollouts lie below sessions, with room for a directory that
// somebody put between.
const maxDepth = 6

type walk struct {
	seen     map[string]bool // real directories
	archived bool
	yield    func(file, error) bool
}

// dir walks one directory; false: the caller wants no more.
func (w *walk) dir(dir string, depth int) bool {
	real := dir
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		real = r
	}
	if depth > maxDepth || w.seen[real] {
		return true
	}
	w.seen[real] = true
	names, err := os.ReadDir(dir)
	if err != nil && !w.yield(file{}, jsonl.Unreadable(dir, err)) {
		return false
	}
	// A directory's own path is better than a link to it.
	slices.SortStableFunc(names, func(a, b os.DirEntry) int {
		return cmp.Compare(a.Type()&os.ModeSymlink, b.Type()&os.ModeSymlink)
	})
	plain := make(map[string]bool)
	for _, d := range names {
		if name, ok := strings.CutSuffix(d.Name(), ".jsonl"); ok && !isEmpty(d) {
			plain[name] = true
		}
	}
	for _, d := range names {
		path := filepath.Join(dir, d.Name())
		mode := d.Type()
		if mode&os.ModeSymlink != 0 {
			info, err := os.Stat(path)
			if err != nil {
				if !w.yield(file{}, jsonl.Unreadable(path, err)) {
					return false
				}
				continue
			}
			mode = info.Mode()
		}
		if mode.IsDir() {
			if !w.dir(path, depth+1) {
				return false
			}
			continue
		}
		thread, segment, ok := rolloutNames(path)
		stem, packed := strings.CutSuffix(d.Name(), ".jsonl.zst")
		if !ok || packed && plain[stem] || !packed && isEmpty(d) && hasPacked(names, d.Name()) {
			continue
		}
		if !w.yield(file{path, thread, segment, w.archived, mode.IsRegular()}, nil) {
			return false
		}
	}
	return true
}

// isEmpty reports whether a file has no byte: it is just being unpacked.
func isEmpty(d os.DirEntry) bool {
	info, err := d.Info()
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

func hasPacked(names []os.DirEntry, name string) bool {
	return slices.ContainsFunc(names, func(d os.DirEntry) bool { return d.Name() == name+".zst" })
}

// better reports whether of two rollouts of one thread a is the one that counts:
// the newest by name, and of two names alike the one that is not archived.
func better(a, b file) bool {
	return cmp.Or(cmp.Compare(stem(a.path), stem(b.path)), -compareBool(a.archived, b.archived)) > 0
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".zst") }

// ancestor is the rollout that a fork in the file from begins with, empty where
// there is none: the one whose own id is named. Where none has it, it is taken for a
// thread: the thread's newest, or, where the thread is the file's own (a revert writes
// a new rollout), the newest that is older than the file.
func (h *home) ancestor(thread, from string, been map[string]bool) string {
	own, _ := rolloutName(from)
	var exact, best file
	for f, err := range h.files() {
		if err != nil || !f.regular || been[f.path] {
			continue
		}
		if f.segment == thread && (exact.path == "" || better(f, exact)) {
			exact = f
		}
		if thread == own && stem(f.path) >= stem(from) {
			continue
		}
		if f.thread != thread && (f.thread != "" || firstID(f.path) != thread) {
			continue
		}
		if best.path == "" || better(f, best) {
			best = f
		}
	}
	return cmp.Or(exact.path, best.path)
}
