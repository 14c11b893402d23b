package plain

import (
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// event says what the agent tells.
func (h *host) event(e agent.Event) {
	switch e := e.(type) {
	case agent.TurnStarted:
		h.running = true
	case agent.Appended:
		h.appended(session.MessageOf(e.Event))
	case agent.TextDelta:
		h.stream(e.Text)
	case agent.Dropped:
		for _, r := range e.Records {
			h.say("Not sent: " + termtext.Block(session.Text(r.Content)))
		}
	case agent.Blocked:
		h.say("Blocked: " + termtext.Block(e.Reason))
	case agent.TurnEnded:
		h.flush()
		switch e.Reason {
		case agent.Aborted:
			h.say("Cancelled.")
		case agent.Errored:
			h.complain(e.Err)
		}
	case agent.Idle:
		h.running = false
	case agent.Stopped:
		h.running = false
		if e.Err != nil {
			h.say("The agent has stopped: " + termtext.Block(e.Err.Error()) + hint(e.Err))
		}
	}
}

func hint(err error) string {
	if hint := fault.Of(err).Hint; hint != "" {
		return "\nHint: " + termtext.Block(hint)
	}
	return ""
}

// appended says what of a message was not said yet.
func (h *host) appended(m session.Message) {
	switch {
	case m.ByPerson():
		h.sources(m)
	case m.Role == session.Assistant:
		h.flush()
		h.said = false
	}
}

func (h *host) sources(m session.Message) {
	refs := m.References()
	if len(refs) == 0 {
		return
	}
	parts := make([]string, len(refs))
	for i, r := range refs {
		parts[i] = fmt.Sprintf("%s (%s)", termtext.Line(r.Label), termtext.Line(r.SessionID))
	}
	h.say("Referenced sessions: " + strings.Join(parts, ", "))
}

// stream writes the lines of an answer that are complete.
func (h *host) stream(delta string) {
	if !h.said {
		h.say("Answer:")
		h.said = true
	}
	h.answer.WriteString(delta)
	text := h.answer.String()
	end := strings.LastIndexByte(text, '\n')
	if end < 0 {
		return
	}
	h.answer.Reset()
	h.answer.WriteString(text[end+1:])
	h.say(termtext.Block(text[:end]))
}

// flush writes what is left of an answer.
func (h *host) flush() {
	if h.answer.Len() > 0 {
		h.say(termtext.Block(h.answer.String()))
		h.answer.Reset()
	}
}

// show prints a message of the conversation so far.
func (h *host) show(ev session.Event) {
	m := session.MessageOf(ev)
	switch {
	case m.ByPerson():
		text, _ := m.Said()
		h.say("You: " + termtext.Block(text))
		h.sources(m)
	case m.Checkpoint():
		h.say("Earlier messages were compacted into a summary.")
	case m.Role == session.Assistant:
		if text := session.Text(m.Content); text != "" {
			h.say("Answer: " + termtext.Block(text))
		}
	}
}
