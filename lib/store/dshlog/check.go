package dshlog

import (
	"context"
	"errors"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Verdict is what checking one log from end to end has found.
type Verdict struct {
	SessionID string // empty if the header cannot be read
	Path      string
	Version   int    // the format; -1 if the header cannot be read
	Encoding  string // "raw" or "zstd"; empty if not even that is known
	Bytes     int64  // of the file
	Decoded   int64  // bytes of lines
	Frames    int64  // whole zstd frames; 0 for a raw log
	Events    int64  // that count
	// CapturedThroughSeq is the highest seq that counts; nil: none.
	CapturedThroughSeq *int64
	TornTail           int64         // as in store.Receipt
	Damage             []scan.Damage // in order, at most some hundreds
	Dropped            int64         // whole lines at and behind the first damage
	Unknown            []string      // unknown types that do not say they may be ignored
	Compactions        int64         // checkpoints that replaced something
	Nodes              int           // events of the surface
	Checkpoint         bool          // one of them is a checkpoint
	// Reason is why the session cannot be referenced; nil: it can.
	Reason *fault.Error
}

// Referenceable reports whether the session can be read exactly.
func (v *Verdict) Referenceable() bool { return v.Reason == nil }

// Check reads the log at ref in full, past all damage, and says what is to be said
// of it. What is wrong with the log is part of the verdict; an error means that
// there is none: the file cannot be read, or ctx was done.
func (s *Store) Check(ctx context.Context, ref store.Ref) (*Verdict, error) { return check(ctx, ref) }

// CheckFile is Check for a bare file, of any session.
func CheckFile(ctx context.Context, path string) (*Verdict, error) {
	return check(ctx, store.Ref{Path: path})
}

func check(ctx context.Context, ref store.Ref) (*Verdict, error) {
	v, err := jsonl.Await(ctx, func() (*Verdict, error) {
		var last *Verdict
		err := observe(ctx, ref.Path, func(o *observation) error {
			var err error
			last, err = checkOnce(ctx, ref, o)
			return err
		})
		return last, err
	})
	if err != nil {
		return nil, withSubject(ref.Path, err)
	}
	return v, nil
}

func checkOnce(ctx context.Context, ref store.Ref, o *observation) (*Verdict, error) {
	v := &Verdict{Path: ref.Path, Version: -1, Bytes: o.size}
	c := checker{verdict: v}
	res, err := scan.Scan(ctx, o.source(), scan.Options{
		Plain: true, All: true,
		Begin: func(h session.Header) (scan.Sink, error) {
			v.SessionID, v.Version = h.ID, h.Version
			if ref.ID != "" {
				if err := checkID(ref.Path, h.ID, ref.ID); err != nil {
					return nil, err
				}
			}
			if err := record.CheckHeader(h); err != nil {
				return nil, err
			}
			c.fold = session.NewFold(h.Version)
			return &c, nil
		},
	})
	if res != nil {
		o.doubt(res)
		v.take(res)
	}
	if c.fold != nil {
		v.surface(c.fold)
	}
	return v, v.judge(ref.Path, err)
}

// checker is a fold that counts checkpoints.
type checker struct {
	fold    *session.Fold
	verdict *Verdict
}

func (c *checker) Skip(n int64) { c.fold.Skip(n) }

func (c *checker) Add(ev session.Event) error {
	err := c.fold.Add(ev)
	if err == nil && ev.SurfaceOp.Kind() == jstext.Object && session.MessageOf(ev).Checkpoint() {
		c.verdict.Compactions++
	}
	return err
}

func (v *Verdict) take(res *scan.Result) {
	v.Encoding, v.Decoded, v.Frames, v.Events = string(res.Encoding), res.Decoded, res.Frames, res.Events
	v.CapturedThroughSeq = res.LastSeq()
	v.TornTail, v.Damage, v.Dropped, v.Unknown = res.Torn, res.Damage, res.Dropped, res.Unknown
	if v.Bytes == 0 {
		v.Bytes = res.Bytes
	}
}

func (v *Verdict) surface(fold *session.Fold) {
	v.Nodes = fold.Len()
	for _, ev := range fold.Nodes() {
		v.Checkpoint = v.Checkpoint || session.MessageOf(ev).Checkpoint()
	}
}

// judge makes the reason of what went wrong, and returns what is no verdict.
func (v *Verdict) judge(path string, err error) error {
	if len(v.Damage) > 0 && v.Damage[0].Committed {
		err = v.Damage[0].Fault()
	}
	if err == nil {
		return nil
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	v.Reason = fault.Of(withSubject(path, f))
	return nil
}
