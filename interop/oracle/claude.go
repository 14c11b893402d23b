package oracle

import "strings"

// Claude is what Claude Code adds: reminders, what local commands said, notes of an
// interruption, and system messages (which hold what hooks gave).
func Claude(items []Item) []Said {
	var said []Said
	for _, item := range items {
		if item.Role != "user" && item.Role != "assistant" {
			continue
		}
		if m, ok := claudeSaid(item); ok {
			said = append(said, m)
		}
	}
	return said
}

const (
	claudeContinued = "This session is being continued from a previous conversation that ran out of context."
	claudeSteered   = "The user sent a new message while you were working:\n"
)

func claudeSaid(item Item) (Said, bool) {
	text := item.Text
	if item.Role == "assistant" {
		return Said{Role: item.Role, Text: text}, strings.TrimSpace(text) != "" && text != "No response requested."
	}
	for _, tag := range []string{"<system-reminder>", "<command-", "<local-command-", "[Request interrupted by user"} {
		if strings.HasPrefix(text, tag) {
			return Said{}, false
		}
	}
	if strings.HasPrefix(text, claudeContinued) {
		return Said{Role: "user", Text: text, Checkpoint: true}, true
	}
	return Said{Role: "user", Text: text}, true
}
