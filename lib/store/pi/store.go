package pi

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/headcache"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Kind is the prefix of ids.
const Kind = "pi"

// Format is pi's store: the agent's directory, or its sessions directory alone.
var Format = store.Format{
	Kind: Kind, Roots: roots, Open: open, Recognise: recognise, ReadFile: readFile,
}

// roots is the same on every system: pi keeps everything below one dot directory. A
// directory of sessions inside that is listed with it.
func roots(env store.Env) []string {
	agent := expand(env.Getenv("PI_CODING_AGENT_DIR"), env.Home)
	if agent == "" && env.Home != "" {
		agent = filepath.Join(env.Home, ".pi", "agent")
	}
	var out []string
	if dir := expand(env.Getenv("PI_CODING_AGENT_SESSION_DIR"), env.Home); dir != "" && !covers(agent, dir) {
		out = append(out, dir)
	}
	if agent != "" {
		out = append(out, agent)
	}
	return out
}

// covers reports whether a listing of the agent's directory has the files of dir.
func covers(agent, dir string) bool {
	rel, err := filepath.Rel(agent, dir)
	if err != nil || agent == "" {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	return rel == "." || parts[0] != ".." && len(parts) == 1 || parts[0] == "sessions" && len(parts) == 2
}

func expand(dir, home string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && home != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return filepath.Join(home, rest)
	}
	return dir
}

type piStore struct {
	root   string
	titles *headcache.Cache
}

func (*piStore) Kind() string   { return Kind }
func (s *piStore) Root() string { return s.root }

func (s *piStore) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	return readFile(ctx, ref.Path, opts)
}

// Title is the title of the listing, or, for a file whose body has to be looked into,
// the last name in it, else its first prompt.
func (s *piStore) Title(ctx context.Context, e store.Entry) (*string, error) {
	if e.Title != nil {
		return e.Title, nil
	}
	return s.titles.Title(e.Path, func() (*string, error) {
		return jsonl.Await(ctx, func() (*string, error) { return titleOf(ctx, e.Path) })
	})
}

// Flush writes down what titles have taught the cache.
func (s *piStore) Flush() { s.titles.Save() }

// Lookup finds a session by the id in its header. The name of a file ends in that
// id, so those are looked into first, and the others only if none fits.
func (s *piStore) Lookup(ctx context.Context, id string) ([]store.Ref, error) {
	var others []string
	var refs []store.Ref
	var failed error
	take := func(path string) {
		if h, err := headerOf(path); err == nil && h.id == id {
			refs = append(refs, store.Ref{ID: Kind + ":" + id, Path: path})
		}
	}
	for path, err := range s.files() {
		switch {
		case err != nil:
			failed = err
		case strings.HasSuffix(path, "_"+id+".jsonl"):
			take(path)
		default:
			others = append(others, path)
		}
	}
	if len(refs) > 0 {
		return s.newest(refs), nil
	}
	for _, path := range others {
		if ctx.Err() != nil {
			return nil, fault.Of(ctx.Err())
		}
		take(path)
	}
	if len(refs) > 0 {
		failed = nil
	}
	return s.newest(refs), failed
}

// newest keeps one of several files of one session, the last that was written to, as
// List does: a copy that went on elsewhere.
func (s *piStore) newest(refs []store.Ref) []store.Ref {
	if len(refs) < 2 {
		return refs
	}
	return []store.Ref{slices.MaxFunc(refs, func(a, b store.Ref) int {
		x, _ := s.entry(a.Path)
		y, _ := s.entry(b.Path)
		return cmp.Compare(x.UpdatedAt, y.UpdatedAt)
	})}
}

// List looks at the head and the tail of each file, several at a time.
func (s *piStore) List(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var paths []string
		for path, err := range s.files() {
			if err != nil {
				if !yield(store.Entry{}, err) {
					return
				}
				continue
			}
			paths = append(paths, path)
		}
		type listed struct {
			store.Entry
			err error
		}
		all := jsonl.Each(ctx, paths, func(path string) listed {
			e, err := s.entry(path)
			return listed{e, err}
		})
		if err := ctx.Err(); err != nil {
			yield(store.Entry{}, fault.Of(err))
			return
		}
		newest := make(map[string]store.Entry)
		for _, e := range all {
			switch old, known := newest[e.ID]; {
			case e.err != nil:
				if !yield(store.Entry{}, e.err) {
					return
				}
			case e.ID != "" && (!known || e.UpdatedAt > old.UpdatedAt):
				newest[e.ID] = e.Entry
			}
		}
		for _, e := range newest {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// recognise looks for pi's header: {"type":"session"} with a time in words, where
// dsh's has a number.
func recognise(name string, head []byte) bool {
	_, ok := headerIn(head, name)
	return ok
}
