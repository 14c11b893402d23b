package reference

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// Reader reads the current surface of a session, found by its id. It is called from
// several goroutines at once. It should return when ctx is done, but Prepare does
// not rely on that.
type Reader interface {
	ReadSurface(ctx context.Context, id string) (*session.Surface, error)
}

// Request is a message to prepare.
type Request struct {
	Target     *string        // the session it is for, which it cannot reference; nil: none
	Content    jstext.Value   // its blocks, mentions already turned into @label
	References []jstext.Value // {sessionId, label?}, in order of appearance
	Config     Config
	Block      Block // a bound on all of them together; the zero value sets none
}

// Prepare resolves a message's references (SPEC 5): all of them or none.
//
// Sources are read in parallel. When ctx ends, Prepare returns at once, also where
// a read cannot be interrupted; that read's result is dropped when it comes.
//
// Errors are *fault.Error, or several of them joined, one for each source that
// failed, in the order of the references. In the order in which they are looked
// for: InvalidConfig; InvalidReference and SelfReference, TooMany; Cancelled;
// ReadFailed (Kind says why: Unreadable, Unsupported, Damaged); BudgetExceeded.
// A reader's failure of kind Usage is about how it was set up and not about a
// session: it is returned alone and as it is.
func Prepare(ctx context.Context, reader Reader, req Request) (*Prepared, error) {
	limits, err := req.Config.check()
	if err != nil {
		return nil, err
	}
	refs, err := Normalize(req.Target, req.References, limits.references)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	results, err := readAll(ctx, reader, refs, limits.bytes)
	if err != nil {
		return nil, err
	}
	sources, err := collect(req.Target, results)
	if err != nil {
		return nil, err
	}
	if err := req.Block.share(sources, limits.bytes); err != nil {
		return nil, err
	}
	return &Prepared{Content: req.Content, sources: sources}, nil
}

// result is what came of one source.
type result struct {
	index  int
	source source
	read   error // it could not be read
	budget error // it was read and does not fit
}

// readAll reads and retains every source on a goroutine of its own and returns the
// results in the order of the references.
func readAll(ctx context.Context, reader Reader, refs []Reference, maxBytes int) ([]result, error) {
	// With a place for every result, a read that ends after we have left can still
	// deliver it, to nobody.
	done := make(chan result, len(refs))
	for i, ref := range refs {
		go func() { done <- readOne(ctx, reader, i, ref, maxBytes) }()
	}
	out := make([]result, len(refs))
	for range refs {
		select {
		case r := <-done:
			out[r.index] = r
		case <-ctx.Done():
			return nil, cancelled(ctx)
		}
	}
	// The last read may have ended because ctx did.
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	return out, nil
}

func readOne(ctx context.Context, reader Reader, index int, ref Reference, maxBytes int) result {
	r := result{index: index}
	surface, err := reader.ReadSurface(ctx, ref.SessionID)
	if err != nil {
		r.read = readFailed(ref.SessionID, err)
		return r
	}
	// A reader may know a session by a shorter id than its own.
	ref.SessionID = surface.Header.ID
	snap, need, ok := Retain(surface, ref.Label, maxBytes)
	if !ok {
		r.budget = overBudget(ref.SessionID, need, maxBytes)
	}
	r.source = source{ref, surface, snap}
	return r
}

// collect turns results into sources, or into the errors of those that failed. Ids
// that turned out to be the same session count once, as repeated ids do.
func collect(target *string, results []result) ([]source, error) {
	var read, budget []error
	var out []source
	seen := make(map[string]bool)
	for _, r := range results {
		id := r.source.ref.SessionID
		switch {
		case r.read != nil && fault.KindOf(r.read) == fault.Usage:
			return nil, r.read
		case r.read != nil:
			read = append(read, r.read)
		case target != nil && id == *target:
			return nil, selfReference(id)
		case seen[id]:
		case r.budget != nil:
			budget = append(budget, r.budget)
		default:
			seen[id] = true
			out = append(out, r.source)
		}
	}
	if err := join(read); err != nil {
		return nil, err
	}
	return out, join(budget)
}

// join is errors.Join, but one error stays itself.
func join(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// readFailed makes any error of a reader one that names the session and has the
// code of the contract.
func readFailed(id string, err error) error {
	f := &fault.Error{Kind: fault.Unreadable, Message: "cannot be read", Err: err}
	switch known := fault.Of(err); known.Kind {
	case fault.Usage:
		return err
	case fault.Unreadable, fault.Unsupported, fault.Damaged:
		copied := *known
		f = &copied
	}
	f.Code = fault.ReadFailed
	if f.Rule == "" {
		f.Rule = "read"
	}
	if !strings.Contains(f.Subject, fmt.Sprintf("%q", id)) {
		if f.Subject != "" {
			f.Message = strings.TrimSuffix(f.Subject+": "+f.Message, ": ")
		}
		f.Subject = subject(id)
	}
	return f
}

// cancelled is the failure of a ctx that has ended, with its cause if that is one
// of ours.
func cancelled(ctx context.Context) error {
	var f *fault.Error
	if cause := context.Cause(ctx); errors.As(cause, &f) {
		return cause
	}
	return &fault.Error{Kind: fault.Cancelled, Code: fault.CancelledCode, Message: "cancelled"}
}
