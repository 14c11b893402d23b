package opencode

import (
	"context"
	"slices"
)

// applyRevert takes away what a pending revert hides: the messages from its message
// on, by their place in the session and not by their ids, which began anew in August
// 2026. Where the revert names a part too, its message stays, with the parts before
// that one; the part's id is returned and the message is the last then. A message or
// part that is not there takes nothing away.
//
// The rule is that of SessionRevert.cleanup of OpenCode 1.18.33.
func (t *reading) applyRevert(ctx context.Context, messages []message, src partSource) (kept []message, cut string, err error) {
	from, cut := t.record.revertMessage, t.record.revertPart
	if from == "" {
		return messages, "", nil
	}
	at := slices.IndexFunc(messages, func(m message) bool { return m.id == from })
	if at < 0 {
		t.notes = append(t.notes, "a pending revert names a message that is not there: it hides nothing")
		return messages, "", nil
	}
	if cut == "" {
		t.reverted = true
		return messages[:at], "", nil
	}
	kept = messages[:at+1]
	known, err := src.known(ctx, []string{from})
	if err != nil {
		return nil, "", err
	}
	if !known[from][cut] {
		t.notes = append(t.notes, "a pending revert names a part that is not there: it hides nothing of that part's message")
		cut = ""
	}
	t.reverted = cut != "" || len(kept) < len(messages)
	return kept, cut, nil
}
