package model

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/zframe"
)

// State is how far a message has come in a session of dsh's. Of two logs of one
// session the higher state is the right one.
type State int

// The states. What dsh does with a message: it puts it into a queue, takes it out when
// a turn, or the next step of one, begins, reads what the message refers to, and writes
// the message down.
const (
	Unreadable State = iota // there is no place to look into
	NoLog                   // the session has no log in the places there are, or none yet
	Unseen                  // the logs were read, and it is in none
	Dropped                 // somebody took it out of dsh's queue for good
	Failed                  // the turn that took it ended without it
	Queued                  // dsh has it in a queue
	Taken                   // dsh has taken it out of its queue for a turn
	Seen                    // it is in a log as a message
)

// Sight is what a look into a session's logs found of a message.
type Sight struct {
	// State is that of the last attempt, or Seen where any attempt came so far.
	State    State
	Attempts int    // how often dsh has put it into a queue
	Words    string // of Failed: why the turn ended, as dsh says it
	Size     int64  // the bytes that were looked at
}

// LookInLog looks for the rpcId of a message in a dsh log on disk, in whatever
// format and encoding. What cannot be decoded any more, as in a torn tail, is not
// there yet. A log that is not there is NoLog, one that cannot be opened Unreadable.
func LookInLog(ctx context.Context, path, rpcID string) Sight {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return Sight{State: NoLog}
	}
	if err != nil {
		return Sight{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Sight{}
	}
	head := make([]byte, 4)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Sight{}
	}
	r := io.Reader(f)
	if zframe.Is(head[:n]) {
		var z zframe.Decoder
		defer z.Close()
		if r, err = z.Reader(f); err != nil {
			return Sight{}
		}
	}
	l := look{rpcID: rpcID, sight: Sight{State: Unseen, Size: info.Size()}}
	l.lines(ctx, r)
	return l.sight
}

// look follows one message through the lines of a log, in constant memory.
type look struct {
	rpcID string
	sight Sight
	// in and at are the place of the last attempt while it is Queued: the name of
	// dsh's queue, and how many messages are before it.
	in string
	at int64
	// What a fork has copied from its parent does not count: seqs below seed, or, where
	// seeded is set, everything up to the record that ends the copy.
	seed   int64
	seeded bool
}

// lines looks through the lines of a log.
func (l *look) lines(ctx context.Context, r io.Reader) {
	lines := bufio.NewReaderSize(r, 256<<10)
	id := jstext.AppendQuote(nil, l.rpcID)
	for first := true; ctx.Err() == nil && l.sight.State != Seen; first = false {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // what has no line feed is not there yet
		}
		if first {
			l.header(jstext.Decode(line))
		} else if matters(line, id) {
			l.line(jstext.Decode(line))
		}
	}
}

// matters reports whether a line has to be parsed. dsh writes the type first, and
// nearly all lines are pieces of answers.
func matters(line, id []byte) bool {
	typ, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if end := bytes.IndexAny(typ, `"\\`); ok && end >= 0 && typ[end] == '"' {
		switch string(typ[:end]) {
		case "agent/inbox/spliced", "turn/end", "session/end-seed":
			return true
		case "user/message", "steering/message":
			return bytes.Contains(line, id)
		}
		return false
	}
	return true
}

func (l *look) header(line string) {
	if h, err := jstext.Parse(line); err == nil && h.Get("type").Is("session") {
		l.seed, _ = h.Get("seedLength").Int()
		l.seeded = h.Get("isSeeded").True()
	}
}

func (l *look) line(line string) {
	ev, err := jstext.Parse(line)
	if err != nil {
		return
	}
	data := ev.Get("data")
	if l.copied(ev, data) {
		return
	}
	switch typ, _ := ev.Get("type").Text(); typ {
	case "agent/inbox/spliced":
		l.splice(data)
	case "turn/end":
		if l.sight.State == Taken {
			l.sight.State, l.sight.Words = Failed, endOf(data.Get("reason"))
		}
	case "user/message", "steering/message":
		if l.isOurs(data) || l.isOurs(data.Get("message")) {
			l.sight.State = Seen
		}
	}
}

// copied reports whether an event is a fork's copy of its parent's.
func (l *look) copied(ev, data jstext.Value) bool {
	if l.seeded {
		l.seeded = !ev.Get("type").Is("session/end-seed") || !data.Get("inherited").True()
		return true
	}
	seq, ok := ev.Get("seq").Int()
	return ok && seq < l.seed
}

// splice follows a queue: some messages leave it, by their places, and others take
// these.
func (l *look) splice(data jstext.Value) {
	target, _ := data.Get("target").Text()
	start, _ := data.Get("start").Int()
	removed, _ := data.Get("removedCount").Int()
	inserted := data.Get("inserted")
	if l.sight.State == Queued && l.in == target && l.at >= start {
		switch {
		case l.at-start >= removed:
			l.at += int64(inserted.Len()) - removed
		case data.Get("outcome").Is("canceled"):
			l.sight.State = Dropped
		default:
			l.sight.State = Taken
		}
	}
	at := start
	for m := range inserted.Elements() {
		if l.isOurs(m) {
			l.sight.State, l.sight.Words = Queued, ""
			l.sight.Attempts++
			l.in, l.at = target, at
		}
		at++
	}
}

// endOf says why a turn ended.
func endOf(reason jstext.Value) string {
	if words, ok := reason.Get("error", "message").Text(); ok && words != "" {
		return words
	}
	kind, _ := reason.Get("kind").Text()
	return kind
}

func (l *look) isOurs(message jstext.Value) bool {
	return message.Get("source", "rpcId").Is(l.rpcID)
}
