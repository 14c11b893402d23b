package logwriter

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// load reads an existing log: it folds every event, cuts off a torn tail and
// closes what was interrupted.
func (l *Log) load(id string) error {
	r := bufio.NewReaderSize(l.file, 64<<10)
	line, err := r.ReadBytes('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if l.header, err = parseHeader(line, id); err != nil {
		return l.unusable(err)
	}
	l.size = int64(len(line))
	var repair session.Repair
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			break // what is left is no line yet: a torn tail
		}
		if err != nil {
			return err
		}
		ev, err := parseEvent(line)
		if err == nil {
			err = l.fold.Add(ev)
		}
		if err != nil {
			return l.unusable(fmt.Errorf("at byte %d: %w", l.size, err))
		}
		repair.Add(ev)
		l.size += int64(len(line))
	}
	if err := l.cutTail(); err != nil {
		return err
	}
	if closers := repair.Closers(); len(closers) > 0 {
		return l.append(closers)
	}
	return nil
}

// cutTail makes the file end where the last whole record does.
func (l *Log) cutTail() error {
	info, err := l.file.Stat()
	if err != nil || info.Size() == l.size {
		return err
	}
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	return l.file.Sync()
}

func (l *Log) unusable(err error) error {
	kind := fault.KindOf(err)
	if kind != fault.Unsupported && kind != fault.Unreadable {
		kind = fault.Damaged
	}
	return &fault.Error{
		Kind: kind, Code: fault.ReadFailed, Subject: fmt.Sprintf("%q", l.path),
		Message: "cannot be continued", Err: err,
	}
}

func parseEvent(line []byte) (session.Event, error) {
	v, err := jstext.Parse(jstext.Decode(line))
	if err != nil {
		return session.Event{}, err
	}
	if v.Kind() != jstext.Object {
		return session.Event{}, errors.New("not an event")
	}
	return session.ParseEvent(v), nil
}

// parseHeader reads a first line that headerLine wrote for this id.
func parseHeader(line []byte, id string) (session.Header, error) {
	v, err := jstext.Parse(jstext.Decode(line))
	if err != nil {
		return session.Header{}, fmt.Errorf("the header: %w", err)
	}
	version, ok := v.Get("version").Int()
	createdAt, okTime := v.Get("createdAt").Int()
	got, okID := v.Get("id").Text()
	switch {
	case !v.Get("type").Is("session"), !ok, !okTime, !okID:
		return session.Header{}, errors.New("the first line is no session header")
	case version != 0:
		return session.Header{}, &fault.Error{
			Kind: fault.Unsupported, Code: fault.ReadFailed, Rule: "format",
			Message: fmt.Sprintf("it is of format %d, and only format 0 is written here", version),
		}
	case got != id:
		return session.Header{}, &fault.Error{
			Kind: fault.Unreadable, Code: fault.ReadFailed, Rule: "id-mismatch",
			Message: fmt.Sprintf("its header names session %q", got),
		}
	}
	var cwd *string
	if dir, ok := v.Get("cwd").Text(); ok {
		cwd = &dir
	}
	return session.NewHeader(id, createdAt, cwd), nil
}

// readEvents yields the events in the first size bytes of a log.
func readEvents(f io.Reader, size int64, yield func(session.Event, error) bool) {
	r := bufio.NewReaderSize(io.LimitReader(f, size), 64<<10)
	if _, err := r.ReadBytes('\n'); err != nil { // the header
		yield(session.Event{}, err)
		return
	}
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return
		}
		var ev session.Event
		if err == nil {
			ev, err = parseEvent(line)
		}
		if !yield(ev, err) || err != nil {
			return
		}
	}
}
