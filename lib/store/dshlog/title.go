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
	fold, err := jsonl.Await(ctx, func() (fold *session.Fold, err error) {
		err = observe(ctx, e.Path, func(o *observation) error {
			fold, err = titleOnce(ctx, o)
			return err
		})
		return fold, err
	})
	if err != nil {
		return nil, withSubject(e.Path, err)
	}
	f.titled, f.title, f.moved = true, fold.Title(), fold.Cwd()
	s.cache.Put(headcache.KeyOf(e.Path, info), f.String())
	return f.title, nil
}

// Cwd is the directory that a listed session is in now, as far as Title has found
// out: before that it is the header's.
func (s *Store) Cwd(e store.Entry) *string {
	info, err := statLog(e.Path)
	if err != nil {
		return e.Cwd
	}
	f, err := s.facts(e.Path, info)
	switch {
	case err != nil:
		return e.Cwd
	case f.moved != nil:
		return f.moved
	}
	return f.cwd
}

func titleOnce(ctx context.Context, o *observation) (*session.Fold, error) {
	fold, err := scanTitle(ctx, o, true)
	if err == nil && fold.Title() != nil && session.NamesSnapshot(*fold.Title()) {
		// Only the prompt that it was made of tells what the person asked.
		return scanTitle(ctx, o, false)
	}
	return fold, err
}

func scanTitle(ctx context.Context, o *observation, titlesOnly bool) (fold *session.Fold, err error) {
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
	return fold, nil
}
