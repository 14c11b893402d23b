package opencode

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// union is a session whose upgrade from files into a database may have stopped half
// way: what the database lacks of it is in the files.
type union struct {
	rowReader
	messages []message
	lacks    map[string]bool // the messages of which the files have parts that the database lacks
}

// newUnion compares the two. The database's messages and parts count where both have
// one.
func newUnion(ctx context.Context, r rowReader, messages []message) (*union, error) {
	u := &union{r, messages, make(map[string]bool)}
	have, err := r.allParts(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(messages))
	for _, m := range messages {
		known[m.id] = true
	}
	names, _ := jsonNames(r.left.messageDir(r.id))
	var more []string
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		id := strings.TrimSuffix(name, ".json")
		if !known[id] {
			more = append(more, name)
		}
		parts, _ := r.left.order(ctx, id)
		if slices.ContainsFunc(parts, func(p string) bool { return !have[p] }) {
			u.lacks[id] = true
		}
	}
	missing, err := r.left.messages(ctx, more)
	if err != nil {
		return nil, err
	}
	u.messages = append(u.messages, missing...)
	taken := len(missing)
	for id := range u.lacks {
		if known[id] {
			taken++
		}
	}
	if taken > 0 {
		r.t.notes = append(r.t.notes, fmt.Sprintf("the upgrade of this session stopped half way: messages read from the older store, whole or in part: %d", taken))
	}
	return u, nil
}

// allParts are the ids of the parts that the database has of the session.
func (r rowReader) allParts(ctx context.Context) (map[string]bool, error) {
	have := make(map[string]bool)
	if !r.schema.has("part", "id", "message_id") {
		return have, nil
	}
	err := each(ctx, r.conn, func(row []cell) error {
		have[row[0].text()] = true
		return nil
	}, "select p.id from message m join part p on p.message_id=m.id where m.session_id=?", r.id)
	return have, err
}

// lacking are those of the messages of which the database lacks parts.
func (u *union) lacking(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !u.lacks[id] })
}

func (u *union) compactions(ctx context.Context, ids []string) (map[string]jstext.Value, error) {
	found, err := u.rowReader.compactions(ctx, ids)
	if err != nil {
		return nil, err
	}
	older, err := u.left.compactions(ctx, u.lacking(ids))
	for id, v := range older {
		if _, ok := found[id]; !ok {
			found[id] = v
		}
	}
	return found, err
}

func (u *union) texts(ctx context.Context, ids []string) (map[string][]part, error) {
	found, err := u.rowReader.texts(ctx, ids)
	if err != nil {
		return nil, err
	}
	older, err := u.left.texts(ctx, u.lacking(ids))
	for id, parts := range older {
		have := make(map[string]bool)
		for _, p := range found[id] {
			have[p.id] = true
		}
		for _, p := range parts {
			if !have[p.id] {
				found[id] = append(found[id], p)
			}
		}
		sortParts(found[id])
	}
	return found, err
}

func (u *union) bare(ctx context.Context, ids []string) (map[string]bool, error) {
	found, err := u.rowReader.bare(ctx, ids)
	for id := range u.lacks {
		delete(found, id)
	}
	return found, err
}

func (u *union) order(ctx context.Context, id string) ([]string, error) {
	ids, err := u.rowReader.order(ctx, id)
	if err != nil || !u.lacks[id] {
		return ids, err
	}
	older, err := u.left.order(ctx, id)
	ids = append(ids, older...)
	slices.Sort(ids)
	return slices.Compact(ids), err
}
