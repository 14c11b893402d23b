package model

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/zframe"
)

// State is how far a message has come in a session of dsh's.
type State int

// The states. What dsh does with a message: it puts it into a queue, takes it out when
// a turn, or the next step of one, begins, reads what the message refers to, and writes
// the message down.
const (
	Unseen     State = iota // the logs were read, and it is in none
	Unreadable              // there is no place to look into
	Queued                  // dsh has it in a queue
	Taken                   // dsh has taken it out of its queue
	Failed                  // the turn ended without it
	Seen                    // it is in a log as a message
)

// Sight is what a look into a session's logs found of a message.
type Sight struct {
	State    State
	Attempts int    // how often dsh has put it into a queue
	Words    string // of Failed: why the turn ended, as dsh says it
	Size     int64  // the bytes that were looked at
}

// LookInLog looks for the rpcId of a message in a dsh log on disk, in whatever
// format and encoding. What cannot be decoded any more, as in a torn tail, is not
// there yet. A log that is not there is Unseen, one that cannot be opened Unreadable.
func LookInLog(ctx context.Context, path, rpcID string) Sight {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return Sight{}
	}
	if err != nil {
		return Sight{State: Unreadable}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Sight{State: Unreadable}
	}
	head := make([]byte, 4)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Sight{State: Unreadable}
	}
	r := io.Reader(f)
	if zframe.Is(head[:n]) {
		var z zframe.Decoder
		defer z.Close()
		if r, err = z.Reader(f); err != nil {
			return Sight{State: Unreadable}
		}
	}
	l := look{rpcID: rpcID, needle: jstext.AppendQuote(nil, rpcID), queues: make(map[string][]bool)}
	l.sight.Size = info.Size()
	l.lines(ctx, r)
	return l.sight
}

// look follows one message through the lines of a log.
type look struct {
	rpcID  string
	needle []byte
	sight  Sight
	// queues are dsh's, by name: for each message in one, whether it is ours. Messages
	// leave a queue by their place in it.
	queues map[string][]bool
}

var (
	splicedMark = []byte(`"agent/inbox/spliced"`)
	turnEndMark = []byte(`"turn/end"`)
)

// lines looks through the lines of a log. Only those are parsed that spell the id, or
// the type of an event that can matter.
func (l *look) lines(ctx context.Context, r io.Reader) {
	lines := bufio.NewReaderSize(r, 256<<10)
	for ctx.Err() == nil && l.sight.State != Seen {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // what has no line feed is not there yet
		}
		if bytes.Contains(line, l.needle) || bytes.Contains(line, splicedMark) ||
			l.sight.State == Taken && bytes.Contains(line, turnEndMark) {
			l.line(jstext.Decode(line))
		}
	}
}

func (l *look) line(line string) {
	ev, err := jstext.Parse(line)
	if err != nil {
		return
	}
	data := ev.Get("data")
	switch typ := ev.Get("type"); {
	case typ.Is("agent/inbox/spliced"):
		l.splice(data)
	case typ.Is("turn/end"):
		if l.sight.State == Taken {
			l.sight.State, l.sight.Words = Failed, endOf(data.Get("reason"))
		}
	case l.isOurs(data), l.isOurs(data.Get("message")):
		l.sight.State = Seen
	}
}

// splice follows a queue: some messages leave it, and others take their place.
func (l *look) splice(data jstext.Value) {
	target, _ := data.Get("target").Text()
	q := l.queues[target]
	start := clamp(data.Get("start"), len(q))
	end := start + clamp(data.Get("removedCount"), len(q)-start)
	if slices.Contains(q[start:end], true) {
		l.sight.State = Taken
	}
	var in []bool
	for m := range data.Get("inserted").Elements() {
		ours := l.isOurs(m)
		if in = append(in, ours); ours {
			l.sight.State, l.sight.Words = Queued, ""
			l.sight.Attempts++
		}
	}
	l.queues[target] = slices.Replace(q, start, end, in...)
}

// clamp is v as a number of 0 to most.
func clamp(v jstext.Value, most int) int {
	n, _ := v.Int()
	return int(min(max(n, 0), int64(most)))
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
