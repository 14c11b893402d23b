package gemini

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

func readFile(ctx context.Context, path string, opts store.ReadOptions) (*store.Reading, error) {
	return jsonl.Read(ctx, path, func(src *jsonl.Source) (*store.Reading, error) {
		r, err := read(ctx, src, opts)
		if err != nil {
			return nil, err
		}
		return r.finished, nil
	})
}

// reading is one file as it is read.
type reading struct {
	journal
	said    []said  // what remains of the list
	recs    []int64 // the record that each stands in
	records int64
	format  string

	finished *store.Reading
}

func read(ctx context.Context, src *jsonl.Source, opts store.ReadOptions) (*reading, error) {
	src.Form = &form
	var sum hash.Hash
	if opts.Hash {
		sum = sha256.New()
		src.Hash = sum
	}
	r := reading{format: "gemini jsonl"}
	begun := false
	for rec, err := range src.Records(ctx, factShape) {
		if err != nil {
			return nil, err
		}
		begun = begun || rec.Index == 0
		r.add(rec)
	}
	r.records = src.Count
	if !begun || !r.known {
		// The first line is no record: the file may be one object, over many lines.
		src.Hash = nil
		d := reading{format: "gemini json"}
		switch err := d.document(ctx, src); {
		case err == nil:
			r = d
		case ctx.Err() != nil || !r.known:
			return nil, err
		}
	}
	if r.said == nil {
		if err := r.fetch(ctx, src); err != nil {
			return nil, err
		}
	}
	r.finished = r.finish(src)
	if sum != nil {
		r.finished.Receipt.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return &r, nil
}

// fetch takes the texts of the messages that remain.
func (r *reading) fetch(ctx context.Context, src *jsonl.Source) error {
	r.said = make([]said, len(r.slots))
	r.recs = make([]int64, len(r.slots))
	wanted := make(map[jsonl.Span][]int) // a record → the slots that it holds
	var spans []jsonl.Span
	for i, s := range r.slots {
		r.recs[i] = s.rec
		if !s.talk {
			continue
		}
		if wanted[s.span] == nil {
			spans = append(spans, s.span)
		}
		wanted[s.span] = append(wanted[s.span], i)
	}
	slices.SortFunc(spans, func(a, b jsonl.Span) int { return cmp.Compare(a.Off, b.Off) })
	n := 0
	for v, err := range src.Fetch(ctx, textShape, spans) {
		if err != nil {
			return err
		}
		r.take(v, wanted[spans[n]])
		n++
	}
	return nil
}

// take reads the messages in one record that the slots stand for.
func (r *reading) take(v jstext.Value, slots []int) {
	if r.slots[slots[0]].number < 0 {
		r.said[slots[0]] = hear(v)
		return
	}
	number := make(map[int]int, len(slots)) // place in the list → slot
	for _, i := range slots {
		number[r.slots[i].number] = i
	}
	n := 0
	for m := range listOf(v).Elements() {
		if i, ok := number[n]; ok {
			r.said[i] = hear(m)
		}
		n++
	}
}

func listOf(v jstext.Value) jstext.Value {
	if set := v.Get("$set", "messages"); set.Exists() {
		return set
	}
	return v.Get("messages")
}

// document reads a file that is one object. Its records are its messages.
func (r *reading) document(ctx context.Context, src *jsonl.Source) error {
	v, err := src.Document(ctx, textShape)
	if err != nil {
		return err
	}
	o := jsonl.Members(v)
	r.meta.merge(o)
	r.records = int64(o["messages"].Len())
	// As a list in the last of so many records it is numbered from 0.
	r.list(o["messages"], jsonl.Record{Index: r.records - 1})
	r.said = make([]said, len(r.slots))
	r.recs = make([]int64, len(r.slots))
	all := make([]int, len(r.slots))
	for i, s := range r.slots {
		all[i], r.recs[i] = i, s.rec
	}
	if len(all) > 0 {
		r.take(v, all)
	}
	return nil
}

// finish makes the surface: from the last snapshot on, where there is one.
func (r *reading) finish(src *jsonl.Source) *store.Reading {
	var b transcript.Builder
	start := 0
	for i, s := range r.said {
		if s.snapshot {
			start = i
		}
	}
	compacted := false
	for i, s := range r.said[start:] {
		rec := r.recs[start+i]
		switch {
		case s.snapshot:
			compacted = true
			b.Checkpoint(rec, s.time, s.text)
		case s.user:
			b.User(rec, s.time, s.text)
		default:
			b.Assistant(rec, s.time, s.text, "", s.model)
		}
	}
	id := Kind + ":" + cmp.Or(r.meta.id, stem(src.Path)) // the record that names it may be damaged
	cwd := new(directories).cwd(placeOf(src.Path), r.meta.hash)
	surface := b.Surface(id, cmp.Or(r.meta.started, startedByName(src.Path)), cwd, ownTitle(r.meta.summary), r.records)
	return &store.Reading{Surface: surface, Receipt: store.Receipt{
		SessionID: id, Path: src.Path, Store: Kind, Format: r.format,
		CapturedThroughSeq: surface.CapturedThroughSeq, BytesRead: src.Size,
		TornTail: src.Torn, DamagedRecords: src.Damaged, DroppedBranches: r.dropped, Checkpoint: compacted,
		Notes: jsonl.LostOf(src),
	}}
}

// ownTitle is the summary as a title: nil where it says nothing.
func ownTitle(summary *string) *string {
	if summary == nil || strings.TrimSpace(*summary) == "" {
		return nil
	}
	s := strings.TrimSpace(*summary)
	return &s
}

func stem(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}
