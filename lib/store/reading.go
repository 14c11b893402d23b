package store

import (
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// ForReference is the reading's surface where it can be shown to another session.
// One whose compaction summary cannot be read (it is encrypted, or empty) cannot:
// what is left would pass for the whole conversation. The error is Unsupported.
func (r *Reading) ForReference() (*session.Surface, error) {
	if r.Receipt.SealedCheckpoint {
		return nil, &fault.Error{
			Kind: fault.Unsupported, Code: fault.ReadFailed, Rule: "sealed-checkpoint",
			Subject: Subject(r.Receipt.SessionID),
			Message: "the summary of its last compaction cannot be read",
			Hint:    "dsh-surface shows what is readable; dsh-ref --surface takes that",
		}
	}
	return r.Surface, nil
}
