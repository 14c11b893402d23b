package oracle

import "strings"

const (
	openCodeSteered = "<system-reminder>\nThe user sent the following message:\n"
	openCodeSummary = "What did we do so far?"
)

// OpenCode is what OpenCode adds: a system message, our hook's part, the words around
// what was said while a turn ran, and the question whose answer is a summary.
func OpenCode(items []Item) []Said {
	var said []Said
	asked := false // for a summary
	for _, item := range items {
		text := item.Text
		if item.Role == "user" {
			asked = text == openCodeSummary
		}
		switch {
		case item.Role != "user" && item.Role != "assistant", isSnapshot(text), item.Role == "user" && asked, strings.TrimSpace(text) == "":
		case item.Role == "assistant" && asked:
			said = append(said, Said{Role: "user", Text: text, Checkpoint: true})
			asked = false
		case strings.HasPrefix(text, openCodeSteered):
			text, _, _ = strings.Cut(strings.TrimPrefix(text, openCodeSteered), "\n\nPlease address this message")
			said = append(said, Said{Role: "user", Text: text})
		default:
			said = append(said, Said{Role: item.Role, Text: text})
		}
	}
	return said
}
