package reference

import (
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Reference is one session that a message mentions.
type Reference struct {
	SessionID string
	Label     string
}

// Normalize checks references {sessionId, label?} in the order of their appearance
// and drops repeated ids: the first label wins, a missing one is the id. target is
// the session that the message is for, nil for none. What is wrong with an earlier
// reference comes before what is wrong with a later one, and both before there
// being more than limit of them.
//
// The errors are InvalidReference, SelfReference and TooMany.
func Normalize(target *string, values []jstext.Value, limit int) ([]Reference, error) {
	var out []Reference
	seen := make(map[string]bool)
	for i, v := range values {
		r, err := parseReference(i, v)
		if err != nil {
			return nil, err
		}
		if target != nil && r.SessionID == *target {
			return nil, selfReference(r.SessionID)
		}
		if !seen[r.SessionID] {
			seen[r.SessionID] = true
			out = append(out, r)
		}
	}
	if len(out) > limit {
		return nil, &fault.Error{
			Kind: fault.Reference, Code: fault.TooMany, Rule: "too-many",
			Message: fmt.Sprintf("%d sessions are referenced, %d allowed", len(out), limit),
		}
	}
	return out, nil
}

func parseReference(i int, v jstext.Value) (Reference, error) {
	if v.Kind() != jstext.Object && v.Kind() != jstext.Array {
		return Reference{}, invalidReference("reference-object", "reference %d is not an object", i+1)
	}
	id, ok := v.Get("sessionId").Text()
	if !ok {
		return Reference{}, invalidReference("reference-fields", "reference %d has no string sessionId", i+1)
	}
	label := v.Get("label")
	if !label.Exists() {
		return Reference{id, id}, nil
	}
	text, ok := label.Text()
	if !ok {
		return Reference{}, invalidReference("reference-fields", "reference %d has a label that is not a string", i+1)
	}
	return Reference{id, text}, nil
}

func invalidReference(rule, format string, args ...any) error {
	return &fault.Error{Kind: fault.Reference, Code: fault.InvalidReference, Rule: rule, Message: fmt.Sprintf(format, args...)}
}

func selfReference(id string) error {
	return &fault.Error{
		Kind: fault.Reference, Code: fault.SelfReference, Rule: "self", Subject: subject(id),
		Message: "is the session that the message is for",
	}
}

func subject(id string) string { return fmt.Sprintf("session %q", id) }
