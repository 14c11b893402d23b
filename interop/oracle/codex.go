package oracle

import "strings"

// codexSummary opens the message with the summary of what came before.
const codexSummary = "Another language model started to solve this problem and produced a summary of its thinking process."

// Codex is what Codex adds: developer messages (which hold what hooks gave), and context
// in the user's name, which stands in tags of its own.
func Codex(items []Item) []Said {
	var said []Said
	for _, item := range items {
		switch {
		case item.Role == "assistant":
			said = append(said, Said{Role: item.Role, Text: item.Text})
		case item.Role != "user", inTags(item.Text, "environment_context", "user_instructions", "turn_aborted", "recommended_plugins"):
		case strings.HasPrefix(item.Text, codexSummary):
			_, summary, _ := strings.Cut(item.Text, "\n")
			said = append(said, Said{Role: "user", Text: summary, Checkpoint: true})
		default:
			said = append(said, Said{Role: "user", Text: item.Text})
		}
	}
	return said
}

// inTags is whether all of a text stands in one of these tags.
func inTags(text string, tags ...string) bool {
	text = strings.TrimSpace(text)
	for _, tag := range tags {
		if strings.HasPrefix(text, "<"+tag+">") && strings.HasSuffix(text, "</"+tag+">") {
			return true
		}
	}
	return false
}
