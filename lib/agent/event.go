package agent

import "github.com/dsh-toolkit/dsh/lib/session"

// Event is something that happened to an agent: one of the types below.
type Event interface{ event() }

type (
	// Queued (agent/queued): a message is owned. Record is all that was kept of it.
	Queued struct{ Record Record }

	// Dropped: waiting messages were let go, with their contexts.
	Dropped struct{ Records []Record }

	// TurnStarted: a message was claimed.
	TurnStarted struct {
		Turn   int64
		Record Record
	}

	// Blocked: a listener blocked the turn's prompt.
	Blocked struct {
		Turn   int64
		Reason string
	}

	// Appended: a message is in the log, durably, and on the surface.
	Appended struct {
		Event    session.Event
		RecordID string // the record that steered or was injected; empty: the turn's own, or no record
	}

	// StepStarted: the model is about to be asked.
	StepStarted struct{ Turn, Step int64 }

	// TextDelta: a piece of an answer that is not finished.
	TextDelta struct {
		Turn, Step int64
		Text       string
	}

	// StepEnded: the step is over; its answer was Appended if there was one.
	StepEnded struct{ Turn, Step int64 }

	// TurnEnded: the turn is closed in the log.
	TurnEnded struct {
		Turn   int64
		Record Record
		Reason Reason
		Err    error // why, if Reason is Errored
	}

	// Idle: nothing runs and nothing waits.
	Idle struct{}

	// Stopped: the agent has come to its end, by Dispose if Err is nil.
	Stopped struct{ Err error }
)

func (Queued) event()      {}
func (Dropped) event()     {}
func (TurnStarted) event() {}
func (Blocked) event()     {}
func (Appended) event()    {}
func (StepStarted) event() {}
func (TextDelta) event()   {}
func (StepEnded) event()   {}
func (TurnEnded) event()   {}
func (Idle) event()        {}
func (Stopped) event()     {}

// Reason is why a turn ended, as turn/end has it in reason.kind.
type Reason string

// The reasons. A turn that was cut off by the end of its process is closed as
// "interrupted" when its log is next opened for writing.
const (
	Completed Reason = "completed"
	Rejected  Reason = "rejected"
	Aborted   Reason = "aborted"
	Errored   Reason = "error"
)
