package pi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

func readFile(ctx context.Context, path string, opts store.ReadOptions) (*store.Reading, error) {
	src, err := jsonl.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	// The file system may hang where ctx cannot reach it.
	return jsonl.Await(ctx, func() (*store.Reading, error) {
		defer src.Close()
		return read(ctx, src, opts)
	})
}

func read(ctx context.Context, src *jsonl.Source, opts store.ReadOptions) (*store.Reading, error) {
	var sum hash.Hash
	if opts.Hash {
		sum = sha256.New()
		src.Hash = sum
	}
	var t tree
	for rec, err := range src.Records(ctx, factShape) {
		if err != nil {
			return nil, err
		}
		t.add(rec)
	}
	if !t.header.found && len(t.entries) == 0 {
		return nil, noSession(src.Path)
	}
	path := t.path()
	v := t.visible(path)
	texts, err := t.fetch(ctx, src, v)
	if err != nil {
		return nil, err
	}
	c := conversation{tree: &t, texts: texts}
	c.build(v)
	r := c.finish(src, t.left(path))
	if sum != nil {
		r.Receipt.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return r, nil
}

func noSession(path string) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "no-header", Subject: fmt.Sprintf("%q", path),
		Message: "does not begin with a session's header",
	}
}

// fetch takes the texts of what is visible, by the index of the entry.
func (t *tree) fetch(ctx context.Context, src *jsonl.Source, v view) (map[int]jsonl.Object, error) {
	wanted := slices.Concat(v.kept, v.after)
	if v.compaction >= 0 {
		wanted = append(wanted, v.compaction)
	}
	slices.Sort(wanted) // the order of the file
	spans := make([]jsonl.Span, len(wanted))
	for i, e := range wanted {
		spans[i] = t.entries[e].span
	}
	texts := make(map[int]jsonl.Object, len(wanted))
	n := 0
	for value, err := range src.Fetch(ctx, textShape, spans) {
		if err != nil {
			return nil, err
		}
		texts[wanted[n]] = jsonl.Members(value)
		n++
	}
	return texts, nil
}

// conversation makes the surface.
type conversation struct {
	*tree
	transcript.Builder
	texts             map[int]jsonl.Object
	compacted, sealed bool
}

func (c *conversation) build(v view) {
	if v.compaction >= 0 {
		c.compact(v)
	}
	for _, i := range v.after {
		c.entry(i)
	}
}

// compact adds a compaction's summary and what it keeps: the messages that it retains
// itself, else those that it points to.
func (c *conversation) compact(v view) {
	c.compacted = true
	o := c.texts[v.compaction]
	at := c.entries[v.compaction].rec
	tail := o["retainedTail"]
	first := at
	switch {
	case tail.Kind() == jstext.Array:
		v.kept = nil
		first = max(at-int64(tail.Len()), 0)
	case len(v.kept) > 0:
		first = c.entries[v.kept[0]].rec - 1
	}
	c.sealed = !c.Checkpoint(first, millis(o), o.Text("summary"))
	for m := range tail.Elements() {
		first++
		retained := jsonl.Members(m)
		if inner, ok := retained["message"]; ok {
			retained = jsonl.Members(inner)
		}
		c.message(first, millis(retained), retained)
	}
	for _, i := range v.kept {
		c.entry(i)
	}
}

func (c *conversation) entry(i int) {
	o := c.texts[i]
	m := o.Object("message")
	c.message(c.entries[i].rec, cmp.Or(millis(m), millis(o)), m)
}

func (c *conversation) message(rec, time int64, m jsonl.Object) {
	switch roleKind(m) {
	case user:
		c.User(rec, time, typed(textOf(m["content"])))
	case assistant:
		c.Assistant(rec, time, textOf(m["content"]), m.Text("provider"), m.Text("model"))
	}
}

func (c *conversation) finish(src *jsonl.Source, left int64) *store.Reading {
	h := c.header
	id := Kind + ":" + cmp.Or(h.id, idOfName(src.Path))
	surface := c.Surface(id, h.timestamp, h.cwd, c.name, src.Count)
	r := store.Receipt{
		SessionID: id, Path: src.Path, Store: Kind, Format: fmt.Sprintf("pi jsonl v%d", max(h.version, 1)),
		CapturedThroughSeq: surface.CapturedThroughSeq, BytesRead: src.Size,
		TornTail: src.Torn, DamagedRecords: src.Damaged, DroppedBranches: left,
		Checkpoint: c.compacted, SealedCheckpoint: c.sealed,
	}
	if c.root != "" {
		r.Lineage = Kind + ":" + c.root
	}
	note := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	if h.version > newestVersion {
		note("session version %d is newer than what was checked (%d)", h.version, newestVersion)
	}
	if !h.found {
		note("the session's header is missing: its id is taken from the file's name")
	}
	if c.bridged > 0 {
		note("%d entries name a parent that is not in the file: the line before each was taken for it", c.bridged)
	}
	return &store.Reading{Surface: surface, Receipt: r}
}

// idOfName is the id in a file's name, <time>_<id>.jsonl.
func idOfName(path string) string {
	stem := stemOf(path)
	if _, id, ok := cutLast(stem, "_"); ok {
		return id
	}
	return stem
}

func stemOf(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(name, ".jsonl")
}
