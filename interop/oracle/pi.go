package oracle

import "strings"

// piSummary opens the message with the summary of what came before.
const piSummary = "The conversation history before this point was compacted into the following summary:"

// Pi is what pi adds: a system or developer message, and what extensions gave, which
// comes as a message of the user. The only such extension in the suite is our hook.
func Pi(items []Item) []Said {
	var said []Said
	for _, item := range items {
		switch {
		case item.Role != "user" && item.Role != "assistant", isSnapshot(item.Text):
		case item.Role == "user" && strings.HasPrefix(item.Text, piSummary):
			_, summary, _ := strings.Cut(item.Text, "<summary>")
			summary, _, _ = strings.Cut(summary, "</summary>")
			said = append(said, Said{Role: "user", Text: strings.TrimSpace(summary), Checkpoint: true})
		case strings.TrimSpace(item.Text) != "":
			said = append(said, Said{Role: item.Role, Text: item.Text})
		}
	}
	return said
}

// isSnapshot is whether all of a text is what our hook gives to a host.
func isSnapshot(text string) bool {
	return strings.HasPrefix(text, "## Referenced sessions\n") && strings.HasSuffix(strings.TrimSpace(text), "</referenced-sessions>")
}
