package session

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

const titleType = "session/title"

// titleOf is the title that a session/title event sets. One that is missing or no
// string takes the title away: what was before it is no longer meant.
func titleOf(ev Event) *string {
	if t, ok := ev.Data.Get("title").Text(); ok {
		return &t
	}
	return nil
}

// The limits of a title that no person and no model chose, dsh's and ours.
const (
	FallbackWords = 5
	FallbackBytes = 60
)

// NamesSnapshot reports whether a title was made of a prompt that begins with a
// frame, as far as the title alone can tell.
func NamesSnapshot(title string) bool { return strings.HasPrefix(title, frame.Heading) }

// shownTitle is the title to show for one that an event sets: with mentions as
// @label, and, where a program made it of a prompt that turns out to begin with a
// frame, made of the person's own request instead. Node gives the event of a seq
// that is on the surface.
func shownTitle(ev Event, node func(seq int64) (Event, bool)) *string {
	title := titleOf(ev)
	if title == nil {
		return nil
	}
	if NamesSnapshot(*title) && ev.Data.Get("source", "kind").Is("fallback") {
		if request, framed := requestOf(ev.Data.Get("messageSeqs"), node); framed {
			return request
		}
	}
	shown := sessionuri.Labels(*title)
	return &shown
}

// requestOf makes a title of the first prompt that has a request behind its frame;
// nil where none has. Framed reports whether one of them has a frame at all.
func requestOf(seqs jstext.Value, node func(seq int64) (Event, bool)) (title *string, framed bool) {
	for v := range seqs.Elements() {
		seq, _ := v.Int()
		ev, ok := node(seq)
		if !ok {
			continue
		}
		text, snapshots := MessageOf(ev).Said()
		framed = framed || snapshots > 0
		if t, err := FallbackTitle(sessionuri.Labels(text), FallbackWords, FallbackBytes); err == nil && t != "" {
			return &t, framed
		}
	}
	return nil, framed
}

// TitleRecord is what a session/title event says in full.
type TitleRecord struct {
	Title       string
	MessageSeqs jstext.Value // the prompts it was made from
	Source      jstext.Value // {kind:"fallback"}, or who made it
	EventSeq    int64
	UpdatedAt   int64
}

// LatestTitle returns the latest title event's record; ok is false where there is
// none.
func LatestTitle(events []Event) (rec TitleRecord, ok bool) {
	for i := len(events) - 1; i >= 0; i-- {
		ev := events[i]
		if ev.Type != titleType {
			continue
		}
		title := titleOf(ev)
		if title == nil {
			return TitleRecord{}, false
		}
		return TitleRecord{
			Title: *title, MessageSeqs: ev.Data.Get("messageSeqs"), Source: titleSource(ev.Data.Get("source")),
			EventSeq: ev.Seq, UpdatedAt: ev.Time,
		}, true
	}
	return TitleRecord{}, false
}

// titleSource keeps what is known of a title's source: any other kind than a
// fallback is a provider, whose own keys are kept and its model's too.
func titleSource(v jstext.Value) jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	w.Key("kind")
	if v.Get("kind").Is("fallback") {
		w.Text("fallback")
	} else {
		w.Text("provider")
		writeIfThere(&w, "provider", v.Get("provider"))
		writeIfThere(&w, "model", v.Get("model"))
	}
	w.EndObject()
	return w.Value()
}

// TitleMessage is one prompt that a title can be made from.
type TitleMessage struct {
	Seq  int64
	Text string
}

// TitleMessages returns the prompts a title can be made from, in the log's order:
// what a person typed (Message.Said, so that a snapshot never names the session that
// received it) with its mentions as @label, without steering and without prompts
// that leave no title.
// Events behind throughSeq do not count; nil sets no bound.
func TitleMessages(events []Event, throughSeq *int64) []TitleMessage {
	var out []TitleMessage
	for _, ev := range events {
		if throughSeq != nil && ev.Seq > *throughSeq {
			break
		}
		m := MessageOf(ev)
		if ev.Type != userMessage || !m.ByPerson() {
			continue
		}
		text, _ := m.Said()
		if text = sessionuri.Labels(text); cleanTitle(text) != "" {
			out = append(out, TitleMessage{ev.Seq, text})
		}
	}
	return out
}
