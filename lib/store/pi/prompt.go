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

// withoutFiles takes leading files off a text. A file may spell the closing tag
// itself: the right one ends the text, its line, or stands before the next file.
func withoutFiles(text string) string {
	const begin, end = `<file name="`, "</file>"
	for strings.HasPrefix(text, begin) {
		rest, ok := text, false
		for !ok {
			if _, rest, ok = strings.Cut(rest, end); !ok {
				return text
			}
			ok = rest == "" || rest[0] == '\n' || rest[0] == '\r' || strings.HasPrefix(rest, begin)
		}
		text = strings.TrimLeft(rest, "\r\n")
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
