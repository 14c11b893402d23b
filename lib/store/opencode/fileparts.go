package opencode

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// skip counts a record that could not be read and is passed over.
func (t *reading) skip(err error) {
	t.damaged++
	t.tell(err)
}

// tell notes what has been counted already.
func (t *reading) tell(err error) {
	if len(t.notes) < maxNotes {
		t.named++
		t.notes = append(t.notes, "passed over: "+err.Error())
	}
}

const maxNotes = 8 // a session of thousands of damaged files needs no more

// fileParts reads the parts of one session's messages from part files.
type fileParts struct {
	tree
	sid string
	out *reading
}

// each reads the parts of one message in the order of their ids, without those that
// pass says yes to (nil: none).
func (p *fileParts) each(ctx context.Context, mid string, pass func(id string) bool, use func(id string, v jstext.Value)) error {
	dir := p.partDir(p.sid, mid)
	names, err := jsonNames(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && p.out.lose(dir) {
		p.out.tell(jsonl.Unreadable(dir, err))
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		id := strings.TrimSuffix(name, ".json")
		if pass != nil && pass(id) {
			continue
		}
		path := filepath.Join(dir, name)
		v, err := readJSON(ctx, path, partShape, &p.out.tally)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if p.out.lose(path) {
				p.out.tell(err)
			}
			continue
		}
		use(id, v)
	}
	return nil
}

func (p *fileParts) compactions(ctx context.Context, ids []string) (map[string]jstext.Value, error) {
	found := make(map[string]jstext.Value)
	for _, id := range ids {
		err := p.each(ctx, id, nil, func(_ string, v jstext.Value) {
			if v.Get("type").Is("compaction") {
				found[id] = v
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (p *fileParts) texts(ctx context.Context, ids []string) (map[string][]part, error) {
	found := make(map[string][]part)
	for _, mid := range ids {
		err := p.each(ctx, mid, nil, func(id string, v jstext.Value) {
			if v.Get("type").Is("text") {
				found[mid] = append(found[mid], newPart(id, v))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (p *fileParts) bare(_ context.Context, ids []string) (map[string]bool, error) {
	found := make(map[string]bool)
	for _, id := range ids {
		names, _ := jsonNames(p.partDir(p.sid, id))
		found[id] = len(names) == 0
	}
	return found, nil
}

func (p *fileParts) known(_ context.Context, ids []string) (map[string]map[string]bool, error) {
	found := make(map[string]map[string]bool, len(ids))
	for _, mid := range ids {
		names, _ := jsonNames(p.partDir(p.sid, mid))
		parts := make(map[string]bool, len(names))
		for _, name := range names {
			parts[strings.TrimSuffix(name, ".json")] = true
		}
		found[mid] = parts
	}
	return found, nil
}
