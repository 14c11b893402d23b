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
	failed           bool // by an error
	aborted          bool // by a person
	behind           bool // a prompt stands behind it
	finish           bool
	provider, model  string
	summary          bool   // an assistant message that is a compaction's summary
	legacyText       string // a user message's text where it has no parts
	seq              int64  // position in the session
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
	m.aborted = m.completed && v.Get("error", "name").Is(aborted)
	m.failed = present(v.Get("error")) && !m.aborted
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
	ended    bool // nothing will be added to it
}

func newPart(id string, v jstext.Value) part {
	p := part{id: id, injected: v.Get("synthetic").True() || v.Get("ignored").True(), ended: present(v.Get("time", "end"))}
	p.text, _ = v.Get("text").Text()
	return p
}

// partSource is where the parts of one session's messages are.
type partSource interface {
	// compactions returns the compaction parts of these messages, by message id.
	compactions(ctx context.Context, ids []string) (map[string]jstext.Value, error)
	// texts returns the text parts of these messages, each message's ordered by id.
	texts(ctx context.Context, ids []string) (map[string][]part, error)
	// known returns the ids of the parts of these messages, of any type, by message id.
	known(ctx context.Context, ids []string) (map[string]map[string]bool, error)
	// bare returns those of these messages that have no part of any type.
	bare(ctx context.Context, ids []string) (map[string]bool, error)
}

// assemble makes the conversation of a session that is kept as messages with parts.
// The order of messages is by time, then by id, which sorts by time as well.
//
// The rules are those of message-v2.ts and revert.ts of OpenCode 1.18.33: what it sends
// to its model next is what the session is.
func (t *reading) assemble(ctx context.Context, messages []message, src partSource, copies []older) error {
	messages, src, all, err := t.join(ctx, messages, src, copies)
	if err != nil {
		return err
	}
	if err := t.converse(ctx, messages, src); err != nil {
		return err
	}
	for _, j := range all {
		j.tell(t)
	}
	return nil
}

func (t *reading) converse(ctx context.Context, messages []message, src partSource) error {
	slices.SortStableFunc(messages, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.time, b.time), strings.Compare(a.id, b.id))
	})
	for i := range messages {
		messages[i].seq = int64(i)
	}
	t.last = int64(len(messages)) - 1
	messages, cut, err := t.applyRevert(ctx, messages, src)
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
	bare, err := t.bareMessages(ctx, visible, texts, src)
	if err != nil {
		return err
	}
	for _, m := range visible {
		parts := texts[m.id]
		if cut != "" && m.id == messages[len(messages)-1].id {
			parts = slices.DeleteFunc(parts, func(p part) bool { return p.id >= cut })
		}
		if m.role == "assistant" && !m.completed && !m.behind {
			parts = slices.DeleteFunc(parts, func(p part) bool { return !p.ended })
		}
		text := joinParts(parts)
		if bare[m.id] {
			text = m.legacyText
		}
		if m.role == "user" {
			t.User(m.seq, m.time, text)
		} else {
			t.Assistant(m.seq, m.time, text, m.provider, m.model)
		}
	}
	return nil
}

// window finds the latest finished compaction and returns its summary (nil: there
// is none), with the seq of the last message that it replaced, and the messages
// beside it that can have text to show, in order.
func window(ctx context.Context, messages []message, src partSource) (*message, []message, error) {
	answered := make(map[string]int) // the request's id → its finished summary's index
	var requests []string
	for i, m := range messages {
		if m.role == "assistant" && m.summary && m.finish && !m.failed && !m.aborted && m.parent != "" {
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
	// Where the message itself is gone OpenCode finds no end of the tail: all is in it.
	return max(0, slices.IndexFunc(before, func(m message) bool { return m.id == id }))
}

// shown keeps user messages, and assistant messages that did not fail. One that is not
// completed is still being written, or its program was killed. OpenCode sends what is
// there in its next request (seen with 1.18.33): all where a prompt stands behind it,
// until then the texts that have ended.
func shown(messages []message) []message {
	var out []message
	behind := false
	for _, m := range slices.Backward(messages) {
		if m.role == "user" || m.role == "assistant" && !m.failed && !m.summary {
			m.behind = behind
			out = append(out, m)
		}
		behind = behind || m.role == "user"
	}
	slices.Reverse(out)
	return out
}

// bareMessages returns the messages that have no parts anywhere. The text of a user
// message may be in its own record then; any other one that must have had parts is
// damage. An answer may have none only where it failed or was not completed.
func (t *reading) bareMessages(ctx context.Context, visible []message, texts map[string][]part, src partSource) (map[string]bool, error) {
	var ids []string
	for _, m := range visible {
		if len(texts[m.id]) == 0 {
			ids = append(ids, m.id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	bare, err := src.bare(ctx, ids)
	if err != nil {
		return nil, err
	}
	lost := 0
	for _, m := range visible {
		if bare[m.id] && (m.role == "user" && m.legacyText == "" || m.role == "assistant" && m.completed && !m.aborted) {
			lost++
		}
	}
	if lost > 0 {
		t.damaged, t.named = t.damaged+int64(lost), t.named+int64(lost)
		t.notes = append(t.notes, fmt.Sprintf("messages without any part: %d; what they said is missing", lost))
	}
	return bare, nil
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
