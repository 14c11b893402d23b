package opencode

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// older is a session's copy in files that its newer copy was made of. A move into the
// database, or into newer files, that stopped half way left the newer one without some
// messages, or without their parts.
type older struct {
	record record
	tree   tree
}

// joined is a session in two places: what the newer one lacks of a message is taken
// from the older one. The newer place is asked first and what it says counts.
type joined struct {
	partSource
	files  *fileParts
	taken  map[string]bool // the messages that the newer place lacked, by id
	filled map[string]bool // those that it had, without all of their parts
}

// join completes a session's messages from its older copies, and says where their
// parts are then. An older copy counts only where the newer record is not the later
// one: what was changed since the move is gone on purpose.
func (t *reading) join(ctx context.Context, messages []message, src partSource, copies []older) ([]message, partSource, []*joined, error) {
	var all []*joined
	for _, o := range copies {
		if t.record.newerThan(o.record) || o.record.gen >= t.record.gen {
			continue
		}
		have := make(map[string]bool, len(messages))
		for _, m := range messages {
			have[m.id] = true
		}
		dir := o.tree.messageDir(o.record.id)
		names, err := jsonNames(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil, jsonl.Unreadable(dir, err)
		}
		more, err := t.readMessages(ctx, dir, names, have)
		if err != nil {
			return nil, nil, nil, err
		}
		j := &joined{
			partSource: src, files: &fileParts{tree: o.tree, sid: o.record.id, out: t},
			taken: make(map[string]bool), filled: make(map[string]bool),
		}
		for _, m := range more {
			t.restore(messageKey(m.id))
			j.taken[m.id] = true
		}
		messages, src, all = append(messages, more...), j, append(all, j)
	}
	return messages, src, all, nil
}

// readMessages reads the records of messages in a directory of files, by their names,
// without those of the ids in skip.
func (t *reading) readMessages(ctx context.Context, dir string, names []string, skip map[string]bool) ([]message, error) {
	messages := make([]message, 0, len(names))
	for _, name := range names {
		id := strings.TrimSuffix(name, ".json")
		if skip[id] {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v, err := readJSON(ctx, filepath.Join(dir, name), messageShape, &t.tally)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			t.skip(err)
			continue
		}
		messages = append(messages, newMessage(id, 0, v))
		if t.record.cwd == nil {
			t.record.cwd = optional(text(v.Get("path", "cwd")))
		}
	}
	return messages, nil
}

// fill hands on the parts of a type that only the older place has, or has whole.
func (j *joined) fill(ctx context.Context, ids []string, typ string, use func(mid, id string, v jstext.Value)) error {
	known, err := j.partSource.known(ctx, ids)
	if err != nil {
		return err
	}
	t := j.files.out
	for _, mid := range ids {
		whole := func(id string) bool {
			_, broken := t.broken[partKey(id)]
			return known[mid][id] && !broken
		}
		err := j.files.each(ctx, mid, whole, func(id string, v jstext.Value) {
			t.restore(partKey(id))
			if !j.taken[mid] {
				j.filled[mid] = true
			}
			if v.Get("type").Is(typ) {
				use(mid, id, v)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *joined) compactions(ctx context.Context, ids []string) (map[string]jstext.Value, error) {
	found, err := j.partSource.compactions(ctx, ids)
	if err != nil {
		return nil, err
	}
	return found, j.fill(ctx, ids, "compaction", func(mid, _ string, v jstext.Value) { found[mid] = v })
}

func (j *joined) texts(ctx context.Context, ids []string) (map[string][]part, error) {
	found, err := j.partSource.texts(ctx, ids)
	if err != nil {
		return nil, err
	}
	err = j.fill(ctx, ids, "text", func(mid, id string, v jstext.Value) { found[mid] = append(found[mid], newPart(id, v)) })
	for mid := range found {
		sortParts(found[mid])
	}
	return found, err
}

func (j *joined) known(ctx context.Context, ids []string) (map[string]map[string]bool, error) {
	found, err := j.partSource.known(ctx, ids)
	if err != nil {
		return nil, err
	}
	more, err := j.files.known(ctx, ids)
	for mid, parts := range more {
		for id := range parts {
			if found[mid] == nil {
				found[mid] = make(map[string]bool)
			}
			found[mid][id] = true
		}
	}
	return found, err
}

func (j *joined) bare(ctx context.Context, ids []string) (map[string]bool, error) {
	found, err := j.partSource.bare(ctx, ids)
	if err != nil {
		return nil, err
	}
	more, err := j.files.bare(ctx, ids)
	for id := range found {
		if !more[id] {
			delete(found, id)
		}
	}
	return found, err
}

// tell adds how much was taken from the older place to the notes.
func (j *joined) tell(t *reading) {
	if n := len(j.taken) + len(j.filled); n > 0 {
		t.notes = append(t.notes, fmt.Sprintf("the upgrade of this session stopped half way: messages read from the older store, whole or in part: %d", n))
	}
}
