package session

const titleType = "session/title"

// titleOf is the title that a session/title event sets. One that is missing or no
// string takes the title away: what was before it is no longer meant.
func titleOf(ev Event) *string {
	if t, ok := ev.Data.Get("title").Text(); ok {
		return &t
	}
	return nil
}
