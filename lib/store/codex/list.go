package codex

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// List looks at the head and the tail of each rollout, several at a time. Threads
// that another thread started are not listed, nor those in which nobody has said
// anything yet.
func (s *codexStore) List(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		files, errs := s.threads(ctx)
		for _, err := range errs {
			if !yield(store.Entry{}, err) {
				return
			}
		}
		type result struct {
			e   store.Entry
			err error
		}
		names := s.home.ofRoot().names()
		named := make(map[string]bool)
		threads := s.segments(ctx)
		for _, f := range files {
			named[Kind+":"+f.thread] = f.thread != ""
		}
		all := jsonl.Each(ctx, files, func(f file) result {
			e, err := s.entry(f, names)
			if from, ok := threads[e.CopiedFrom]; ok {
				e.CopiedFrom = from
			}
			if e.CopiedFrom == e.ID {
				e.CopiedFrom = "" // it was reverted
			}
			if f.thread == "" && named[e.ID] {
				e = store.Entry{} // somebody's copy of a thread that lies there under its own name
			}
			return result{e, err}
		})
		if err := ctx.Err(); err != nil {
			yield(store.Entry{}, fault.Of(err))
			return
		}
		for _, r := range all {
			if r.e.ID == "" && r.err == nil {
				continue
			}
			if !yield(r.e, r.err) {
				return
			}
		}
	}
}

// ofRoot is the home whose index names the threads below the store's root.
func (h *home) ofRoot() *home { return h.ofFile(h.root + "/x") }

// threads are the regular rollouts, the one that counts of each thread.
func (s *codexStore) threads(ctx context.Context) (files []file, errs []error) {
	at := make(map[string]int)
	for f, err := range s.home.files() {
		if ctx.Err() != nil {
			return nil, nil
		}
		switch i, ok := at[f.thread]; {
		case err != nil:
			errs = append(errs, err)
		case !f.regular:
		case f.thread == "" || !ok:
			if f.thread != "" {
				at[f.thread] = len(files)
			}
			files = append(files, f)
		case better(f, files[i]):
			files[i] = f
		}
	}
	return files, errs
}

// Title is the title of the listing; List has looked it up already.
func (s *codexStore) Title(_ context.Context, e store.Entry) (*string, error) {
	if e.Title != nil {
		return e.Title, nil
	}
	thread, _ := rolloutName(e.Path)
	now, err := s.entry(file{path: e.Path, thread: thread}, s.home.ofRoot().names())
	return now.Title, err
}

// How far a listing reads where the first prompt is not in the head: the base
// instructions of the first line alone can be longer. Codex itself gives up after
// as many records.
const (
	deepPeek    = 16 << 20 // a picture is inline
	deepRecords = 210
)

// entry is what the head and the tail of a rollout tell; its ID is empty where it
// is not to be listed.
func (s *codexStore) entry(f file, names map[string]string) (store.Entry, error) {
	p, err := jsonl.ReadPeek(f.path)
	if err != nil {
		return store.Entry{}, err
	}
	defer p.Release()
	g := glance{thread: f.thread}
	for rec := range form.Scan(p.Head, recordShape) {
		if g.add(rec); g.done() {
			break
		}
	}
	whole := p.Whole
	if !g.done() && !whole {
		whole = g.deep(f.path)
	}
	switch {
	case p.Size == 0 || whole && g.records == 0 && !bytes.Contains(p.Head, []byte{'\n'}):
		return store.Entry{}, nil // just made
	case !g.r.meta.known:
		return store.Entry{}, unlisted(f.path)
	case g.r.meta.subagent:
		return store.Entry{}, nil
	}
	g.lastName(p.Head)
	g.lastName(p.Tail)
	id := cmp.Or(f.thread, g.r.meta.id)
	title := g.title(names[id])
	otherCwds := g.otherCwds(p.Tail)
	if id == "" || title == nil && whole && !g.spoken {
		return store.Entry{}, nil
	}
	e := store.Entry{
		ID: Kind + ":" + id, Title: title, Cwd: g.r.meta.cwd, OtherCwds: otherCwds, Archived: f.archived,
		CreatedAt: cmp.Or(g.r.meta.created, p.ModTime.UnixMilli()), UpdatedAt: p.ModTime.UnixMilli(),
		Kind: Kind, Path: f.path, Root: s.root,
	}
	if from := cmp.Or(g.r.meta.forkedFrom, g.r.meta.base.thread); from != "" && from != id {
		e.CopiedFrom = Kind + ":" + from
	}
	return e, nil
}

// segments are the threads of the rollouts that reverts have begun, by their own ids,
// both with the kind before them.
func (s *codexStore) segments(ctx context.Context) map[string]string {
	out := make(map[string]string)
	for f, err := range s.home.files() {
		if ctx.Err() != nil {
			break
		}
		if err == nil && f.segment != f.thread {
			out[Kind+":"+f.segment] = Kind + ":" + f.thread
		}
	}
	return out
}

// unlisted says why a rollout is not shown: it has no record of Codex.
func unlisted(path string) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "unknown-format", Subject: fmt.Sprintf("%q", path),
		Message: "has no record of a Codex session: not listed",
	}
}

// glance gathers what a listing shows, with the rules of a reading.
type glance struct {
	r       rollout
	thread  string // by the file's name
	records int
	prompt  string // the first one
	event   string // the first one, in events
	spoken  bool   // there is a prompt, though it may be a snapshot alone
	seen    int    // ops looked at

	pictured bool   // there is a prompt that is a picture alone
	answer   string // the first one behind that
}

func (g *glance) done() bool {
	return g.prompt != "" && g.r.meta.cwd != nil || g.r.meta.subagent || g.records > 0 && !g.r.meta.known
}

func (g *glance) add(rec jsonl.Record) {
	o := jsonl.Members(rec.Value)
	g.records++
	g.r.begin(rec, o, g.thread)
	g.r.line(o, op{})
	for ; g.seen < len(g.r.ops); g.seen++ {
		if p := g.r.ops[g.seen]; p.kind == prompt && (p.origin == ofResponse && g.prompt == "" || p.origin != ofResponse && g.event == "") {
			text := opText(p, o, g.r.meta.bare)
			g.spoken = g.spoken || text != ""
			text = transcript.Request(text)
			if p.origin == ofResponse {
				g.prompt = text
			} else {
				g.event = text
			}
		}
		g.picture(g.r.ops[g.seen], o)
	}
}

// picture looks for a prompt that is a picture alone, and for the answer to it.
func (g *glance) picture(p op, o jsonl.Object) {
	switch {
	case p.kind == edge && p.origin != both && showsPicture(p, o, g.r.meta.bare):
		g.pictured = true
	case p.kind == answer && g.pictured && g.answer == "":
		g.answer = opText(p, o, g.r.meta.bare)
	}
}

// deep starts again and looks further. It reports whether that was all there is.
func (g *glance) deep(path string) (whole bool) {
	src, err := jsonl.Open(context.Background(), path)
	if err != nil {
		return false
	}
	defer src.Close()
	src.Form = &form
	if !src.Packed && src.Size > deepPeek {
		src.Size = deepPeek
	} else {
		whole = true
	}
	*g = glance{thread: g.thread}
	for rec, err := range src.Records(context.Background(), recordShape) {
		if err != nil || rec.Off > deepPeek || g.records > deepRecords {
			return false
		}
		if g.add(rec); g.done() {
			return false
		}
	}
	return whole
}

// lastName takes the last name that a piece of the log gives the thread.
func (g *glance) lastName(b []byte) {
	mark := []byte(`"thread_name_updated"`)
	if !bytes.Contains(b, mark) {
		return
	}
	for line := range jsonl.Lines(b) {
		if bytes.Contains(line, mark) {
			for rec := range form.Scan(line, recordShape) {
				g.r.line(jsonl.Members(rec.Value), op{})
			}
		}
	}
}

// otherCwds are the directories that turns ran in besides the thread's own, as far
// as the tail tells.
func (g *glance) otherCwds(tail []byte) []string {
	mark := []byte(`"turn_context"`)
	for line := range jsonl.Lines(tail) {
		if bytes.Contains(line, mark) {
			for rec := range form.Scan(line, recordShape) {
				g.r.line(jsonl.Members(rec.Value), op{})
			}
		}
	}
	if g.r.meta.cwd == nil && len(g.r.meta.cwds) > 0 {
		g.r.meta.cwd = &g.r.meta.cwds[0] // the first record, which names it, is damaged
		g.r.meta.cwds = g.r.meta.cwds[1:]
	}
	return slices.DeleteFunc(g.r.meta.cwds, func(dir string) bool { return g.r.meta.cwd != nil && dir == *g.r.meta.cwd })
}

// title is the thread's name, else its first prompt.
func (g *glance) title(name string) *string {
	if name = cmp.Or(name, g.r.name); name != "" {
		return &name
	}
	if title := transcript.Title(cmp.Or(g.prompt, g.event)); title != nil || !g.pictured {
		return title
	}
	return transcript.Pictured(g.answer)
}
