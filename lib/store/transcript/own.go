package transcript

import "strings"

// The frame of a block (SPEC 6) and of a baked prompt (SPEC 7), as far as it is
// needed to find its end. Inside the block every < is escaped, so the closing tag
// cannot come earlier.
const (
	blockHeading = "## Referenced sessions\n"
	blockOpen    = "<referenced-sessions>"
	blockClose   = "</referenced-sessions>"
	delimiter    = "## My request:"
)

// Own is what a person wrote themselves in a prompt, trimmed: where the prompt
// begins with a block of referenced sessions, what follows the delimiter. Agents
// that have no envelope keep a baked prompt as one text, and a snapshot must never
// carry an older snapshot along (SPEC 4). A block without a delimiter behind it
// goes too, one that is not closed is the person's own text.
func Own(prompt string) string {
	for {
		prompt = strings.TrimSpace(prompt)
		rest, ok := cutBlock(prompt)
		if !ok {
			return prompt
		}
		prompt = rest
	}
}

func cutBlock(prompt string) (string, bool) {
	prompt, ok := strings.CutPrefix(prompt, blockHeading)
	if !ok {
		return "", false
	}
	warning, rest, ok := strings.Cut(prompt, blockClose)
	if !ok || !strings.Contains(warning, blockOpen) {
		return "", false
	}
	rest = strings.TrimSpace(rest)
	if request, ok := strings.CutPrefix(rest, delimiter); ok && (request == "" || request[0] == '\n' || request[0] == '\r') {
		rest = request
	}
	return rest, true
}
