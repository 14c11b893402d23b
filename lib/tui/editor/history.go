package editor

// History is what has been submitted, oldest first, and the draft that a person
// left to look at it.
type History struct {
	past  []State
	at    int // past[at] is shown; len(past): the draft is
	draft State
}

// MaxHistory is how many submissions are kept.
const MaxHistory = 500

// Add appends a submission, unless it repeats the last, and ends looking back.
func (h *History) Add(s State) {
	if n := len(h.past); n == 0 || h.past[n-1].Text() != s.Text() {
		h.past = append(h.past, s)
	}
	if len(h.past) > MaxHistory {
		h.past = h.past[1:]
	}
	h.at = len(h.past)
}

// Back shows the submission before the one shown, if there is one.
func (h *History) Back(e *Editor) bool {
	if h.at == 0 {
		return false
	}
	if h.at == len(h.past) {
		h.draft = e.Snapshot()
	}
	h.at--
	e.Restore(h.past[h.at])
	e.End()
	return true
}

// Forward shows the submission after the one shown, and the draft after the last.
func (h *History) Forward(e *Editor) bool {
	if h.at == len(h.past) {
		return false
	}
	h.at++
	if h.at == len(h.past) {
		e.Restore(h.draft)
	} else {
		e.Restore(h.past[h.at])
		e.End()
	}
	return true
}
