package agent

import (
	"iter"

	"github.com/dsh-toolkit/dsh/lib/session"
)

// Requests rebuilds, from an early format 0 log alone, what a model was asked in
// each step: the messages of the surface as it was when the step started. A step
// that was interrupted is among them; whether its request was sent, a log cannot
// know. The sequence ends with the first error.
func Requests(id string, events iter.Seq2[session.Event, error]) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		fold := session.NewFold(0)
		fresh := 0
		for ev, err := range events {
			if err == nil {
				err = fold.Add(ev)
			}
			if err != nil {
				yield(Request{}, err)
				return
			}
			switch ev.Type {
			case "turn/start", "step/start":
				if ev.Type == "step/start" && !yield(request(id, ev, fold.Nodes(), fresh), nil) {
					return
				}
				fresh = 0
			case "user/message", "context/message", "steering/message":
				fresh++
			}
		}
	}
}

// request is the request of a step that starts on a surface.
func request(id string, start session.Event, nodes []session.Event, fresh int) Request {
	r := Request{SessionID: id, Messages: modelMessages(nodes), Fresh: fresh}
	r.Turn, _ = start.Data.Get("turn").Int()
	r.Step, _ = start.Data.Get("step").Int()
	return r
}
