package pi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

func readFile(ctx context.Context, path string, opts store.ReadOptions) (*store.Reading, error) {
	return jsonl.Read(ctx, path, func(src *jsonl.Source) (*store.Reading, error) {
		src.Form = &form
		return reading(ctx, src, opts)
	})
}

// reading goes over the file twice: once for the tree, and then for the texts that
// are on the current path and not compacted away.
func reading(ctx context.Context, src *jsonl.Source, opts store.ReadOptions) (*store.Reading, error) {
	hash := sha256.New()
	if opts.Hash {
		src.Hash = hash
	}
	t, err := scan(ctx, src)
	if err != nil {
		return nil, err
	}
	if !t.ok {
		return nil, notPi(src.Path)
	}
	p := t.path()
	b := &builder{tree: t}
	if err := b.build(ctx, src, t.visible(p)); err != nil {
		return nil, err
	}
	var title *string
	if t.name != "" {
		title = &t.name
	}
	surface := b.text.Surface(Kind+":"+t.header.id, t.header.created, t.header.cwd, title, src.Count)
	r := store.Receipt{
		SessionID: surface.Header.ID, Path: src.Path, Store: Kind, Format: "pi jsonl",
		CapturedThroughSeq: surface.CapturedThroughSeq, BytesRead: src.Size,
		TornTail: src.Torn, DamagedRecords: src.Damaged, DroppedBranches: p.dropped,
		Checkpoint: b.compacted, SealedCheckpoint: b.sealed, Lineage: t.lineage, Notes: notes(p, b.sealed),
	}
	if v := t.header.version; v > newestVersion {
		r.Notes = append(r.Notes, fmt.Sprintf("session version %d is newer than what was checked (%d)", v, newestVersion))
	}
	r.Notes = append(r.Notes, jsonl.LostOf(src)...)
	if opts.Hash {
		r.SHA256 = hex.EncodeToString(hash.Sum(nil))
	}
	return &store.Reading{Surface: surface, Receipt: r}, nil
}

func notes(p path, sealed bool) (out []string) {
	if p.repaired > 0 {
		out = append(out, fmt.Sprintf("parents that are not in the file: %d; the entries before them were taken for them", p.repaired))
	}
	if p.circled > 0 {
		out = append(out, transcript.Circle(p.circled))
	}
	if sealed {
		out = append(out, "the summary of the last compaction is empty: what it replaced cannot be shown")
	}
	return out
}

func notPi(path string) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "unknown-format", Subject: fmt.Sprintf("%q", path),
		Message: "does not begin with the header of a pi session",
	}
}

// builder puts the visible entries into a transcript.
type builder struct {
	tree      *tree
	text      transcript.Builder
	compacted bool
	sealed    bool
}

var textShape = jsonl.Shape{
	"summary": nil, "message": messageShape,
	"retainedTail": {"id": nil, "message": messageShape, "role": nil, "stopReason": nil, "content": {"type": nil, "text": nil}},
}

var messageShape = jsonl.Shape{
	"role": nil, "stopReason": nil, "provider": nil, "model": nil, "content": {"type": nil, "text": nil},
}

func (b *builder) build(ctx context.Context, src *jsonl.Source, visible []int) error {
	visible = slices.DeleteFunc(slices.Clone(visible), func(at int) bool { return b.tree.entries[at].kind == other })
	// Texts are fetched in the order of the file; the checkpoint stands later in it
	// than what it kept.
	order := slices.Sorted(slices.Values(visible))
	spans := make([]jsonl.Span, len(order))
	for i, at := range order {
		spans[i] = b.tree.entries[at].Span
	}
	texts := make(map[int]jstext.Value, len(order))
	i := 0
	for v, err := range src.Fetch(ctx, textShape, spans) {
		if err != nil {
			return err
		}
		texts[order[i]] = v
		i++
	}
	for i, at := range visible {
		e, v := b.tree.entries[at], texts[at]
		switch {
		case e.kind == compaction && i == 0:
			b.checkpoint(e, v)
		case e.kind != compaction: // an earlier summary does not come back
			b.message(e, v.Get("message"))
		}
	}
	return nil
}

func (b *builder) checkpoint(e entry, v jstext.Value) {
	b.compacted = true
	summary, _ := v.Get("summary").Text()
	b.sealed = !b.text.Checkpoint(e.index, e.time, summary)
	for m := range v.Get("retainedTail").Elements() {
		if inner := m.Get("message"); inner.Exists() {
			m = inner
		}
		kept := e
		kept.kind = messageKind(m)
		b.message(kept, m)
	}
}

func (b *builder) message(e entry, m jstext.Value) {
	text := transcript.Join(blocks(m.Get("content")))
	switch e.kind {
	case userMessage:
		b.text.User(e.index, e.time, typed(text))
	case answer:
		provider, _ := m.Get("provider").Text()
		model, _ := m.Get("model").Text()
		b.text.Assistant(e.index, e.time, text, provider, model)
	}
}

// blocks are the texts of a content: a string, or blocks of which some are text.
func blocks(content jstext.Value) (out []string) {
	if s, ok := content.Text(); ok {
		return []string{s}
	}
	for b := range content.Elements() {
		if s, ok := b.Get("text").Text(); ok && b.Get("type").Is("text") {
			out = append(out, s)
		}
	}
	return out
}
