package inbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// Cancellation is what Cancel did.
type Cancellation struct {
	Dropped  []Record // they are gone from the queue, with their contexts
	Aborting []Record // a live driver has claimed them and is told; see Claim.Cancelled
}

// Cancel drops records of a target: those of the ids, or without any all that wait
// or are claimed. A record that a live driver has claimed is marked instead: the
// driver aborts its turn, and also a driver after it will not take it up again.
//
// An id that neither waits nor is claimed is a *fault.Error with RuleNoRecord, and
// then nothing is dropped. A damaged record is dropped only by a Cancel without
// ids, and is not in the result.
func (b *Inbox) Cancel(ctx context.Context, to string, ids ...string) (Cancellation, error) {
	q, err := b.openIfThere(to)
	if err != nil {
		return Cancellation{}, err
	}
	if q == nil {
		return Cancellation{}, noRecord(ids)
	}
	defer q.close()
	h, err := q.lock(ctx)
	if err != nil {
		return Cancellation{}, err
	}
	defer h.unlock()
	names, err := h.chosen(ids)
	if err != nil {
		return Cancellation{}, err
	}
	driver, err := h.driverLives()
	if err != nil {
		return Cancellation{}, err
	}
	return h.cancel(names, func(n name) bool { return driver && n.dir == curDir })
}

// chosen finds the records of the ids; none means every record.
func (h *held) chosen(ids []string) ([]name, error) {
	names, err := h.names(newDir, curDir)
	if err != nil || len(ids) == 0 {
		return names, err
	}
	keys := make(map[string]bool)
	for _, id := range ids {
		keys[keyOf(id)] = true
	}
	names = slices.DeleteFunc(names, func(n name) bool { return !keys[n.key] })
	for _, n := range names {
		delete(keys, n.key)
	}
	missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !keys[keyOf(id)] })
	return names, noRecord(missing)
}

func noRecord(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return &fault.Error{
		Kind: fault.Reference, Code: fault.InvalidReference, Rule: RuleNoRecord,
		Subject: fmt.Sprintf("record %s", fault.Quote(ids[0])), Message: "nothing of this id waits or runs",
	}
}

// cancel marks the records for which live holds and drops the others. On an error
// the result says what has been done until then.
func (h *held) cancel(names []name, live func(name) bool) (c Cancellation, err error) {
	for _, n := range names {
		r, readErr := h.read(n)
		if readErr != nil && fault.KindOf(readErr) != fault.Damaged {
			return c, readErr
		}
		marked := live(n)
		if marked {
			err = h.mark(n.ident)
		} else {
			err = h.finish(n, true)
		}
		if err != nil {
			return c, err
		}
		switch {
		case readErr != nil:
		case marked:
			c.Aborting = append(c.Aborting, r)
		default:
			r.State = Dropped
			c.Dropped = append(c.Dropped, r)
		}
	}
	h.prune()
	return c, h.flush(doneDir, newDir, curDir)
}

// finish moves a record to where nobody takes it up again.
func (h *held) finish(n name, dropped bool) error {
	to := n.in(doneDir)
	to.dropped = dropped
	return h.move(n.path(), to.path())
}

// mark asks the driver that holds the record to abort. The mark outlives the
// driver; it goes when a driver has seen the record out of cur for good.
func (h *held) mark(id ident) error { return h.touch(abortMark(id)) }

// marked reports whether somebody has asked to abort the record.
func (q *queue) marked(id ident) bool {
	_, err := q.root.Lstat(abortMark(id))
	return err == nil
}

func (q *queue) unmark(ids ...ident) {
	for _, id := range ids {
		if q.marked(id) {
			_ = q.remove(abortMark(id)) // else the next driver does it
		}
	}
}

func sortRecords(rs []Record) {
	slices.SortFunc(rs, func(a, b Record) int { return cmp.Compare(a.Seq, b.Seq) })
}
