package oracle

import "strings"

// claudeSteering is what was said while a turn ran: it comes in a system message, or in a
// reminder, between two sentences of the agent's.
func claudeSteering(item Item) (string, bool) {
	text := strings.TrimPrefix(item.Text, "<system-reminder>\n")
	text, ok := strings.CutPrefix(text, "The user sent a new message while you were working:\n")
	if !ok || item.Role == "assistant" {
		return "", false
	}
	text, _, ok = strings.Cut(text, "\n\nIMPORTANT: After completing your current task, you MUST address the user's message above.")
	return text, ok
}

// Claude is what Claude Code adds: reminders, what local commands said, notes of an
// interruption, and system messages (which hold what hooks gave).
func Claude(items []Item) []Said {
	var said []Said
	for _, item := range items {
		if text, ok := claudeSteering(item); ok {
			said = append(said, Said{Role: "user", Text: text})
			continue
		}
		if item.Role != "user" && item.Role != "assistant" {
			continue
		}
		if m, ok := claudeSaid(item); ok {
			said = append(said, m)
		}
	}
	return said
}

const claudeContinued = "This session is being continued from a previous conversation that ran out of context."

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
	if text == "Continue from where you left off." { // on resuming a turn that had no end
		return Said{}, false
	}
	if strings.HasPrefix(text, claudeContinued) {
		return Said{Role: "user", Text: text, Checkpoint: true}, true
	}
	return Said{Role: "user", Text: text}, true
}
