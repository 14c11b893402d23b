package oracle

import "strings"

// acknowledgement is what Gemini CLI lets its model say to a summary.
const acknowledgement = "Got it. Thanks for the additional context!"

// Gemini is what Gemini CLI adds: the session's context, what hooks gave, and the words
// around what was said while a turn ran. Behind a summary it puts an answer in its model's
// name that no model gave.
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
		if text == acknowledgement && len(said) > 0 && said[len(said)-1].Checkpoint {
			continue
		}
		said = append(said, Said{Role: item.Role, Text: text})
	}
	return said
}
