package dshlog

import (
	"context"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
	"github.com/dsh-toolkit/dsh/lib/store/headcache"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Title is the title that reading the session would fold, from the cache where it
// knows the file. Without it the log is scanned for titles alone: what else is on
// its surface is not parsed into events, and what is wrong with it no error here.
func (s *Store) Title(ctx context.Context, e store.Entry) (*string, error) {
	info, err := statLog(e.Path)
	if err != nil {
		return nil, err
	}
	f, err := s.facts(e.Path, info)
	if err != nil {
		return nil, err
	}
	if f.titled {
		return f.title, nil
	}
	f.title, err = jsonl.Await(ctx, func() (*string, error) {
		var t *string
		err := observe(ctx, e.Path, func(o *observation) error {
			var err error
			t, err = titleOnce(ctx, o)
			return err
		})
		return t, err
	})
	if err != nil {
		return nil, withSubject(e.Path, err)
	}
	f.titled = true
	s.cache.Put(headcache.KeyOf(e.Path, info), f.String())
	return f.title, nil
}

func titleOnce(ctx context.Context, o *observation) (*string, error) {
	title, err := scanTitle(ctx, o, true)
	if title != nil && session.NamesSnapshot(*title) {
		// Only the prompt that it was made of tells what the person asked.
		return scanTitle(ctx, o, false)
	}
	return title, err
}

func scanTitle(ctx context.Context, o *observation, titlesOnly bool) (*string, error) {
	var fold *session.Fold
	res, err := scan.Scan(ctx, o.source(), scan.Options{
		TitlesOnly: titlesOnly,
		Begin: func(h session.Header) (scan.Sink, error) {
			fold = session.NewFold(h.Version)
			return fold, record.CheckHeader(h)
		},
	})
	if err != nil {
		return nil, err
	}
	o.doubt(res)
	return fold.Title(), nil
}
