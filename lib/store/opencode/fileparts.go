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

// messages reads the message files of these names.
func (p *fileParts) messages(ctx context.Context, names []string) ([]message, error) {
	messages := make([]message, 0, len(names))
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v, err := readJSON(ctx, filepath.Join(p.messageDir(p.sid), name), messageShape, &p.out.tally)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			p.out.skip(err)
			continue
		}
		messages = append(messages, newMessage(strings.TrimSuffix(name, ".json"), 0, v))
		if p.out.record.cwd == nil {
			p.out.record.cwd = optional(text(v.Get("path", "cwd")))
		}
	}
	return messages, nil
}

// each reads the parts of one message in the order of their ids.
func (p *fileParts) each(ctx context.Context, mid string, use func(id string, v jstext.Value)) error {
	dir := p.partDir(p.sid, mid)
	names, err := jsonNames(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.out.skip(jsonl.Unreadable(dir, err))
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v, err := readJSON(ctx, filepath.Join(dir, name), partShape, &p.out.tally)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p.out.skip(err)
			continue
		}
		use(strings.TrimSuffix(name, ".json"), v)
	}
	return nil
}

func (p *fileParts) compactions(ctx context.Context, ids []string) (map[string]jstext.Value, error) {
	found := make(map[string]jstext.Value)
	for _, id := range ids {
		err := p.each(ctx, id, func(_ string, v jstext.Value) {
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
		err := p.each(ctx, mid, func(id string, v jstext.Value) {
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

func (p *fileParts) order(_ context.Context, id string) ([]string, error) {
	names, _ := jsonNames(p.partDir(p.sid, id))
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".json")
	}
	return names, nil
}
