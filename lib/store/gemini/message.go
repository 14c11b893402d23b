package gemini

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// said is what is kept of one message; an empty text: nothing.
type said struct {
	user     bool
	text     string
	picture  bool // of a person, and of a picture or a file alone
	snapshot bool // text is a compression's state snapshot
	time     int64
	model    string
}

// hear reads a message.
func hear(v jstext.Value) said {
	m := jsonl.Members(v)
	s := said{time: m.Millis("timestamp")}
	switch m.Text("type") {
	case "user":
		s.user = true
		if !hasText(m["displayContent"]) {
			if s.text, s.snapshot = snapshot(partsOf(m["content"])); s.snapshot {
				return s
			}
		}
		s.text = typed(partsOf(m["content"]), partsOf(m["displayContent"]))
		s.picture = s.text == "" && isPicture(partsOf(m["content"]))
	case "gemini":
		s.model = strings.Clone(m.Text("model"))
		s.text = answer(partsOf(m["content"]))
	}
	return s
}

// part is one Part of a content.
type part struct {
	text     string
	thought  bool
	call     bool // a function call
	response bool // a tool's result
	file     bool // a picture or a file
}

// isPicture reports whether a content shows something and says nothing.
func isPicture(parts []part) (file bool) {
	for _, p := range parts {
		if p.response || strings.TrimSpace(p.text) != "" && !isInjected(p.text) {
			return false
		}
		file = file || p.file
	}
	return file
}

// partsOf reads a content: a string, a Part, or a list of both.
func partsOf(v jstext.Value) []part {
	switch v.Kind() {
	case jstext.String:
		s, _ := v.Text()
		return []part{{text: s}}
	case jstext.Object:
		m := jsonl.Members(v)
		return []part{{
			text: m.Text("text"), thought: isSet(m["thought"]),
			call: isSet(m["functionCall"]), response: isSet(m["functionResponse"]),
			file: isSet(m["inlineData"]) || isSet(m["fileData"]),
		}}
	}
	var out []part
	for e := range v.Elements() {
		if e.Kind() != jstext.Array {
			out = append(out, partsOf(e)...)
		}
	}
	return out
}

// isSet reports whether a member counts as true in JavaScript, of the values that
// are met here.
func isSet(v jstext.Value) bool {
	return v.Exists() && v.Kind() != jstext.Null && v.Raw() != "false" && v.Raw() != `""`
}

func hasText(v jstext.Value) bool { return strings.TrimSpace(textOf(partsOf(v))) != "" }

// textOf is the text of the parts, concatenated.
func textOf(parts []part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return jstext.Join(texts...)
}

const acknowledgement = "Got it. Thanks for the additional context!"

// answer is the text of a model's message. A message of thoughts and calls has none.
func answer(parts []part) string {
	var kept []part
	for _, p := range parts {
		if !p.thought && !p.call {
			kept = append(kept, p)
		}
	}
	text := strings.TrimSpace(textOf(kept))
	if text == acknowledgement {
		return ""
	}
	return text
}

// injected open a part that no person typed.
var injected = []string{
	"<session_context>", "<hook_context>",
	"Here is the user's editor context", "Here is a summary of changes in the user's editor context",
	"System: Potential loop detected", "System: Please continue",
	"Background execution update:",
}

// nudge is what the agent says where it thinks that the model should go on.
const nudge = "Please continue."

// references is the line behind which the files stand that a prompt named by @.
const references = "--- Content from referenced files ---"

// typed is what a person typed: the shown content where there is one, else the
// content. A message that the agent does not give back to its model on resuming
// (isIgnoredUserContent) is none, and neither is a tool's result; what steers a
// running turn may come together with one.
func typed(content, shown []part) string {
	var kept []part
	var hints []string
	result := false
	for _, p := range content {
		result = result || p.response
		if hint, ok := steering(p.text); ok {
			hints = append(hints, hint)
		} else if !isInjected(p.text) {
			kept = append(kept, p)
		}
	}
	if len(hints) > 0 {
		return transcript.Join(hints)
	}
	text := strings.TrimSpace(textOf(kept))
	if result || isIgnored(text) || text == nudge {
		return ""
	}
	if s := textOf(shown); strings.TrimSpace(s) != "" {
		text = s
	}
	return strings.TrimSpace(cutReferences(text))
}

func isInjected(text string) bool {
	text = strings.TrimSpace(text)
	for _, start := range injected {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// isIgnored reports whether a trimmed text is empty or a command of the agent's own.
func isIgnored(text string) bool { return text == "" || text[0] == '/' || text[0] == '?' }

// cutReferences cuts a text at the line references.
func cutReferences(text string) string {
	for at := 0; ; {
		i := strings.Index(text[at:], references)
		if i < 0 {
			return text
		}
		at += i
		end := at + len(references)
		opens := at == 0 || text[at-1] == '\n'
		closes := end == len(text) || strings.IndexByte("\r\n", text[end]) >= 0
		if opens && closes {
			return text[:at]
		}
		// Parts are joined without a line end, so the next one may begin right here.
		if opens && strings.HasPrefix(text[end:], "Content from @") {
			return text[:at]
		}
		at = end
	}
}

// hintFrames open a text that frames what a person said while a turn ran.
var hintFrames = []string{"User steering update:", "User hints:"}

// steering is what a person said to steer, without the frame around it.
func steering(text string) (string, bool) {
	text = strings.TrimSpace(text)
	for _, frame := range hintFrames {
		rest, ok := strings.CutPrefix(text, frame)
		if !ok {
			continue
		}
		_, inner, open := strings.Cut(rest, "<user_input>")
		end := strings.LastIndex(inner, "</user_input>")
		if open && end >= 0 {
			return strings.TrimSpace(inner[:end]), true
		}
	}
	return "", false
}

const (
	snapshotOpen  = "<state_snapshot>"
	snapshotClose = "</state_snapshot>"
)

// snapshot is the state snapshot that a compression put in the place of the history.
// Notes of the model may stand before it; an older snapshot may be nested in it.
func snapshot(parts []part) (string, bool) {
	text := textOf(parts)
	start := strings.Index(text, snapshotOpen)
	end := strings.LastIndex(text, snapshotClose)
	if start < 0 || end < start {
		return "", false
	}
	return text[start : end+len(snapshotClose)], true
}
