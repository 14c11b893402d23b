package oracle

import "strings"

// Dsh is what dsh adds: system messages, and reminders in the user's name.
func Dsh(items []Item) []Said {
	var said []Said
	for _, item := range items {
		if item.Role != "user" && item.Role != "assistant" || strings.TrimSpace(item.Text) == "" || inTags(item.Text, "system-reminder") {
			continue
		}
		said = append(said, Said{Role: item.Role, Text: item.Text})
	}
	return said
}
