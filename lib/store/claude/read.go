package claude

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// readFile reads the session in one file. Its id is the file's name where that is
// a UUID, else the one its records carry.
//
// A record's index in the file is its seq, and the index of the last record is
// what the session was captured through.
func readFile(ctx context.Context, path string, opts store.ReadOptions) (*store.Reading, error) {
	return jsonl.Read(ctx, path, func(src *jsonl.Source) (*store.Reading, error) {
		src.Form = &form
		return reading(ctx, src, opts)
	})
}

func reading(ctx context.Context, src *jsonl.Source, opts store.ReadOptions) (*store.Reading, error) {
	hash := sha256.New()
	if opts.Hash {
		src.Hash = hash
	}
	x, err := scan(ctx, src)
	if err != nil {
		return nil, err
	}
	if !x.known && (src.Count > 0 || src.Torn > 0 && uuidOf(src.Path) == "") {
		return nil, notClaude(src.Path)
	}
	b := x.current()
	items, compacted := x.items(b.line)
	texts, err := x.fetch(ctx, src, items)
	if err != nil {
		return nil, err
	}
	var t transcript.Builder
	sealed := build(&t, items, texts)
	if compacted && (len(items) == 0 || items[0].kind != summaryItem) {
		sealed = true
	}
	surface := t.Surface(x.id(src.Path), x.created, x.cwds.current(), x.ownTitle(), src.Count)
	r := store.Receipt{
		SessionID: surface.Header.ID, Path: src.Path, Store: Kind, Format: "claude jsonl",
		CapturedThroughSeq: surface.CapturedThroughSeq, BytesRead: src.Size,
		TornTail: src.Torn, DamagedRecords: src.Damaged, DroppedBranches: b.dropped,
		Checkpoint: compacted || hasCheckpoint(surface.Events), SealedCheckpoint: sealed, Lineage: x.lineage,
		Notes: append(x.notes(b, sealed), jsonl.LostOf(src)...),
	}
	if opts.Hash {
		r.SHA256 = hex.EncodeToString(hash.Sum(nil))
	}
	return &store.Reading{Surface: surface, Receipt: r}, nil
}

func notClaude(path string) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "unknown-format", Subject: fmt.Sprintf("%q", path),
		Message: "has no record of a Claude Code session",
	}
}

// id is the session's id with the kind before it.
func (x *index) id(path string) string {
	id := uuidOf(path)
	if id == "" {
		id = x.sessionID
	}
	if id == "" {
		id = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return Kind + ":" + id
}

// ownTitle is the title that the session was given, by its user or by the agent.
func (x *index) ownTitle() *string {
	for _, t := range []string{x.title, x.aiTitle} {
		if t != "" {
			return &t
		}
	}
	return nil
}

func (x *index) notes(b branch, sealed bool) (notes []string) {
	if b.repaired > 0 {
		notes = append(notes, fmt.Sprintf("parents that are not in the file: %d; the nearest earlier entries were taken for them", b.repaired))
	}
	if b.circled > 0 {
		notes = append(notes, transcript.Circle(b.circled))
	}
	if b.line != nil && !b.moved {
		notes = append(notes, "what the compactions preserved cannot be put in order: their records contradict each other")
	}
	if sealed {
		notes = append(notes, "the summary of the last compaction is missing or empty: what it replaced cannot be shown")
	}
	if x.background {
		notes = append(notes, "this is a background copy of another session")
	}
	if len(x.order) > 0 && len(b.line) == 0 {
		notes = append(notes, "this is a subagent's log: sidechains are not part of a conversation")
	}
	return notes
}
