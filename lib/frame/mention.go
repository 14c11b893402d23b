package frame

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// ParseText is sessionuri.ParseText for a message of a user's: it looks for mentions
// behind the frame that the message begins with, never inside it. The frame stays
// in plain as it was. What stands before a frame is white space at most, as a shell
// or an editor leaves it.
func ParseText(text string) (plain string, refs []sessionuri.Reference, err error) {
	at := behind(text)
	plain, refs, err = sessionuri.ParseText(text[at:])
	if err != nil {
		return "", nil, err
	}
	return text[:at] + plain, refs, nil
}

// Find is sessionuri.Find with the same exception.
func Find(text string) ([]sessionuri.Found, error) {
	at := behind(text)
	found, err := sessionuri.Find(text[at:])
	for i := range found {
		found[i].Start += at
		found[i].End += at
	}
	return found, err
}

// behind is where the search for mentions begins: at the end of the frames, 0 where
// there is none.
func behind(text string) int {
	blank := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if end, n := skip(text[blank:]); n > 0 {
		return blank + end
	}
	return 0
}
