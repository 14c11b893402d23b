package codex

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Kind is the kind of these stores, and the prefix of their ids.
const Kind = "codex"

// Format is the stores of Codex.
var Format = store.Format{
	Kind:      Kind,
	Roots:     roots,
	Open:      open,
	Recognise: recognise,
	ReadFile:  readFile,
}

// roots is $CODEX_HOME, else ~/.codex, the same on every system.
func roots(env store.Env) []string {
	if dir := env.Getenv("CODEX_HOME"); dir != "" {
		return []string{dir}
	}
	if env.Home == "" {
		return nil
	}
	return []string{filepath.Join(env.Home, ".codex")}
}

// codexStore is one home, or a directory of rollouts.
type codexStore struct {
	root string
	home home
}

// open opens a home of Codex, its sessions or archived_sessions, or any directory
// with rollouts in it.
func open(root string, _ store.Env) (store.Store, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: root, Err: errors.New("not a directory")}
	}
	return &codexStore{root, home{root}}, nil
}

func (*codexStore) Kind() string   { return Kind }
func (s *codexStore) Root() string { return s.root }

func (s *codexStore) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	return read(ctx, s.home.ofFile(ref.Path), ref.Path, opts)
}

// ofFile is the home to read a file with: the names and the ancestors of a thread
// may lie above a root that is only a part of a home.
func (h *home) ofFile(path string) *home {
	if len(h.dirs()) == 1 && h.dirs()[0] == h.root {
		return homeOf(path)
	}
	return h
}

// Lookup finds a thread by the names of its rollouts: of several it is the newest.
// Where none has the name, rollouts with names that the agent does not write are
// looked into, and each that claims the id is given.
func (s *codexStore) Lookup(ctx context.Context, id string) ([]store.Ref, error) {
	var best file
	var unnamed []file
	var failed error
	for f, err := range s.home.files() {
		if cerr := ctx.Err(); cerr != nil {
			return nil, cerr
		}
		switch {
		case err != nil:
			failed = err
		case id == "":
		case f.thread == id:
			if best.path == "" || better(f, best) {
				best = f
			}
		case f.thread == "" && f.regular:
			unnamed = append(unnamed, f)
		}
	}
	if best.path != "" {
		return []store.Ref{{ID: Kind + ":" + id, Path: best.path}}, nil
	}
	var refs []store.Ref
	for _, f := range unnamed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if firstID(f.path) == id {
			refs = append(refs, store.Ref{ID: Kind + ":" + id, Path: f.path})
		}
	}
	if len(refs) > 0 {
		failed = nil
	}
	return refs, failed
}

// firstID is the id that a rollout's first line gives, else its name.
func firstID(path string) string {
	p, err := jsonl.ReadPeek(path)
	if err != nil {
		return ""
	}
	for rec := range form.Scan(p.Head, recordShape) {
		o := jsonl.Members(rec.Value)
		if rec.Index > 1 {
			break
		}
		if id := parseMeta(o).id; id != "" && own(rec, o, "") {
			return id
		}
	}
	return strings.TrimSuffix(stem(path), ".jsonl")
}

// recognise looks at the first record, in a packed file too. Of one whose first
// block is longer than what is looked at, only the name can be known.
func recognise(name string, packed []byte) bool {
	head := jsonl.UnpackHead(packed)
	if len(head) == 0 && len(packed) > 0 {
		_, ok := rolloutName(name)
		return ok
	}
	for rec := range form.Scan(head, recognised) {
		o := jsonl.Members(rec.Value)
		m := parseMeta(o)
		return m.known && (!m.bare || o["instructions"].Exists() || o["git"].Exists())
	}
	// A first line may be longer than what is looked at; it begins with its type.
	start := string(head[:min(len(head), 200)])
	return strings.Contains(start, `"session_meta"`) && strings.Contains(start, `"payload"`)
}

var recognised = jsonl.Shape{"type": nil, "timestamp": nil, "id": nil, "git": {}, "instructions": {}, "payload": {"id": nil}}
