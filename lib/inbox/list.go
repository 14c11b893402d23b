package inbox

import (
	"context"
	"errors"
	"io/fs"
)

// List returns the records of a target that wait or are claimed, in order: none
// where the target has no queue. It changes nothing. A damaged record does not
// hide the others: the error, which joins one for each such, comes with them.
func (b *Inbox) List(ctx context.Context, to string) ([]Record, error) {
	q, err := b.openIfThere(to)
	if q == nil || err != nil {
		return nil, err
	}
	defer q.close()
	var out []Record
	var errs []error
	seen := make(map[ident]bool)
	// The lock is not held while records are read, so one may be moved meanwhile;
	// then it is looked for again.
	for moved := true; moved; {
		moved = false
		names, err := q.snapshot(ctx)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if seen[n.ident] {
				continue
			}
			r, err := q.read(n)
			if errors.Is(err, fs.ErrNotExist) {
				moved = true
				continue
			}
			seen[n.ident] = true
			if err != nil {
				errs = append(errs, err)
				continue
			}
			out = append(out, r)
		}
	}
	sortRecords(out)
	return out, errors.Join(errs...)
}

// snapshot lists what waits and what is claimed at one moment.
func (q *queue) snapshot(ctx context.Context) ([]name, error) {
	h, err := q.lockShared(ctx)
	if err != nil {
		return nil, err
	}
	defer h.unlock()
	return h.names(newDir, curDir)
}
