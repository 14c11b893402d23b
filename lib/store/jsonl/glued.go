package jsonl

import (
	"bytes"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// glued holds the record that was written behind one that was cut off where a value
// was to come, so that both together look like one: the object that was closed last,
// where it has the form of a record. The splitter stands behind it then.
func (l *splitter) glued() bool {
	at := l.inner
	if l.form == nil || at.Len == 0 || l.state != afterValue {
		return false
	}
	for _, f := range l.stack {
		if f.lists {
			return false // it is an element of the list as likely
		}
	}
	sc := scanner{shape: l.form.with(l.shape)}
	if l.again(&sc, at) != nil {
		return false // it has changed since
	}
	v, err := jstext.Parse(jstext.Decode(sc.out))
	if err != nil || !l.form.Is(v) {
		return false
	}
	l.damage()
	l.held = &Record{Span: at, Value: v}
	l.start = -1
	l.reset()
	return true
}

// flush yields the record that was held back.
func (l *splitter) flush() error {
	if l.held == nil {
		return nil
	}
	rec := *l.held
	l.held = nil
	return l.give(rec)
}

// dismiss drops what was held back: it is a part of what is damaged.
func (l *splitter) dismiss() {
	l.start, l.held, l.skip = l.held.Off, nil, true
	l.damage()
}

// behindNULs passes over damaged bytes up to a record that stands behind a run of NULs,
// which is where a file had grown and the machine stopped.
func (l *splitter) behindNULs(p []byte) (n int) {
	for n < len(p) {
		if p[n] == 0 {
			l.inNuls = true
			n++
			continue
		}
		if l.inNuls && p[n] == '{' {
			l.skip, l.inNuls, l.start = false, false, -1
			return n
		}
		l.inNuls = false
		i := bytes.IndexByte(p[n:], 0)
		if i < 0 {
			return len(p)
		}
		n += i
	}
	return n
}
