package pi

import "strings"

// typed undoes what pi put into a prompt when it was sent: a skill's body becomes
// "/skill:name arguments" again, and the contents of files named on the command
// line are dropped. Prompt templates leave no trace.
func typed(text string) string {
	text = withoutFiles(text)
	if name, rest, ok := skill(text); ok {
		return strings.TrimSpace("/skill:" + name + " " + rest)
	}
	return text
}

func withoutFiles(text string) string {
	for strings.HasPrefix(text, `<file name="`) {
		_, rest, ok := strings.Cut(text, "</file>")
		if !ok {
			break
		}
		text = strings.TrimLeft(rest, "\n")
	}
	return text
}

// skill takes `<skill name="N" location="L">…</skill>` off a text. The body may
// spell the closing tag: the right one ends the text or has a blank line behind it.
func skill(text string) (name, rest string, ok bool) {
	body, ok := strings.CutPrefix(text, `<skill name="`)
	if !ok {
		return "", "", false
	}
	if name, body, ok = strings.Cut(body, `"`); !ok || !strings.HasPrefix(body, ` location="`) {
		return "", "", false
	}
	const end = "\n</skill>"
	for {
		if _, body, ok = strings.Cut(body, end); !ok {
			return "", "", false
		}
		if body == "" || strings.HasPrefix(body, "\n\n") {
			return name, strings.TrimSpace(body), true
		}
	}
}
