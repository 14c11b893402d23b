package codex

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// said is what a message in the user's role turned out to be.
type said uint8

const (
	plumbing said = iota // injected: not the user's, no turn
	typed                // the user's
	summed               // the summary of a compaction
)

// summaryStart opens the summary that the agent itself writes.
const summaryStart = "Another language model started to solve this problem and produced a summary of its thinking process."

// summaryText is a summary without its introduction: the fixed sentence, and what
// follows it on the same line where that leads on to the summary with a colon.
func summaryText(text string) string {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, summaryStart)
	if !ok {
		return text
	}
	first, after, _ := strings.Cut(rest, "\n")
	if strings.HasSuffix(strings.TrimSpace(first), ":") {
		rest = after
	}
	return strings.TrimSpace(rest)
}

// guardianStart opens the thread of the agent's own reviewer.
const guardianStart = "The following is the Codex agent history"

// Tags that wrap injected context, the whole of an item. The first kind is written
// by the agent without attributes; the second was seen in logs, and may have some.
var (
	exactTags = []string{
		"user_instructions", "environment_context", "skill", "user_shell_command", "turn_aborted",
		"subagent_notification", "goal_context", "user_action",
	}
	looseTags = []string{
		"recommended_plugins", "apps_instructions", "skills_instructions", "collaboration_mode", "multi_agent_mode",
		"app-context", "environment", "environment-change", "task-notification", "heartbeat", "in-app-browser-context",
		"hook_prompt",
	}
	// Tags whose name or attribute varies.
	externalTag = regexp.MustCompile(`^<(external_[a-z0-9_.-]+)>`)
	internalTag = regexp.MustCompile(`^<(codex_internal_context) source="[a-z0-9_.-]+">`)
)

const (
	agentsStart = "# agents.md instructions for "
	agentsEnd   = "</instructions>"
)

// injected reports whether an item of a message is context that the agent put in:
// a start and the end that belongs to it, case ignored. A start alone is the
// user's own text.
func injected(item string) bool {
	item = strings.TrimSpace(item)
	if strings.HasPrefix(item, guardianStart) {
		return true
	}
	// Only the ends are looked at: an item can be long.
	start, end := lower(item[:min(len(item), 200)]), lower(item[max(0, len(item)-200):])
	if strings.HasPrefix(start, agentsStart) {
		return strings.HasSuffix(end, agentsEnd)
	}
	return strings.HasPrefix(start, "<") && strings.HasSuffix(end, ">") && wrapped(start, end)
}

func wrapped(start, end string) bool {
	name := ""
	if m := externalTag.FindStringSubmatch(start); m != nil {
		name = m[1]
	} else if m := internalTag.FindStringSubmatch(start); m != nil {
		name = m[1]
	} else {
		at := strings.IndexAny(start, "> \t\r\n")
		if at < 0 {
			return false
		}
		name = start[1:at]
		if !(start[at] == '>' && slices.Contains(exactTags, name)) && !slices.Contains(looseTags, name) {
			return false
		}
	}
	return strings.HasSuffix(end, "</"+name+">")
}

// lower is ASCII lower case: what it is compared with is ASCII, and bytes must not
// move.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

const (
	ideStart   = "# Context from my IDE setup"
	ideRequest = "## My request for Codex:"
)

// withoutIDE keeps the request of a text that an IDE has put its context before.
func withoutIDE(text string) string {
	if !strings.HasPrefix(strings.TrimSpace(text), ideStart) {
		return text
	}
	for at := 0; ; {
		i := strings.Index(text[at:], ideRequest)
		if i < 0 {
			return text
		}
		at += i
		if at == 0 || text[at-1] == '\n' {
			return text[at+len(ideRequest):]
		}
		at += len(ideRequest)
	}
}

// piece is one item of a message's content.
type piece struct {
	typ, text string
}

func pieces(content jstext.Value) []piece {
	if s, ok := content.Text(); ok {
		return []piece{{"input_text", s}}
	}
	var out []piece
	for item := range content.Elements() {
		var p piece
		if s, ok := item.Text(); ok {
			p = piece{"input_text", s}
		}
		for key, v := range item.Members() {
			switch key {
			case "type":
				p.typ, _ = v.Text()
			case "text":
				p.text, _ = v.Text()
			}
		}
		out = append(out, p)
	}
	return out
}

// showsPicture reports whether the message of an op has a picture among its pieces.
func showsPicture(p op, l jsonl.Object, bare bool) bool {
	payload := l.Object("payload")
	content := payload["content"]
	switch {
	case p.origin == ofItem:
		content = itemContent(payload.Object("item"))
	case p.origin == ofEvent:
		return payload["images"].Len() > 0 || payload["local_images"].Len() > 0
	case bare && content.Kind() == jstext.Absent:
		content = l["content"]
	}
	return slices.ContainsFunc(pieces(content), func(p piece) bool { return strings.Contains(strings.ToLower(p.typ), "image") })
}

// isText reports whether a piece is text, in the names of all eras and of events.
func (p piece) isText() bool {
	switch p.typ {
	case "input_text", "output_text", "text", "Text", "":
		return true
	}
	return false
}

// marks are what a line's own metadata says of a message.
type marks struct {
	kinds             jstext.Value // what each item of the content is
	inherited, output bool
}

// userText decides over a message in the user's role. The text is what the user
// typed; it can be empty where they sent an image alone.
func userText(content jstext.Value, m marks) (text string, is said) {
	ps := pieces(content)
	keep := ps
	if m.kinds.Kind() == jstext.Array && m.kinds.Len() == len(ps) {
		// The items are labelled: that overrides all guessing, for a user may type what
		// looks like a marker.
		keep = nil
		i := 0
		for k := range m.kinds.Elements() {
			if kind, _ := k.Text(); strings.HasPrefix(kind, "user.") {
				keep = append(keep, ps[i])
			}
			i++
		}
		if len(keep) == 0 {
			return "", isSummary(ps, m)
		}
	} else if m.inherited || m.output || slices.ContainsFunc(ps, func(p piece) bool { return p.isText() && (injected(p.text) || startsSummary(p.text)) }) {
		return "", isSummary(ps, m)
	}
	var texts []string
	for i, p := range keep {
		if p.isText() && !placeholder(keep, i) {
			texts = append(texts, withoutIDE(p.text))
		}
	}
	return transcript.Join(texts), typed
}

func startsSummary(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), summaryStart)
}

// isSummary tells a summary from other context.
func isSummary(ps []piece, m marks) said {
	if m.output && joined(ps) != "" || slices.ContainsFunc(ps, func(p piece) bool { return startsSummary(p.text) }) {
		return summed
	}
	return plumbing
}

func joined(ps []piece) string {
	var texts []string
	for _, p := range ps {
		if p.isText() {
			texts = append(texts, p.text)
		}
	}
	return transcript.Join(texts)
}

// placeholder reports whether item i only stands for the image beside it.
func placeholder(ps []piece, i int) bool {
	text := strings.TrimSpace(ps[i].text)
	image := func(i int) bool { return i >= 0 && i < len(ps) && ps[i].typ == "input_image" }
	if text == "</image>" {
		return image(i - 1)
	}
	return image(i+1) && strings.HasPrefix(text, "<image") && strings.HasSuffix(text, ">") && !strings.Contains(text, "\n")
}
