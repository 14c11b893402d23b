package reference

import (
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/frame"
)

// Block bounds a whole block, for a host that takes no more of it.
type Block struct {
	Place    frame.Place // where the block will stand; it chooses the wording
	MaxBytes int         // of the block's text in UTF-8, its frame included; 0: no bound
}

// share retains the sources again so that their block keeps within its bound. All
// have the same share, and what one session does not need of it goes to the others.
// No source gets more than perSource bytes. An error says that the fixed fields of a
// session do not fit into its share.
func (b Block) share(sources []source, perSource int) error {
	if b.MaxBytes == 0 || len(sources) == 0 {
		return nil
	}
	left := b.MaxBytes - len(frame.Write(b.Place, make([][]byte, len(sources))))
	open := make([]*source, len(sources))
	for i := range sources {
		open[i] = &sources[i]
	}
	for len(open) > 0 {
		each := min(left/len(open), perSource)
		var larger []*source
		for _, s := range open {
			if n := len(s.snap.JSON); n <= each {
				left -= n
			} else {
				larger = append(larger, s)
			}
		}
		if len(larger) < len(open) {
			open = larger
			continue
		}
		for _, s := range open {
			snap, need, ok := Retain(s.surface, s.ref.Label, max(each, 0))
			if !ok {
				return overBudget(s.ref.SessionID, need, max(each, 0))
			}
			s.snap = snap
		}
		return nil
	}
	return nil
}

func overBudget(id string, need, allowed int) error {
	return &fault.Error{
		Kind: fault.OverBudget, Code: fault.BudgetExceeded, Rule: "budget", Subject: subject(id),
		Message: fmt.Sprintf("takes %d bytes without any text, %d allowed", need, allowed),
	}
}
