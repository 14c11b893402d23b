package oracle

import "strings"

// Gemini is what Gemini CLI adds: the session's context, what hooks gave, and the words
// around what was said while a turn ran.
func Gemini(items []Item) []Said {
	var said []Said
	for _, item := range items {
		text := item.Text
		if item.Role == "user" {
			if inTags(text, "session_context", "hook_context") {
				continue
			}
			text, _, _ = strings.Cut(text, "\n\n<hook_context>")
			if rest, ok := strings.CutPrefix(text, "User steering update:\n<user_input>\n"); ok {
				text, _, _ = strings.Cut(rest, "\n</user_input>\n")
			}
		}
		if strings.HasPrefix(text, "<state_snapshot>") {
			said = append(said, Said{Role: "user", Text: text, Checkpoint: true})
			continue
		}
		said = append(said, Said{Role: item.Role, Text: text})
	}
	return said
}
