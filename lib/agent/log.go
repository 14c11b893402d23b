package agent

import (
	"iter"

	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// Log is the target session's log (*logwriter.Log).
type Log interface {
	// Append appends a batch and returns its events once they are durable.
	Append(batch ...logwriter.Entry) ([]session.Event, error)
	// Next is the seq that the next event will have.
	Next() int64
	// Surface is the current surface, detached.
	Surface() *session.Surface
	// Events reads the log from its beginning.
	Events() iter.Seq2[session.Event, error]
}

// history is what an agent must know of a log that it continues.
type history struct {
	lastTurn int64
	settled  map[string]bool // records whose fate the log holds
	turn     string          // the record of the turn that is open
	next     string          // the record that the next event delivers if it is a message
}

// readHistory reads a log once. A record is settled when its turn has ended by
// itself, or when it steered or was injected: its message is in the log. One whose
// turn was interrupted is not, and is taken up again. Logs from before deliveryType
// have the record's id in the message itself.
func readHistory(events iter.Seq2[session.Event, error]) (history, error) {
	h := history{settled: make(map[string]bool)}
	for ev, err := range events {
		if err != nil {
			return h, err
		}
		h.add(ev)
	}
	return h, nil
}

func (h *history) add(ev session.Event) {
	delivered := h.next
	h.next = ""
	switch ev.Type {
	case deliveryType:
		h.next, _ = ev.Data.Get("recordId").Text()
	case "turn/start":
		if n, ok := ev.Data.Get("turn").Int(); ok {
			h.lastTurn = max(h.lastTurn, n)
		}
		h.turn, _ = ev.Data.Get("trigger", "recordId").Text()
	case "turn/end":
		if h.turn != "" && !ev.Data.Get("reason", "kind").Is("interrupted") {
			h.settled[h.turn] = true
		}
		h.turn = ""
	case "steering/message", "context/message", "user/message":
		if id, ok := ev.Data.Get("recordId").Text(); ok {
			delivered = id
		}
		if delivered != "" {
			h.settled[delivered] = true
		}
	}
}
