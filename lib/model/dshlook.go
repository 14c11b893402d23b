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

// LookInLog looks for the rpcId of a message in a dsh log on disk, in whatever
// format and encoding: in the message itself, or in the record that dsh has queued
// it. What cannot be decoded any more, as in a torn tail, is not there yet.
func LookInLog(ctx context.Context, path, rpcID string) Sight {
	f, err := os.Open(path)
	if err != nil {
		return Unreadable
	}
	defer f.Close()
	head := make([]byte, 4)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Unreadable
	}
	r := io.Reader(f)
	if zframe.Is(head[:n]) {
		var z zframe.Decoder
		defer z.Close()
		if r, err = z.Reader(f); err != nil {
			return Unreadable
		}
	}
	return lookIn(ctx, r, rpcID)
}

// lookIn looks through the lines of a log. A line is parsed only if it spells the
// id somewhere.
func lookIn(ctx context.Context, r io.Reader, rpcID string) Sight {
	lines := bufio.NewReaderSize(r, 256<<10)
	needle := jstext.AppendQuote(nil, rpcID)
	for ctx.Err() == nil {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return Unseen // what has no line feed is not there yet
		}
		if bytes.Contains(line, needle) && holdsRPC(jstext.Decode(line), rpcID) {
			return Seen
		}
	}
	return Unseen
}

// holdsRPC reports whether an event is a message with the id, or the queueing of
// one.
func holdsRPC(line, rpcID string) bool {
	ev, err := jstext.Parse(line)
	if err != nil {
		return false
	}
	data := ev.Get("data")
	if isRPC(data, rpcID) || isRPC(data.Get("message"), rpcID) {
		return true
	}
	for m := range data.Get("inserted").Elements() {
		if isRPC(m, rpcID) {
			return true
		}
	}
	return false
}

func isRPC(message jstext.Value, rpcID string) bool {
	return message.Get("source", "rpcId").Is(rpcID)
}
