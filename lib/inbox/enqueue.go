package inbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// Enqueue freezes a draft and adds it at the end of its target's queue. When it
// returns without an error, the record is durable. With an error, whatever it is,
// the queue is as it was. A draft whose id a record of the target already has is
// that record, returned as it stands now, if it is the same message.
//
// Errors are *fault.Error: a draft that is no message (RuleMalformed), an id that
// another message has (RuleConflict), a disk that is full or may not be written;
// or ctx's cause.
func (b *Inbox) Enqueue(ctx context.Context, d Draft) (Record, error) {
	r, err := Freeze(d)
	if err != nil {
		return Record{}, err
	}
	keyed := r.ID != ""
	if !keyed {
		r.ID = b.o.NewID()
	}
	r.Time = b.o.Now().UnixMilli()
	q, err := b.open(r.To)
	if err != nil {
		return Record{}, err
	}
	defer q.close()
	if _, swept := b.swept.LoadOrStore(r.To, true); !swept {
		q.sweep()
	}
	return q.add(ctx, r, keyed)
}

func (q *queue) add(ctx context.Context, r Record, keyed bool) (Record, error) {
	t, err := q.write(r.fileText())
	if err != nil {
		return Record{}, err
	}
	defer t.discard()
	n := name{ident: ident{key: keyOf(r.ID)}, kind: r.Kind, dir: newDir}
	old, err := q.publish(ctx, t, &n, keyed)
	if err != nil {
		return Record{}, err
	}
	if old != nil {
		return q.existing(r, *old)
	}
	r.Seq = n.seq
	if err := q.flush(newDir); err != nil && q.withdraw(n) {
		return Record{}, err
	}
	return r, nil
}

// publish gives the file its number and place. Where the id is in use, it returns
// the record that has it instead.
func (q *queue) publish(ctx context.Context, t *temporary, n *name, keyed bool) (*Record, error) {
	h, err := q.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer h.unlock()
	if keyed {
		if old, err := h.find(n.key); old != nil || err != nil {
			return old, err
		}
	}
	if n.seq, err = h.next(); err != nil {
		return nil, err
	}
	return nil, t.place(n.path())
}

// find looks for the record with an id, wherever it stands.
func (h *held) find(key string) (*Record, error) {
	for _, dir := range [...]string{newDir, curDir, doneDir} {
		files, err := h.list(dir)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if !strings.Contains(file, key) {
				continue // there can be thousands
			}
			if n, ok := parseName(dir, file); ok {
				r, err := h.read(n)
				return &r, err
			}
		}
	}
	return nil, nil
}

// existing answers an Enqueue whose id is in use.
func (q *queue) existing(r, old Record) (Record, error) {
	if !old.same(r) {
		return Record{}, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Rule: RuleConflict,
			Subject: fmt.Sprintf("record %s", fault.Quote(r.ID)), Message: "another message has this id",
			Hint: "choose another id, or none",
		}
	}
	// Whoever enqueued it may have died before this.
	if err := q.flush(newDir, curDir, doneDir); err != nil {
		return Record{}, err
	}
	return old, nil
}

// withdraw takes back a record that could not be made durable. It reports false
// where that comes too late: what a driver has claimed is durable by its doing. On
// a disk that fails a second time here the record stays, though it was refused.
func (q *queue) withdraw(n name) bool {
	h, err := q.lock(context.Background())
	if err != nil {
		return true
	}
	defer h.unlock()
	return !errors.Is(h.root.Remove(n.path()), fs.ErrNotExist)
}
