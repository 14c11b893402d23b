// Package agent owns the messages of one session and runs its turns.
//
// A message handed to Send, Steer or Inject is frozen into a Record and waits in a
// Queue. The agent claims one record at a time and opens a turn for it: listeners
// (Hook) see the prompt and may change or block it; what is allowed is put into the
// log together with its contexts (Place) and asked of a Model; what steers while
// the model answers joins the turn between two steps. Everything the model is ever
// given is in the log before it is asked, so the log alone rebuilds every request
// (Requests).
//
// The order in the log, a line a batch, each durable before what follows happens:
//
//	turn/start                                                     then the listeners run
//	user/message, context…, session/title?, step/start             then the model is asked
//	assistant/message, (delivery, steering/message, context…)…, step/end      while something steers
//	step/start                                                     then it is asked again
//	assistant/message, step/end, turn/end
//
// A blocked prompt is turn/start, prompt/blocked, turn/end (rejected); an injected
// context is turn/start, context, turn/end. A context is a user/message of its own
// source's kind, behind a delivery where something of it or of its record has no place
// in that message (deliveryType). A turn that is aborted or fails
// keeps what there was of an answer as a log-only assistant/chunk.
//
// A record is done when its turn has ended in the log. After a crash the log says
// by the record's id what became of it: a turn that ended is not asked again, one
// that was interrupted is, as a new turn.
//
// The package knows no session URI, reads no other session and does no input or
// output but through the interfaces it is given. An agent runs one goroutine.
//
// Rules: SPEC 7.
package agent
