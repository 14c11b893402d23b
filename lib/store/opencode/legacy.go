package opencode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// message is what has to be known of a message before its parts are read; v1 and
// the JSON files share the shape.
type message struct {
	id, role, parent string
	time             int64
	completed        bool
	failed           bool
	finish           bool
	provider, model  string
	summary          bool            // an assistant message that is a compaction's summary
	legacyText       string          // a user message's text where it has no parts
	seq              int64           // position in the session
	hidden           map[string]bool // the parts that a pending revert hides
}

// aborted is the error of an answer that a person interrupted. What it had said by
// then is in OpenCode's next request. 1.18.33 was seen to send it, and to write the time
// of completion; without that the answer has no end, and counts as failed.
const aborted = "MessageAbortedError"

// newMessage reads a message record. created is the time of its row; 0: look into
// the record.
func newMessage(id string, created int64, v jstext.Value) message {
	m := message{id: id, time: created}
	if created == 0 {
		m.time = millis(v.Get("time", "created"))
	}
	m.role = text(v.Get("role"))
	m.parent = text(v.Get("parentID"))
	if m.role == "user" {
		m.legacyText = legacyText(v.Get("summary"))
		return m
	}
	m.completed = present(v.Get("time", "completed"))
	m.failed = present(v.Get("error")) && !(m.completed && v.Get("error", "name").Is(aborted))
	m.finish = text(v.Get("finish")) != ""
	m.summary = v.Get("summary").True()
	m.provider = text(v.Get("providerID"))
	m.model = text(v.Get("modelID"))
	return m
}

// legacyText is the prompt of the oldest files, which had no parts for it.
func legacyText(summary jstext.Value) string {
	title, body := strings.TrimSpace(text(summary.Get("title"))), strings.TrimSpace(text(summary.Get("body")))
	if title == "" || strings.HasPrefix(body, title) {
		return body
	}
	return transcript.Join([]string{title, body})
}

// part is a text part.
type part struct {
	id, text string
	injected bool // synthetic or ignored: nobody typed it
}

func newPart(id string, v jstext.Value) part {
	p := part{id: id, injected: v.Get("synthetic").True() || v.Get("ignored").True()}
	p.text, _ = v.Get("text").Text()
	return p
}

// partSource is where the parts of one session's messages are.
type partSource interface {
	// compactions returns the compaction parts of these messages, by message id.
	compactions(ctx context.Context, ids []string) (map[string]jstext.Value, error)
	// texts returns the text parts of these messages, each message's ordered by id.
	texts(ctx context.Context, ids []string) (map[string][]part, error)
	// bare returns those of these messages that have no part of any type.
	bare(ctx context.Context, ids []string) (map[string]bool, error)
	// order returns the ids of all parts of a message, of any type, in order.
	order(ctx context.Context, id string) ([]string, error)
}

// assemble makes the conversation of a session that is kept as messages with parts.
// The order of messages is by time, then by id, which sorts by time as well.
//
// The rules are those of message-v2.ts and revert.ts of OpenCode 1.x, as described.
func (t *reading) assemble(ctx context.Context, messages []message, src partSource) error {
	slices.SortStableFunc(messages, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.time, b.time), strings.Compare(a.id, b.id))
	})
	for i := range messages {
		messages[i].seq = int64(i)
	}
	t.last = int64(len(messages)) - 1
	messages, err := t.applyRevert(ctx, messages, src)
	if err != nil {
		return err
	}
	summary, visible, err := window(ctx, messages, src)
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(visible)+1)
	if summary != nil {
		ids = append(ids, summary.id)
	}
	for _, m := range visible {
		ids = append(ids, m.id)
	}
	texts, err := src.texts(ctx, ids)
	if err != nil {
		return err
	}
	if summary != nil {
		t.checkpoint(summary.seq, summary.time, joinParts(texts[summary.id]))
	}
	bare, err := bareMessages(ctx, visible, texts, src)
	if err != nil {
		return err
	}
	for _, m := range visible {
		text := joinParts(slices.DeleteFunc(texts[m.id], func(p part) bool { return m.hidden[p.id] }))
		if bare[m.id] {
			if text = m.legacyText; text == "" {
				t.hollow++
			}
		}
		if m.role == "user" {
			t.User(m.seq, m.time, text)
		} else {
			t.Assistant(m.seq, m.time, text, m.provider, m.model)
		}
	}
	if t.hollow > 0 {
		t.damaged += t.hollow
		t.named += t.hollow
		t.notes = append(t.notes, fmt.Sprintf("messages without any part: %d; what they said is missing", t.hollow))
	}
	return nil
}

// applyRevert takes away what a pending revert hides: the messages from its message
// on, by their place in the session. Ids do not tell the place: they wrapped around in
// August 2026. Where the revert names a part too, that message stays, with the parts
// before that one. A message or a part that is not there takes nothing away.
func (t *reading) applyRevert(ctx context.Context, messages []message, src partSource) ([]message, error) {
	from, cut := t.record.revertMessage, t.record.revertPart
	at := slices.IndexFunc(messages, func(m message) bool { return from != "" && m.id == from })
	if at < 0 {
		return messages, nil
	}
	if cut == "" {
		t.reverted = true
		return messages[:at], nil
	}
	order, err := src.order(ctx, from)
	if err != nil {
		return nil, err
	}
	first := slices.Index(order, cut)
	if first < 0 {
		return messages, nil
	}
	t.reverted = true
	m := &messages[at]
	m.hidden = make(map[string]bool)
	for _, id := range order[first:] {
		m.hidden[id] = true
	}
	return messages[:at+1], nil
}

// window finds the latest finished compaction and returns its summary (nil: there
// is none), with the seq of the last message that it replaced, and the messages
// beside it that can have text to show, in order.
func window(ctx context.Context, messages []message, src partSource) (*message, []message, error) {
	answered := make(map[string]int) // the request's id → its finished summary's index
	var requests []string
	for i, m := range messages {
		if m.role == "assistant" && m.summary && m.finish && !m.failed && m.parent != "" {
			answered[m.parent] = i
			requests = append(requests, m.parent)
		}
	}
	var parts map[string]jstext.Value
	if len(requests) > 0 {
		var err error
		if parts, err = src.compactions(ctx, requests); err != nil {
			return nil, nil, err
		}
	}
	for at := len(messages) - 1; at >= 0; at-- {
		m := messages[at]
		p, ok := parts[m.id]
		if sum := answered[m.id]; ok && m.role == "user" && sum > at {
			from := tailStart(messages[:at], p)
			summary := messages[sum]
			summary.seq = max(messages[from].seq-1, 0) // in the place of what it replaced
			return &summary, shown(messages[from:]), nil
		}
	}
	return nil, shown(messages), nil
}

// tailStart is where the messages begin that a compaction keeps as they are; the
// number of messages where it keeps none.
func tailStart(before []message, compaction jstext.Value) int {
	id := text(compaction.Get("tail_start_id"))
	if id == "" {
		return len(before)
	}
	if i := slices.IndexFunc(before, func(m message) bool { return m.id == id }); i >= 0 {
		return i
	}
	// The message itself is gone; ids sort by time, so the tail is still known.
	if i := slices.IndexFunc(before, func(m message) bool { return m.id > id }); i >= 0 {
		return i
	}
	return len(before)
}

// shown keeps user messages, and assistant messages that did not fail. One that is not
// completed is still being written, unless a prompt stands behind it: then OpenCode was
// killed, and sends what was written in its next request (seen with 1.18.33).
func shown(messages []message) []message {
	last := len(messages) - 1
	for last >= 0 && messages[last].role != "user" {
		last--
	}
	var out []message
	for i, m := range messages {
		if m.role == "user" || m.role == "assistant" && (m.completed || i < last) && !m.failed && !m.summary {
			out = append(out, m)
		}
	}
	return out
}

// bareMessages returns the messages that have no parts: those of the oldest files, whose
// text is in their own record, and those whose parts are lost.
func bareMessages(ctx context.Context, visible []message, texts map[string][]part, src partSource) (map[string]bool, error) {
	var ids []string
	for _, m := range visible {
		if len(texts[m.id]) == 0 {
			ids = append(ids, m.id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return src.bare(ctx, ids)
}

// joinParts is a message's text, without what was injected.
func joinParts(parts []part) string {
	var texts []string
	for _, p := range parts {
		if !p.injected {
			texts = append(texts, p.text)
		}
	}
	return transcript.Join(texts)
}
