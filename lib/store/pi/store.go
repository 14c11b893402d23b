package pi

import (
	"context"
	"iter"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Kind is the prefix of ids.
const Kind = "pi"

// Format is pi's store: the agent's directory, or its sessions directory alone.
var Format = store.Format{
	Kind: Kind, Roots: roots, Open: open, Recognise: recognise, ReadFile: readFile,
}

// roots is the same on every system: pi keeps everything below one dot directory.
func roots(env store.Env) []string {
	var out []string
	for _, name := range []string{"PI_CODING_AGENT_SESSION_DIR", "PI_CODING_AGENT_DIR"} {
		if dir := expand(env.Getenv(name), env.Home); dir != "" {
			out = append(out, dir)
		}
	}
	if env.Home != "" && env.Getenv("PI_CODING_AGENT_DIR") == "" {
		out = append(out, filepath.Join(env.Home, ".pi", "agent"))
	}
	return out
}

func expand(dir, home string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && home != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return filepath.Join(home, rest)
	}
	return dir
}

type piStore struct{ root string }

func (*piStore) Kind() string   { return Kind }
func (s *piStore) Root() string { return s.root }

func (s *piStore) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	return readFile(ctx, ref.Path, opts)
}

// Title is the title of the listing, which has looked it up already.
func (s *piStore) Title(_ context.Context, e store.Entry) (*string, error) {
	if e.Title != nil {
		return e.Title, nil
	}
	now, err := s.entry(e.Path)
	return now.Title, err
}

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
		return refs, nil
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
	return refs, failed
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
		for _, e := range all {
			if e.ID == "" && e.err == nil {
				continue // no session
			}
			if !yield(e.Entry, e.err) {
				return
			}
		}
	}
}

// recognise looks for pi's header: {"type":"session"} with a time in words, where
// dsh's has a number.
func recognise(_ string, head []byte) bool {
	for rec := range jsonl.Scan(head, headerShape) {
		_, ok := parseHeader(rec.Value)
		return ok
	}
	return false
}
