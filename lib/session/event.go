package session

import "github.com/dsh-toolkit/dsh/lib/jstext"

// ParseEvent reads one event. It checks nothing: what a log may hold is the
// reader's and the fold's business, so a value of any kind makes an event. A type
// that is no string is the empty one. Of duplicate keys the last wins. The event
// shares v's memory.
func ParseEvent(v jstext.Value) Event {
	ev := Event{Seq: -1, JSON: v}
	for key, m := range v.Members() {
		ev.take(key, m)
	}
	return ev
}

// ReadEvent is jstext.Parse and then ParseEvent, in one pass over the text.
func ReadEvent(text string) (Event, error) {
	ev := Event{Seq: -1}
	v, err := jstext.ParseMembers(text, func(key string, m jstext.Value) { ev.take(key, m) })
	if err != nil {
		return Event{}, err
	}
	ev.JSON = v
	return ev, nil
}

// take takes one member of the event's object.
func (ev *Event) take(key string, m jstext.Value) {
	switch key {
	case "type":
		ev.Type, _ = m.Text()
	case "seq":
		n, ok := m.Int()
		if !ok {
			n = -1
		}
		ev.Seq = n
	case "time":
		ev.Time, _ = m.Int()
	case "data":
		ev.Data = m
	case "surfaceOp":
		ev.SurfaceOp = m
	case "sourceEventSeqs":
		ev.SourceEventSeqs = m
	}
}
