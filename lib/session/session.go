package session

import (
	"strconv"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Header is the first line of a log.
type Header struct {
	Version   int
	ID        string
	CreatedAt int64   // ms since the epoch
	Cwd       *string // nil: none
	// JSON is the header as it is printed: the known keys only, in the order
	// version, id, createdAt, cwd, parentSession, seedLength or isSeeded, origin,
	// delegationDepth.
	JSON jstext.Value
}

// Event is one record of a log. Absent values stand for missing keys.
type Event struct {
	Type            string
	Seq             int64 // -1 where the record's seq is no safe integer
	Time            int64 // ms since the epoch; 0 where it is no safe integer
	Data            jstext.Value
	SurfaceOp       jstext.Value
	SourceEventSeqs jstext.Value
	// JSON is the whole event, source ranges written out.
	JSON jstext.Value
}

// Surface is the current surface of one session, from one observation of its
// source and detached from it (SPEC 4).
type Surface struct {
	Header Header
	// CapturedThroughSeq is the highest raw seq of the observation; nil for a log
	// without events.
	CapturedThroughSeq *int64
	Events             []Event // the current nodes, in order
	Title              *string // the latest folded title, as listings show it; nil: none, or not observed
}

// AppendJSON appends {"session","capturedThroughSeq","events"}.
func (s *Surface) AppendJSON(dst []byte) []byte {
	dst = s.Header.JSON.AppendJSON(append(dst, `{"session":`...))
	dst = append(dst, `,"capturedThroughSeq":`...)
	if s.CapturedThroughSeq == nil {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, *s.CapturedThroughSeq, 10)
	}
	dst = append(dst, `,"events":[`...)
	for i, e := range s.Events {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.JSON.AppendJSON(dst)
	}
	return append(dst, "]}"...)
}
