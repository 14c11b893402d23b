package codex

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// readFile reads one rollout, wherever it lies. Where that is inside a home of
// Codex, names and ancestors are found there; else ancestors are looked for beside
// the file.
//
// A record's index is its seq, counted on through the ancestors of a fork, oldest
// first; a compaction takes one seq more for each item of its list. The session is
// captured through the last of them.
func readFile(ctx context.Context, path string, opts store.ReadOptions) (*store.Reading, error) {
	return read(ctx, homeOf(path), path, opts)
}

func read(ctx context.Context, h *home, path string, opts store.ReadOptions) (*store.Reading, error) {
	return jsonl.Read(ctx, path, func(src *jsonl.Source) (*store.Reading, error) {
		src.Form = &form
		g := &gathering{home: h, hash: opts.Hash}
		defer g.close()
		r, err := g.read(ctx, src)
		if err == nil && opts.Verify && g.missing != "" {
			return nil, &fault.Error{
				Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "base-missing", Subject: fmt.Sprintf("%q", path), Message: g.missing,
			}
		}
		return r, err
	})
}

// gathering is one reading: a rollout and the ancestors that it begins with,
// oldest first.
type gathering struct {
	home  *home
	hash  bool
	parts []*rollout
	srcs  []*jsonl.Source
	seqs  int64
	notes []string

	reverted int64 // ends of conversation that reverts left in older rollouts

	missing string // why what the rollout begins with is not there; empty where it is
}

// close closes the ancestors; the rollout itself is its opener's.
func (g *gathering) close() {
	for _, s := range g.srcs[:max(0, len(g.srcs)-1)] {
		s.Close()
	}
}

// maxAncestors bounds how far a fork of forks is followed.
const maxAncestors = 64

// read gathers the ops of all files, settles them, and fetches what is left.
func (g *gathering) read(ctx context.Context, src *jsonl.Source) (*store.Reading, error) {
	ends, err := g.ancestors(ctx, src)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	var ops []op
	for i, s := range g.srcs {
		if g.hash {
			s.Hash = sum
		}
		part, err := scan(ctx, s, i, g.seqs, ends[i])
		if err != nil {
			return nil, err
		}
		if part.short {
			g.miss("rollout %q ends before the place", filepath.Base(s.Path))
		}
		if thread, _ := rolloutName(s.Path); i+1 < len(g.srcs) && thread != "" {
			if next, _ := rolloutName(g.srcs[i+1].Path); next == thread { // reverted
				said, err := saidBehind(ctx, s.Path, ends[i])
				if err != nil {
					return nil, err
				}
				if said {
					g.reverted++
				}
			}
		}
		g.parts = append(g.parts, part)
		g.seqs += part.seqs
		ops = append(ops, part.ops...)
	}
	own := g.parts[len(g.parts)-1]
	if _, named := rolloutName(src.Path); !own.meta.known && (src.Count > 0 || src.Torn > 0 && !named) {
		return nil, notCodex(src.Path)
	}
	h := settle(ops)
	var b transcript.Builder
	sealed, err := g.build(ctx, &b, h)
	if err != nil {
		return nil, err
	}
	surface := b.Surface(own.id(), own.meta.created, own.meta.cwd, g.title(own), g.seqs)
	return &store.Reading{Surface: surface, Receipt: g.receipt(surface, own, h, sealed, sum)}, nil
}

func notCodex(path string) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "unknown-format", Subject: fmt.Sprintf("%q", path),
		Message: "has no record of a Codex session",
	}
}

// ancestors opens the files that src begins with, and src behind them, and returns
// where each was left. One that is missing is damage: it is noted, and what stands after
// it can still be read.
func (g *gathering) ancestors(ctx context.Context, src *jsonl.Source) ([]limit, error) {
	ends := []limit{noLimit}
	g.srcs = []*jsonl.Source{src}
	been := map[string]bool{src.Path: true}
	for range maxAncestors {
		m, err := firstMeta(ctx, g.srcs[0])
		if err != nil {
			return nil, err
		}
		if m.base.thread == "" {
			return ends, nil
		}
		path := g.home.ancestor(m.base.thread, g.srcs[0].Path, been)
		if path == "" {
			g.miss("there is no rollout %q", m.base.thread)
			return ends, nil
		}
		been[path] = true
		parent, err := jsonl.Open(ctx, path)
		if err != nil {
			g.miss("%v", err)
			return ends, nil
		}
		parent.Form = &form
		g.srcs = slices.Insert(g.srcs, 0, parent)
		ends = slices.Insert(ends, 0, m.base.end)
	}
	g.miss("too many forks of forks")
	return ends, nil
}

func (g *gathering) miss(format string, args ...any) {
	g.missing = "what came before the fork is missing: " + fmt.Sprintf(format, args...)
	g.notes = append(g.notes, g.missing)
}

// firstMeta is what the first line says, also where one that was cut off stands before
// it.
func firstMeta(ctx context.Context, src *jsonl.Source) (meta, error) {
	thread, _ := rolloutName(src.Path)
	for rec, err := range src.Records(ctx, recordShape) {
		if err != nil || rec.Index > 1 {
			return meta{}, err
		}
		if o := jsonl.Members(rec.Value); own(rec, o, thread) {
			return parseMeta(o), nil
		}
	}
	return meta{}, nil
}

// id is the thread's id with the kind before it: the one in the file's name, else
// the first line's, else the name.
func (r *rollout) id() string {
	id, _ := rolloutName(r.src.Path)
	if id = cmp.Or(id, r.meta.id); id == "" {
		id = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(r.src.Path), ".zst"), ".jsonl")
	}
	return Kind + ":" + id
}

// title is the thread's name, in the index or in the log.
func (g *gathering) title(own *rollout) *string {
	names := g.home.names()
	if name, ok := names[strings.TrimPrefix(own.id(), Kind+":")]; ok && name != "" {
		return &name
	}
	if own.name != "" {
		return &own.name
	}
	return nil
}

func (g *gathering) receipt(s *session.Surface, own *rollout, h history, sealed bool, sum hash.Hash) store.Receipt {
	r := store.Receipt{
		SessionID: s.Header.ID, Path: own.src.Path, Store: Kind, Format: own.format(),
		CapturedThroughSeq: s.CapturedThroughSeq, TornTail: own.src.Torn, DroppedBranches: h.dropped + g.reverted,
		Checkpoint: h.base != nil && (sealed || checkpointFirst(s)) || h.summary != nil, SealedCheckpoint: sealed, Notes: g.notes,
	}
	if g.missing != "" {
		r.DamagedRecords++ // what is missing of the conversation
	}
	for _, p := range g.parts {
		r.BytesRead += p.src.Size
		r.DamagedRecords += p.src.Damaged
	}
	if root := cmp.Or(g.parts[0].meta.root, strings.TrimPrefix(g.parts[0].id(), Kind+":")); root != "" {
		r.Lineage = Kind + ":" + root
	}
	if h.crossed {
		r.Notes = append(r.Notes, "a rollback went back over a compaction: the state before the turn that was dropped is given")
	}
	if sealed {
		r.Notes = append(r.Notes, "the summary of the last compaction is encrypted or empty: only what was kept beside it and what follows can be read")
	}
	r.Notes = append(r.Notes, jsonl.LostOf(own.src, g.srcs[:len(g.srcs)-1]...)...)
	if g.hash {
		r.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return r
}

func (r *rollout) format() string {
	f := "codex jsonl"
	if r.meta.bare {
		f = "codex bare jsonl"
	}
	if r.src.Packed {
		f += " zstd"
	}
	return f
}

func checkpointFirst(s *session.Surface) bool {
	return len(s.Events) > 0 && session.MessageOf(s.Events[0]).Checkpoint()
}

// fetchAll gets the lines of ops, each through f, in the order of their files.
func (g *gathering) fetchAll(ctx context.Context, ops []op, f func(o op, line jsonl.Object)) error {
	ops = slices.Clone(ops)
	slices.SortFunc(ops, func(a, b op) int { return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.span.Off, b.span.Off)) })
	for len(ops) > 0 {
		n := 1
		for n < len(ops) && ops[n].src == ops[0].src {
			n++
		}
		spans := make([]jsonl.Span, n)
		for i, o := range ops[:n] {
			spans[i] = o.span
		}
		i := 0
		for v, err := range g.srcs[ops[0].src].Fetch(ctx, recordShape, spans) {
			if err != nil {
				return err
			}
			f(ops[i], jsonl.Members(v))
			i++
		}
		ops = ops[n:]
	}
	return nil
}

// line is the text of one op.
type line struct {
	text string
	time int64
}

// build makes the conversation of what is left. sealed reports that it was
// compacted and that no summary can be read.
func (g *gathering) build(ctx context.Context, b *transcript.Builder, h history) (sealed bool, err error) {
	wanted := slices.Clone(h.rest)
	if h.base != nil {
		wanted = append(wanted, *h.base)
	}
	if h.summary != nil {
		wanted = append(wanted, *h.summary)
	}
	lines := make(map[int64]line, len(wanted)) // by seq
	var list replaced
	err = g.fetchAll(ctx, wanted, func(o op, l jsonl.Object) {
		if o.kind == compact {
			list = readList(l, o.cut)
			return
		}
		lines[o.seq] = line{opText(o, l, g.parts[o.src].meta.bare), l.Millis("timestamp")}
	})
	if err != nil {
		return false, err
	}
	switch {
	case h.summary != nil:
		sealed = !b.Checkpoint(h.summary.seq, lines[h.summary.seq].time, lines[h.summary.seq].text)
	case h.base != nil && list.compacted:
		sealed = !b.Checkpoint(h.base.seq, list.time, list.summary)
	}
	for _, it := range list.items {
		if it.answer && !h.promptsOnly {
			b.Assistant(h.base.seq+1+it.at, list.time, it.text, "", "")
		} else if !it.answer {
			b.User(h.base.seq+1+it.at, list.time, it.text)
		}
	}
	for _, o := range h.rest {
		if l := lines[o.seq]; o.kind == answer {
			b.Assistant(o.seq, l.time, l.text, "", "")
		} else {
			b.User(o.seq, l.time, l.text)
		}
	}
	return sealed, nil
}

// opText is the text of a prompt, an answer or a summary.
func opText(o op, l jsonl.Object, bare bool) string {
	payload := l.Object("payload")
	content := payload["content"]
	m := lineMarks(l, payload)
	switch {
	case o.kind == compress:
		return summaryText(payload.Text("message"))
	case o.origin == ofEvent:
		content = payload["message"]
	case o.origin == ofItem:
		content = itemContent(payload.Object("item"))
	case bare && content.Kind() == jstext.Absent:
		content, m = l["content"], lineMarks(jsonl.Object{}, l)
	}
	switch o.kind {
	case answer:
		return joined(pieces(content))
	case handover:
		return summaryText(joined(pieces(content)))
	}
	text, _ := userText(content, m)
	return text
}
