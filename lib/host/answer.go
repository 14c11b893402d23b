package host

import "github.com/dsh-toolkit/dsh/lib/jstext"

// EventContext is {"hookSpecificOutput":{"hookEventName":event,
// "additionalContext":context}}: how most agents take a context.
func EventContext(event, context string) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("hookSpecificOutput")
	w.BeginObject()
	text(&w, "hookEventName", event)
	text(&w, "additionalContext", context)
	w.EndObject()
	w.EndObject()
	return line(&w)
}

// DecisionBlock is {"decision":"block","reason":reason}: how most agents are told
// to stop a prompt.
func DecisionBlock(reason string) []byte {
	return Members("decision", "block", "reason", reason)
}

// Members is an object of the keys and texts given in turn, in one line.
func Members(pairs ...string) []byte {
	var w jstext.Writer
	w.BeginObject()
	for i := 0; i+1 < len(pairs); i += 2 {
		text(&w, pairs[i], pairs[i+1])
	}
	w.EndObject()
	return line(&w)
}

func text(w *jstext.Writer, key, value string) {
	w.Key(key)
	w.Text(value)
}

func line(w *jstext.Writer) []byte { return append(w.Bytes(), '\n') }
