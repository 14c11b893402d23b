package pi

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// Kind is the kind of these stores, and the prefix of their ids.
const Kind = "pi"

// Format is the stores of pi. A root is the agent's directory, its directory of
// sessions, or any directory with session files.
var Format = store.Format{
	Kind:  Kind,
	Roots: roots,
	Open: func(root string, _ store.Env) (store.Store, error) {
		info, err := os.Stat(root)
		if err == nil && !info.IsDir() {
			err = &fs.PathError{Op: "open", Path: root, Err: errors.New("not a directory")}
		}
		if err != nil {
			return nil, err
		}
		return piStore{root}, nil
	},
	Recognise: func(_ string, head []byte) bool {
		for rec := range jsonl.Scan(head, headShape) {
			return isHeader(jsonl.Members(rec.Value))
		}
		return false
	},
	ReadFile: readFile,
}

// isHeader tells pi's header from that of dsh, which has its time as createdAt.
func isHeader(o jsonl.Object) bool {
	return o.Text("type") == "session" && o.Text("id") != "" && o["timestamp"].Kind() == jstext.String
}

// roots are $PI_CODING_AGENT_SESSION_DIR, and $PI_CODING_AGENT_DIR, else
// ~/.pi/agent, on every system.
func roots(env store.Env) []string {
	home := env.Home
	if home == "" && env.GOOS == "windows" {
		home = env.Getenv("USERPROFILE")
	}
	expand := func(path string) string {
		if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
			return filepath.Join(home, rest)
		}
		return path
	}
	agent := expand(env.Getenv("PI_CODING_AGENT_DIR"))
	if agent == "" && home != "" {
		agent = filepath.Join(home, ".pi", "agent")
	}
	var out []string
	if agent != "" {
		out = append(out, agent)
	}
	if dir := expand(env.Getenv("PI_CODING_AGENT_SESSION_DIR")); dir != "" && !contains(agent, dir) {
		out = append(out, dir)
	}
	return out
}

// contains reports whether dir is one that a listing of the agent's directory covers
// already.
func contains(agent, dir string) bool {
	if agent == "" {
		return false
	}
	rel, err := filepath.Rel(agent, dir)
	if err != nil {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	return rel == "." || parts[0] == "sessions" && len(parts) <= 2
}

type piStore struct{ root string }

func (piStore) Kind() string   { return Kind }
func (s piStore) Root() string { return s.root }

func (piStore) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	return readFile(ctx, ref.Path, opts)
}

// dirs are the directories that hold session files: the root, where version 0.30.0
// put them by mistake and where a directory of one's own has them; the directory
// sessions, or else the root's own directories. Each comes once, also where links
// lead to it.
func (s piStore) dirs() (out []string, errs []error) {
	out = []string{s.root}
	base := s.root
	if dir := filepath.Join(s.root, "sessions"); isDir(dir) {
		base = dir
		out = append(out, dir)
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		return out, nil // said where its files are listed
	}
	// A directory's own name is better than a link to it.
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int {
		return cmp.Compare(a.Type()&os.ModeSymlink, b.Type()&os.ModeSymlink)
	})
	seen := make(map[string]bool)
	for _, d := range out {
		if real, err := filepath.EvalSymlinks(d); err == nil {
			seen[real] = true
		}
	}
	for _, e := range entries {
		path := filepath.Join(base, e.Name())
		if !e.IsDir() && e.Type()&os.ModeSymlink == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			errs = append(errs, jsonl.Unreadable(path, err))
			continue
		}
		if isDir(real) && !seen[real] {
			seen[real] = true
			out = append(out, path)
		}
	}
	return out, errs
}

// files are the paths of all files that may be sessions.
func (s piStore) files(ctx context.Context) (paths []string, errs []error) {
	dirs, errs := s.dirs()
	for _, dir := range dirs {
		if ctx.Err() != nil {
			break
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			errs = append(errs, jsonl.Unreadable(dir, err))
		}
		for _, e := range entries {
			if !e.IsDir() && filepath.Ext(e.Name()) == ".jsonl" {
				paths = append(paths, filepath.Join(dir, e.Name()))
			}
		}
	}
	return paths, errs
}

// List looks at the head and the tail of each file, several at a time. Of several
// files with one id the newest is listed.
func (s piStore) List(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		paths, errs := s.files(ctx)
		type listed struct {
			entry store.Entry
			err   error
		}
		all := jsonl.Each(ctx, paths, func(path string) listed {
			e, err := s.entry(path)
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
			} else if old, ok := newest[l.entry.ID]; l.entry.ID != "" && (!ok || l.entry.UpdatedAt > old.UpdatedAt) {
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

// Lookup finds a session by its file's name, <time>_<id>.jsonl; the header has the
// last word. Files with other names are looked into as well.
func (s piStore) Lookup(ctx context.Context, id string) ([]store.Ref, error) {
	if id == "" {
		return nil, nil
	}
	paths, errs := s.files(ctx)
	var best store.Entry
	for _, path := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, end, ok := cutLast(stemOf(path), "_"); ok && jsonl.IsUUID(end) && end != id {
			continue
		}
		e, err := s.entry(path)
		if err == nil && e.ID == Kind+":"+id && (best.ID == "" || e.UpdatedAt > best.UpdatedAt) {
			best = e
		}
	}
	if best.ID == "" {
		if len(errs) > 0 {
			return nil, errs[0]
		}
		return nil, nil
	}
	return []store.Ref{{ID: best.ID, Path: best.Path}}, nil
}

// entry is a file as it is listed; its ID is empty where it is none of pi's sessions.
func (s piStore) entry(path string) (store.Entry, error) {
	p, err := jsonl.ReadPeek(path)
	if err != nil {
		return store.Entry{}, err
	}
	var g glance
	for rec := range jsonl.Scan(p.Head, headShape) {
		if o := jsonl.Members(rec.Value); rec.Index == 0 && isHeader(o) {
			g.header = newHeader(o)
		} else if !g.header.found {
			break
		} else {
			g.see(o, p.Whole)
		}
	}
	if !g.header.found {
		if len(strings.TrimSpace(string(p.Head[:min(len(p.Head), 64)]))) == 0 {
			return store.Entry{}, nil // nothing in it yet
		}
		return store.Entry{}, noSession(path)
	}
	if !p.Whole {
		g.updated = 0
		for rec := range jsonl.Scan(p.Tail, headShape) {
			g.see(jsonl.Members(rec.Value), true)
		}
	}
	modified := p.ModTime.UnixMilli()
	e := store.Entry{
		ID: Kind + ":" + g.header.id, Title: g.name, Cwd: g.header.cwd,
		CreatedAt: cmp.Or(g.header.timestamp, modified), UpdatedAt: cmp.Or(g.updated, modified),
		Kind: Kind, Path: path, Root: s.root,
	}
	if from := g.header.parentID(); from != "" && from != g.header.id {
		e.CopiedFrom = Kind + ":" + from
	}
	if e.Title == nil && p.Whole {
		e.Title = transcript.Title(g.prompt)
	}
	return e, nil
}

// glance is what the head and the tail of a file tell.
type glance struct {
	header  header
	name    *string // the last one, where the end was seen
	prompt  string  // the first one
	updated int64   // time of the newest message
}

// see takes an entry; last tells whether what it says of the name is the last word.
func (g *glance) see(o jsonl.Object, last bool) {
	switch o.Text("type") {
	case "session_info":
		if name := strings.TrimSpace(o.Text("name")); name != "" && last {
			name = strings.Clone(name)
			g.name = &name
		}
	case "message":
		m := o.Object("message")
		g.updated = max(g.updated, millis(m), millis(o))
		if g.prompt == "" && roleKind(m) == user {
			g.prompt = typed(textOf(m["content"]))
		}
	}
}

// Title is the name that was given to the session, else the first prompt.
func (s piStore) Title(ctx context.Context, e store.Entry) (*string, error) {
	if e.Title != nil {
		return e.Title, nil
	}
	src, err := jsonl.Open(ctx, e.Path)
	if err != nil {
		return nil, err
	}
	return jsonl.Await(ctx, func() (*string, error) {
		defer src.Close()
		var g glance
		for rec, err := range src.Records(ctx, headShape) {
			if err != nil {
				return nil, err
			}
			g.see(jsonl.Members(rec.Value), true)
		}
		if g.name != nil {
			return g.name, nil
		}
		return transcript.Title(g.prompt), nil
	})
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
