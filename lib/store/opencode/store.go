package opencode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// opened is one open place. It keeps nothing between calls, so a place that an
// upgrade changes is seen as it is.
type opened struct {
	root  string
	place place
}

var _ store.Store = (*opened)(nil)

func (o *opened) Kind() string { return Kind }
func (o *opened) Root() string { return o.root }

// List yields every session once, without subagents' sessions. Archived ones are
// among them.
func (o *opened) List(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		best := make(map[string]record)
		keep := func(r record) {
			if old, ok := best[r.id]; !ok || r.compare(old) < 0 {
				best[r.id] = r
			}
		}
		for _, path := range o.place.databases() {
			found, err := database{path}.records(ctx)
			if err != nil && !yield(store.Entry{}, err) || ctx.Err() != nil {
				return
			}
			for _, r := range found {
				keep(r)
			}
		}
		for _, t := range o.place.trees() {
			more := t.records(ctx, func(r record, err error) bool {
				if err != nil {
					return yield(store.Entry{}, err)
				}
				keep(r)
				return true
			})
			if !more || ctx.Err() != nil {
				return
			}
		}
		for _, r := range best {
			if !r.child && !yield(o.entry(r), nil) {
				return
			}
		}
	}
}

func (o *opened) entry(r record) store.Entry {
	e := store.Entry{
		ID: Kind + ":" + r.id, Title: r.title, Cwd: r.cwd, CreatedAt: r.created, UpdatedAt: r.updated,
		Kind: Kind, Path: r.path, Root: o.root, Archived: r.put,
	}
	if r.fork != "" {
		e.CopiedFrom = Kind + ":" + r.fork
	}
	return e
}

// Title is the session's own title, else its first prompt.
func (o *opened) Title(ctx context.Context, e store.Entry) (*string, error) {
	if e.Title != nil {
		return e.Title, nil
	}
	if isRecordFile(e.Path) {
		return treeOf(e.Path).title(ctx, e.Path)
	}
	title, err := database{e.Path}.title(ctx, bareID(e.ID))
	if title != nil || err != nil {
		return title, err
	}
	for _, c := range o.copies(ctx)(bareID(e.ID)) {
		if title, err = c.tree.title(ctx, c.record.path); title != nil || err != nil {
			break
		}
	}
	return title, err
}

// Lookup finds at most one place: where several generations hold a session, the
// newest does. Subagents' sessions, which are not listed, are found.
func (o *opened) Lookup(ctx context.Context, id string) ([]store.Ref, error) {
	found, err := o.find(ctx, id)
	if len(found) == 0 {
		return nil, err
	}
	return []store.Ref{{ID: Kind + ":" + id, Path: found[0].path}}, err
}

// find returns every record of a session, the preferred one first.
func (o *opened) find(ctx context.Context, id string) ([]record, error) {
	var found []record
	var errs []error
	add := func(r record, err error) {
		if err != nil {
			errs = append(errs, err)
			return
		}
		found = append(found, r)
	}
	for _, path := range o.place.databases() {
		if r, ok, err := (database{path}).record(ctx, id); ok || err != nil {
			add(r, err)
		}
	}
	for _, t := range o.place.trees() {
		for _, path := range t.find(id) {
			r, err := t.record(ctx, path)
			if err != nil && fault.KindOf(err) == fault.Damaged {
				err = nil // half-written, perhaps; its name is the id all the same
			}
			add(r, err)
		}
	}
	slices.SortStableFunc(found, record.compare)
	return found, errors.Join(errs...)
}

// Read reads the session at ref. What is missing there, but stands in an older
// generation of the same place, is read from that: an upgrade stopped between the two.
// A place that was written since knows better what is gone.
func (o *opened) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	t, err := readAt(ctx, ref.Path, bareID(ref.ID), opts, o.copies(ctx))
	if err != nil {
		return nil, err
	}
	if t.last < 0 {
		others, _ := o.find(ctx, bareID(ref.ID))
		for _, r := range others {
			if r.path == ref.Path || t.record.newerThan(r) {
				continue
			}
			if u, err := readAt(ctx, r.path, r.id, opts, noCopies); err == nil && u.last >= 0 {
				u.notes = append(u.notes, "the upgrade of this session stopped half way: its messages are read from the older store")
				t = u
				break
			}
		}
	}
	return t.finish(), nil
}

// copies finds the copies in files of a session, the newest generation first.
func (o *opened) copies(ctx context.Context) func(id string) []older {
	return func(id string) []older {
		var found []older
		for _, t := range o.place.trees() {
			for _, path := range t.find(id) {
				if r, err := t.record(ctx, path); err == nil {
					found = append(found, older{r, t})
				}
			}
		}
		slices.SortStableFunc(found, func(a, b older) int { return a.record.compare(b.record) })
		return found
	}
}

func noCopies(string) []older { return nil }

// readAt reads a session from a database or by its record's file.
func readAt(ctx context.Context, path, id string, opts store.ReadOptions, copies func(id string) []older) (*reading, error) {
	if !isRecordFile(path) {
		return database{path}.read(ctx, id, freshFor(opts), copies(id))
	}
	t := freshFor(opts)()
	return t, treeOf(path).read(ctx, path, t, copies)
}

// freshFor makes transcripts to be filled.
func freshFor(opts store.ReadOptions) func() *reading {
	return func() *reading {
		t := &reading{last: -1}
		if opts.Hash {
			t.hash = sha256.New()
		}
		return t
	}
}

func isRecordFile(path string) bool { return filepath.Ext(path) == ".json" }

func bareID(id string) string { return strings.TrimPrefix(id, Kind+":") }

// finish is what was read, as the toolkit has it.
func (t *reading) finish() *store.Reading {
	r := t.record
	surface := t.Surface(Kind+":"+r.id, r.created, r.cwd, r.title, t.last+1)
	receipt := store.Receipt{
		SessionID: surface.Header.ID, Path: r.path, Store: Kind, Format: r.gen.String(),
		CapturedThroughSeq: surface.CapturedThroughSeq, BytesRead: t.bytes, DamagedRecords: t.damaged,
		Checkpoint: t.compact, SealedCheckpoint: t.sealed, Notes: t.notes,
	}
	receipt.Notes = append(receipt.Notes, jsonl.Lost(0, t.damaged-t.named)...)
	if t.lineage != "" {
		receipt.Lineage = Kind + ":" + t.lineage
	}
	if t.hash != nil {
		receipt.SHA256 = hex.EncodeToString(t.hash.Sum(nil))
	}
	if t.reverted {
		receipt.DroppedBranches = 1
		receipt.Notes = append(receipt.Notes, "a pending revert hides the latest messages")
	}
	return &store.Reading{Surface: surface, Receipt: receipt}
}
