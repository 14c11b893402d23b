package logwriter

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/diskname"
)

const lockName = "session.lock"

var logName = diskname.LogName(0, diskname.RawExt)

// Entry is one event to be appended: the log gives it its seq and its time.
type Entry struct {
	Type    string
	Data    jstext.Value // an object
	Surface bool         // it carries surfaceOp "append"
	// Ignorable: it carries "ignorable":true. dsh refuses a log with a type that it
	// does not know, unless the record says that it may be passed over.
	Ignorable bool
}

// Log is one session's log, opened for writing. Its methods may be called at the
// same time.
type Log struct {
	header session.Header
	path   string
	now    func() time.Time
	lock   *flock.Flock

	mu   sync.Mutex
	file *os.File
	size int64 // bytes that are acknowledged
	fold *session.Fold
	err  error // sticky: after it nothing is appended any more
}

// Options is how a log is opened.
type Options struct {
	ID  string
	Cwd *string // of a new log; nil: none
	Now func() time.Time
}

// Open opens a session's log for writing and makes it if there is none: it takes
// the lock, cuts off a torn tail and closes a turn that was interrupted. Errors
// that a caller may match are *fault.Error: rule "locked" where another process
// writes, kind Damaged where the log cannot be continued, Unsupported where its
// format is not the one that is written here.
func (r *Root) Open(o Options) (*Log, error) {
	l := &Log{now: o.Now, fold: session.NewFold(0)}
	if err := r.exclusively(func() error { return l.claim(r, o) }); err != nil {
		l.Close()
		return nil, err
	}
	if err := l.load(o.ID); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// claim finds the log or makes it, takes its lock and opens it.
func (l *Log) claim(r *Root, o Options) error {
	dir, exists, err := r.find(o.ID, o.Cwd)
	if err != nil {
		return err
	}
	if err := mkdirAll(dir); err != nil {
		return err
	}
	l.path = filepath.Join(dir, logName)
	l.lock = newLock(filepath.Join(dir, lockName))
	locked, err := tryLock(l.lock)
	if err != nil {
		return err
	}
	if !locked {
		return &fault.Error{
			Kind: fault.Unexpected, Code: fault.Failed, Rule: "locked",
			Subject: subject(o.ID), Message: "another process is writing to it",
		}
	}
	tmp := l.path + ".tmp"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // the lock is ours, so one that is there was left by a crash
	}
	if !exists {
		if err := l.publish(tmp, session.NewHeader(o.ID, o.Now().UnixMilli(), o.Cwd)); err != nil {
			return err
		}
	}
	l.file, err = openAppend(l.path)
	return err
}

// publish writes a log that holds only its header to tmp and links it into place.
func (l *Log) publish(tmp string, h session.Header) error {
	f, err := create(tmp)
	if err != nil {
		return err
	}
	if err := writeAndClose(f, headerLine(h)); err != nil {
		return err
	}
	if err := os.Link(tmp, l.path); err != nil {
		return err
	}
	if err := os.Remove(tmp); err != nil {
		return err
	}
	return syncDir(filepath.Dir(l.path))
}

// headerLine is the first line of a log: the header as it is printed, with its
// type in front.
func headerLine(h session.Header) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text("session")
	for key, v := range h.JSON.Members() {
		w.Key(key)
		w.Raw(v)
	}
	w.EndObject()
	return append(w.Bytes(), '\n')
}

// Append appends a batch of events and returns them as they are in the log. It
// returns when they are durable. After an error the log takes nothing more: what
// is on disk is then known only to the next Open.
func (l *Log) Append(batch ...Entry) ([]session.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil, l.err
	}
	seq, now := l.fold.Next(), l.now().UnixMilli()
	events := make([]session.Event, len(batch))
	for i, e := range batch {
		events[i] = e.event(seq+int64(i), now)
	}
	if err := l.append(events); err != nil {
		return nil, err
	}
	return events, nil
}

// append writes events that have their seqs, and folds them.
func (l *Log) append(events []session.Event) error {
	var lines []byte
	for _, ev := range events {
		lines = append(append(lines, ev.JSON.Raw()...), '\n')
	}
	if err := l.write(lines); err != nil {
		l.err = fmt.Errorf("%s: write %q: %w", subject(l.header.ID), l.path, err)
		return l.err
	}
	for _, ev := range events {
		if err := l.fold.Add(ev); err != nil {
			l.err = err
			return err
		}
	}
	return nil
}

func (l *Log) write(lines []byte) error {
	_, err := l.file.Write(lines)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		// Take back what got onto the disk, so that no reader sees what nobody was
		// told. If that fails too, the next Open sorts it out.
		_ = l.file.Truncate(l.size)
		return err
	}
	l.size += int64(len(lines))
	return nil
}

func (e Entry) event(seq, time int64) session.Event {
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text(e.Type)
	w.Key("seq")
	w.Int(seq)
	w.Key("time")
	w.Int(time)
	w.Key("data")
	w.Raw(e.Data)
	if e.Surface {
		w.Key("surfaceOp")
		w.Text("append")
	}
	if e.Ignorable {
		w.Key("ignorable")
		w.Bool(true)
	}
	w.EndObject()
	return session.ParseEvent(w.Value())
}

// Header is the log's header.
func (l *Log) Header() session.Header { return l.header }

// Path is the log's file.
func (l *Log) Path() string { return l.path }

// Next is the seq that the next event will have.
func (l *Log) Next() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fold.Next()
}

// Surface is the current surface, from memory.
func (l *Log) Surface() *session.Surface {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fold.Surface(l.header)
}

// Events reads every acknowledged event back from the file.
func (l *Log) Events() iter.Seq2[session.Event, error] {
	l.mu.Lock()
	size := l.size
	l.mu.Unlock()
	return func(yield func(session.Event, error) bool) {
		f, err := os.Open(l.path)
		if err != nil {
			yield(session.Event{}, err)
			return
		}
		defer f.Close()
		readEvents(f, size, yield)
	}
}

// Close gives the log up to the next writer.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = &fault.Error{Kind: fault.Unexpected, Code: fault.Failed, Subject: subject(l.header.ID), Message: "the log is closed"}
	}
	var err error
	if l.file != nil {
		err = l.file.Close()
		l.file = nil
	}
	if l.lock != nil {
		if unlockErr := l.lock.Close(); err == nil {
			err = unlockErr
		}
	}
	return err
}
