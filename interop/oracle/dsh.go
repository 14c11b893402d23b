package oracle

import "strings"

// dshContext opens what dsh says about files and approvals in the user's name.
const dshContext = "Current runtime context. This snapshot supersedes earlier runtime-context snapshots."

// Dsh is what dsh adds: system messages, and context in the user's name.
func Dsh(items []Item) []Said {
	var said []Said
	for _, item := range items {
		if item.Role != "user" && item.Role != "assistant" || strings.TrimSpace(item.Text) == "" ||
			item.Role == "user" && (inTags(item.Text, "system-reminder") || strings.HasPrefix(item.Text, dshContext)) {
			continue
		}
		said = append(said, Said{Role: item.Role, Text: item.Text})
	}
	return said
}
