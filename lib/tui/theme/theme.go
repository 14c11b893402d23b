// Package theme is the few styles of the terminal host. Colours are the
// terminal's own sixteen, so they follow its scheme; each goes with a sign or an
// attribute that stays where colour is off, because colour alone says nothing.
package theme

import "charm.land/lipgloss/v2"

var (
	dim    = lipgloss.NewStyle().Faint(true)
	bold   = lipgloss.NewStyle().Bold(true)
	chip   = lipgloss.NewStyle().Underline(true).Foreground(lipgloss.Cyan)
	accent = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Cyan)
	alert  = lipgloss.NewStyle().Foreground(lipgloss.Red)
)

// Dim is for what may be passed over.
func Dim(s string) string { return render(dim, s) }

// Bold is for what a person wrote, and for what is chosen.
func Bold(s string) string { return render(bold, s) }

// Chip is for a mention in the editor.
func Chip(s string) string { return render(chip, s) }

// Accent is for the sign at the row that is chosen, or where input goes.
func Accent(s string) string { return render(accent, s) }

// Alert is for what went wrong; it begins with a "!".
func Alert(s string) string { return render(alert, s) }

func render(style lipgloss.Style, s string) string {
	if s == "" {
		return ""
	}
	return style.Render(s)
}
