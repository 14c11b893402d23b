package gemini

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/headcache"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// Kind is the kind of these stores, and the prefix of their ids.
const Kind = "gemini"

// Format is the stores of Gemini CLI. A root is .gemini, the home above it, its tmp,
// or the directory of one project.
var Format = store.Format{
	Kind:  Kind,
	Roots: roots,
	Open: func(root string, env store.Env) (store.Store, error) {
		info, err := os.Stat(root)
		if err == nil && !info.IsDir() {
			err = &fs.PathError{Op: "open", Path: root, Err: fmt.Errorf("not a directory")}
		}
		if err != nil {
			return nil, err
		}
		return geminiStore{root, headcache.ForRoot(env.CacheDir, Kind, root)}, nil
	},
	Recognise: recognise,
	ReadFile:  readFile,
}

type geminiStore struct {
	root   string
	titles *headcache.Cache
}

func (geminiStore) Kind() string   { return Kind }
func (s geminiStore) Root() string { return s.root }

func (geminiStore) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	return readFile(ctx, ref.Path, opts)
}

// List looks at the head and the tail of each file, several at a time. Of several
// files of one session, which resuming an older one makes, the newest is listed.
// Sessions without a message are not, and neither are subagents'.
func (s geminiStore) List(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		paths, errs := s.files(ctx)
		type listed struct {
			entry store.Entry
			err   error
		}
		dirs := new(directories)
		all := jsonl.Each(ctx, paths, func(path string) listed {
			e, err := s.entry(path, dirs)
			return listed{e, err}
		})
		if ctx.Err() != nil {
			yield(store.Entry{}, fault.Of(ctx.Err()))
			return
		}
		newest := make(map[string]store.Entry)
		for _, l := range all {
			if l.err != nil {
				errs = append(errs, l.err)
			} else if old, ok := newest[l.entry.ID]; l.entry.ID != "" && (!ok || newer(l.entry, old)) {
				newest[l.entry.ID] = l.entry
			}
		}
		for _, err := range errs {
			if !yield(store.Entry{}, err) {
				return
			}
		}
		for _, e := range newest {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// newer prefers the later file, and of equals the one of lines, which is what the
// agent goes on with.
func newer(a, b store.Entry) bool {
	return cmp.Or(cmp.Compare(a.UpdatedAt, b.UpdatedAt), cmp.Compare(len(a.Path), len(b.Path)), strings.Compare(b.Path, a.Path)) > 0
}

func (s geminiStore) files(ctx context.Context) (paths []string, errs []error) {
	for project, err := range projects(s.root) {
		if ctx.Err() != nil {
			break
		}
		var found []string
		if err == nil {
			found, err = sessionFiles(project)
		}
		if err != nil {
			errs = append(errs, err)
		}
		paths = append(paths, found...)
	}
	return paths, errs
}

// Lookup finds a session by the beginning of its id, which its files' names end
// with; the files say the rest. Files with names made differently are looked into as
// well, and only where none of these is the session all others: ids of other agents
// are asked for here too.
func (s geminiStore) Lookup(ctx context.Context, id string) ([]store.Ref, error) {
	if id == "" {
		return nil, nil
	}
	paths, errs := s.files(ctx)
	var likely, others []string
	for _, path := range paths {
		if end, ok := idEnd(stem(path)); ok && !strings.HasPrefix(id, end) && id != stem(path) {
			others = append(others, path)
		} else {
			likely = append(likely, path)
		}
	}
	best, err := s.newestOf(ctx, likely, id)
	if best.ID == "" && err == nil && jsonl.IsUUID(id) {
		best, err = s.newestOf(ctx, others, id)
	}
	if err != nil {
		return nil, err
	}
	if best.ID == "" {
		if len(errs) > 0 {
			return nil, errs[0]
		}
		return nil, nil
	}
	return []store.Ref{{ID: best.ID, Path: best.Path}}, nil
}

// newestOf is the newest of the files that hold the session id; its ID is empty
// where none does.
func (s geminiStore) newestOf(ctx context.Context, paths []string, id string) (best store.Entry, err error) {
	for _, path := range paths {
		if ctx.Err() != nil {
			return store.Entry{}, ctx.Err()
		}
		e, err := s.entry(path, new(directories))
		if err == nil && e.ID == Kind+":"+id && (best.ID == "" || newer(e, best)) {
			best = e
		}
	}
	return best, nil
}

// idEnd is the piece of the id at the end of a file's name session-<time>-<8>; not ok
// where the name is made differently.
func idEnd(stem string) (string, bool) {
	const pattern = "session-2006-01-02T15-04-"
	if len(stem) != len(pattern)+8 || stem[len(pattern)-1] != '-' {
		return "", false
	}
	return stem[len(pattern):], true
}

// startedByName is the time in a file's name, session-<time>-<8>; 0 where the name is
// made differently.
func startedByName(path string) int64 {
	name := stem(path)
	if _, ok := idEnd(name); !ok {
		return 0
	}
	t, err := time.Parse("session-2006-01-02T15-04", name[:len(name)-9])
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// recognise looks for the metadata, or, where the first record is damaged, for another
// record in a file that has the name of a recording.
func recognise(name string, head []byte) bool {
	v := jsonl.Prefix(head, metaShape)
	if v.Get("sessionId").Kind() == jstext.String && v.Get("projectHash").Kind() == jstext.String {
		return true
	}
	if !isSessionName(filepath.Base(name)) || filepath.Ext(name) != ".jsonl" {
		return false
	}
	for rec := range form.Scan(head, form.Shape) {
		return isRecord(rec.Value)
	}
	return false
}

// Title is the summary that the agent made, else the first prompt.
func (s geminiStore) Title(ctx context.Context, e store.Entry) (*string, error) {
	if e.Title != nil {
		return e.Title, nil
	}
	return s.titles.Title(e.Path, func() (*string, error) { return titleOf(ctx, e.Path) })
}

// Flush writes down what titles have taught the cache.
func (s geminiStore) Flush() { s.titles.Save() }

// titleOf looks for a title in all of a file.
func titleOf(ctx context.Context, path string) (*string, error) {
	var o transcript.Opening
	r, err := jsonl.Read(ctx, path, func(src *jsonl.Source) (*store.Reading, error) {
		r, err := read(ctx, src, store.ReadOptions{})
		if err != nil {
			return nil, err
		}
		o = r.opening()
		return r.finished, nil
	})
	if err != nil {
		return nil, err
	}
	if r.Surface.Title != nil {
		return r.Surface.Title, nil
	}
	if g, err := glanceAt(path); err == nil && g.prompt != "" {
		return transcript.Title(g.prompt), nil
	}
	return o.Title(), nil
}

// opening takes what the session says to its title.
func (r *reading) opening() (o transcript.Opening) {
	for _, s := range r.said {
		switch {
		case s.snapshot:
		case s.user:
			o.Prompt(s.text, s.picture)
		default:
			o.Answer(s.text)
		}
	}
	return o
}
