package oracle

import "strings"

// Gemini is what Gemini CLI adds: the session's context, what hooks gave, and the
// acknowledgement of a summary.
func Gemini(items []Item) []Said {
	var said []Said
	for _, item := range items {
		text := item.Text
		if item.Role == "user" {
			if inTags(text, "session_context", "hook_context") {
				continue
			}
			text, _, _ = strings.Cut(text, "\n\n<hook_context>")
		}
		if strings.HasPrefix(text, "<state_snapshot>") {
			said = append(said, Said{Role: "user", Text: text, Checkpoint: true})
			continue
		}
		said = append(said, Said{Role: item.Role, Text: text})
	}
	return said
}
