package surface

import (
	"context"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
	"github.com/dsh-toolkit/dsh/lib/store/known"
)

// check prints a verdict on a log. What is wrong with it is part of the verdict,
// and then decides the status, as reading it would.
func check(c *cli.Call) error {
	v, err := judge(c)
	if err != nil {
		return err
	}
	if _, err := c.Out.Write(append(v.json, '\n')); err != nil {
		return err
	}
	if v.reason == nil {
		return nil
	}
	return v.reason
}

// verdict is a printed verdict and why the session cannot be referenced, if so.
type verdict struct {
	json   []byte
	reason *fault.Error
}

func judge(c *cli.Call) (verdict, error) {
	opts := store.ReadOptions{Verify: true}
	if c.Args().First() == "-" {
		r, err := known.ReadStream(c.Ctx(), c.Sys.Stdin, "<stdin>", opts)
		return ofReading("<stdin>", r, err)
	}
	set, err := stores.Open(c)
	if err != nil {
		return verdict{}, err
	}
	op, err := parseOperand(c, set)
	if err != nil {
		return verdict{}, err
	}
	if op.file != "" {
		return judgeFile(c.Ctx(), op.file, opts)
	}
	found, err := set.Find(c.Ctx(), op.id)
	if err != nil {
		return verdict{}, err
	}
	if dsh, ok := found.Store.(*dshlog.Store); ok {
		return ofLog(dsh.Check(c.Ctx(), found.Ref))
	}
	r, err := found.Store.Read(c.Ctx(), found.Ref, opts)
	return ofReading(found.Ref.Path, r, err)
}

func judgeFile(ctx context.Context, arg string, opts store.ReadOptions) (verdict, error) {
	kind, path, err := known.KindOf(arg)
	if err != nil {
		return verdict{}, err
	}
	if kind == store.DSH {
		return ofLog(dshlog.CheckFile(ctx, path))
	}
	r, err := known.ReadFile(ctx, arg, opts)
	return ofReading(path, r, err)
}

func ofLog(v *dshlog.Verdict, err error) (verdict, error) {
	if err != nil {
		return verdict{}, err
	}
	return verdict{v.AppendJSON(nil), v.Reason}, nil
}

// ofReading makes a verdict of a reading, for formats that have no frames and
// offsets to tell of. A session that is damaged or of a newer format has a verdict;
// one that cannot be opened has none.
func ofReading(path string, r *store.Reading, err error) (verdict, error) {
	var reason *fault.Error
	switch {
	case err != nil:
		reason = fault.Of(err)
		if reason.Kind != fault.Damaged && reason.Kind != fault.Unsupported {
			return verdict{}, err
		}
		r = &store.Reading{Receipt: store.Receipt{Path: path}}
	default:
		_, err = r.ForReference()
		reason = fault.Of(err)
	}
	rec := r.Receipt
	var w jstext.Writer
	w.BeginObject()
	text := func(key, s string) { w.Key(key); w.Text(s) }
	number := func(key string, n int64) { w.Key(key); w.Int(n) }
	text("sessionId", rec.SessionID)
	text("path", rec.Path)
	text("format", rec.Format)
	number("bytes", rec.BytesRead)
	w.Key("capturedThroughSeq")
	w.OptInt(rec.CapturedThroughSeq)
	number("tornTail", rec.TornTail)
	number("damagedRecords", rec.DamagedRecords)
	number("droppedBranches", rec.DroppedBranches)
	w.Key("checkpoint")
	w.Bool(rec.Checkpoint)
	w.Key("referenceable")
	w.Bool(reason == nil)
	w.Key("reason")
	if reason == nil {
		w.Null()
	} else {
		w.BeginObject()
		text("code", string(reason.Code))
		text("rule", reason.Rule)
		text("message", reason.Error())
		w.EndObject()
	}
	w.EndObject()
	return verdict{w.Bytes(), reason}, nil
}
