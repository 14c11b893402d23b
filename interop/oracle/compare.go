package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Said is one text of a conversation.
type Said struct {
	Role       string `json:"role"`
	Text       string `json:"text"`
	Checkpoint bool   `json:"checkpoint"`
}

// Projection is what dsh-surface --project prints.
type Projection struct {
	SessionID    string `json:"sessionId"`
	Title        string `json:"title"`
	Conversation []Said `json:"conversation"`
}

// Rules takes from a request's items what its agent added by itself. An agent's summary
// of what came before is a checkpoint, without the words around it.
type Rules func([]Item) []Said

// Compare holds a projection against the conversation of the request that came next and
// that ends with the prompt.
//
// The checkpoint, which a projection puts first and an agent where it likes, is compared
// by itself. A message that an agent sends as several texts is one message here, with a
// blank line between; outer white space counts nowhere.
func Compare(before []Said, next []Said, prompt string) error {
	if !EndsWith(next, prompt) {
		return fmt.Errorf("the request does not end with the prompt %q:\n%s", prompt, List(next))
	}
	next = next[:len(next)-1]
	said, ours := apart(before)
	sent, theirs := apart(next)
	if strings.Join(ours, "\x00") != strings.Join(theirs, "\x00") {
		return fmt.Errorf("the checkpoint differs:\nlog\n%s\nrequest\n%s", List(before), List(next))
	}
	rest := sent
	for i, m := range said {
		n := covers(m, rest)
		if n == 0 {
			return fmt.Errorf("message %d of the log is not what the request has there:\nlog\n%s\nrequest\n%s", i+1, List(said), List(sent))
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return fmt.Errorf("the request has more than the log:\nlog\n%s\nrequest\n%s", List(said), List(sent))
	}
	return nil
}

// EndsWith is whether the newest message is this prompt.
func EndsWith(all []Said, prompt string) bool {
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last.Role == "user" && same(last.Text, prompt)
}

// apart parts the checkpoints from the rest.
func apart(all []Said) (rest []Said, checkpoints []string) {
	for _, m := range all {
		if m.Checkpoint {
			checkpoints = append(checkpoints, strings.TrimSpace(m.Text))
		} else {
			rest = append(rest, m)
		}
	}
	return rest, checkpoints
}

// covers is how many of the first texts together are the message, 0 when none are.
func covers(m Said, texts []Said) int {
	joined := ""
	for i, t := range texts {
		if t.Role != m.Role {
			return 0
		}
		if i > 0 {
			joined += "\n\n"
		}
		joined += strings.TrimSpace(t.Text)
		if same(joined, m.Text) {
			return i + 1
		}
	}
	return 0
}

func same(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// List shows a conversation, a line a message.
func List(all []Said) string {
	var b strings.Builder
	for i, m := range all {
		text, _ := json.Marshal(m.Text)
		mark := ""
		if m.Checkpoint {
			mark = " (checkpoint)"
		}
		fmt.Fprintf(&b, "  %2d %-9s%s %s\n", i+1, m.Role, mark, text)
	}
	if len(all) == 0 {
		return "  (nothing)\n"
	}
	return b.String()
}
