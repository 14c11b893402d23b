package dshlog

import (
	"context"
	"errors"
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Read reads the session at ref exactly. The header must name ref.ID.
//
// Errors are *fault.Error: Unreadable for a file that cannot be opened, that is
// another session's, or that does not hold still; Unsupported for a newer format;
// Damaged for a log that is corrupt or breaks a rule of the fold. Read returns at
// once when ctx is done.
func (s *Store) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	if err := checkGeneration(ref.Path); err != nil {
		return nil, withSubject(ref.Path, err)
	}
	return read(ctx, ref, opts)
}

// read reads one log. An empty id takes any session.
func read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	r, err := jsonl.Await(ctx, func() (*store.Reading, error) {
		var last *store.Reading
		err := observe(ctx, ref.Path, func(o *observation) error {
			var err error
			last, err = readOnce(ctx, ref, o, opts)
			return err
		})
		return last, err
	})
	if err != nil {
		return nil, withSubject(ref.Path, err)
	}
	return r, nil
}

// readOnce makes the reading of one observation.
func readOnce(ctx context.Context, ref store.Ref, o *observation, opts store.ReadOptions) (*store.Reading, error) {
	var fold *session.Fold
	sum := o.hash(opts.Hash)
	res, err := scan.Scan(ctx, o.source(), scan.Options{
		Plain: opts.Verify,
		Begin: func(h session.Header) (scan.Sink, error) {
			if err := record.CheckHeader(h); err != nil {
				return nil, err
			}
			if ref.ID != "" {
				if err := checkID(ref.Path, h.ID, ref.ID); err != nil {
					return nil, err
				}
			}
			fold = session.NewFold(h.Version)
			return fold, nil
		},
	})
	if err != nil {
		return nil, err
	}
	o.doubt(res)
	surface := fold.Surface(res.Header)
	if err := writeOutSources(surface); err != nil {
		return nil, err
	}
	receipt := receiptOf(ref.Path, surface, res)
	if receipt.SHA256, err = sum(); err != nil {
		return nil, err
	}
	return &store.Reading{Surface: surface, Receipt: receipt}, nil
}

func receiptOf(path string, s *session.Surface, res *scan.Result) store.Receipt {
	r := store.Receipt{
		SessionID: s.Header.ID, Path: path, Store: store.DSH,
		Format:             fmt.Sprintf("dsh v%d %s", s.Header.Version, res.Encoding),
		CapturedThroughSeq: s.CapturedThroughSeq, BytesRead: res.Bytes,
		TornTail: res.Torn, DamagedRecords: res.Dropped,
		Notes: jsonl.Lost(res.Torn, 0), // what is damaged is named below
	}
	for _, ev := range s.Events {
		r.Checkpoint = r.Checkpoint || session.MessageOf(ev).Checkpoint()
	}
	for _, d := range res.Damage {
		r.Notes = append(r.Notes, fmt.Sprintf("damaged tail: %v; %s from there on left out", d, count(res.Dropped, "record")))
	}
	for _, typ := range res.Unknown {
		r.Notes = append(r.Notes, fmt.Sprintf("events of the unknown type %q were passed over: a newer dsh may mean something by them", typ))
	}
	return r
}

func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// withSubject names the file in an error that does not name anything yet.
func withSubject(path string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Subject == "" {
		named := *f
		named.Subject = fmt.Sprintf("%q", path)
		return &named
	}
	return jsonl.Unreadable(path, err)
}
