package agent

import (
	"context"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Model answers requests. One agent asks one thing at a time.
type Model interface {
	// Ask answers one request and calls delta, not after it has returned, with each
	// piece of the answer's text as it comes; the pieces joined are Answer.Text. It
	// returns soon after ctx is done.
	Ask(ctx context.Context, r Request, delta func(text string)) (Answer, error)
}

// Request is what a model is asked in one step. The log rebuilds it (Requests).
type Request struct {
	SessionID string
	Turn      int64
	Step      int64 // 1 for the first of a turn
	// Messages is the whole conversation, {"role","content",…} each.
	Messages []jstext.Value
	// Fresh is the number of last Messages that this step brought: the prompt with
	// its separate contexts, or what steered in.
	Fresh int
}

// Answer is a model's whole answer.
type Answer struct {
	Text     string
	Provider string
	Model    string
	Usage    jstext.Value // an object of token counts; Absent: not known
}
