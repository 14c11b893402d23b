// Package transcript is a conversation as it is shown: prompts by what the person
// typed, answers as they come, sources as one line, tool calls as one line, and
// the window of rows that is in sight.
//
// A snapshot's JSON is never drawn, nor is any control character. Rows are laid out
// when they come into sight and kept, so that a long conversation costs what is
// seen of it. A Transcript is used by one goroutine.
package transcript

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

// Transcript is one conversation. The zero value is empty and follows its end.
type Transcript struct {
	items  []*item
	width  int
	method cells.Method

	streaming bool // the last item is an answer that is still coming

	anchor *place // the first row in sight; nil: the end is in sight
	height int    // of the window last drawn
}

// place is a row of an item; row 0 is the blank one before it, where it has one.
type place struct{ item, row int }

// SetSize sets the width in cells and how they are counted.
func (t *Transcript) SetSize(m cells.Method, width int) { t.method, t.width = m, width }

// Len is the number of items.
func (t *Transcript) Len() int { return len(t.items) }

// Add appends what an event of the surface says. What is no part of the
// conversation (tool results, other contexts, system prompts) adds nothing.
func (t *Transcript) Add(ev session.Event) {
	m := session.MessageOf(ev)
	switch {
	case m.ByPerson():
		text, _ := m.Said()
		t.push(&item{kind: prompt, text: text, refs: m.References()})
	case m.Checkpoint():
		t.push(&item{kind: remark, text: "earlier messages were compacted into a summary"})
	case m.Role == session.Assistant:
		t.assistant(m)
	default:
		t.sources(m.References())
	}
}

// sources puts the references of a message of their own, as later formats keep
// them, under the prompt that it stands beside.
func (t *Transcript) sources(refs []session.Cited) {
	if len(refs) == 0 {
		return
	}
	if last := t.last(); last != nil && last.kind == prompt {
		last.refs, last.rows = append(last.refs, refs...), nil
		return
	}
	t.push(&item{kind: remark, text: referenceLine(refs)})
}

// assistant puts a finished answer in place of the one that was coming, if any.
func (t *Transcript) assistant(m session.Message) {
	text := session.Text(m.Content)
	if t.streaming {
		t.last().finish(text)
		t.streaming = false
	} else if text != "" {
		t.push(&item{kind: answer, text: text})
	}
	var tools []string
	for b := range m.Content.Elements() {
		if b.Get("type").Is("tool-call") {
			name, _ := b.Get("name").Text()
			tools = append(tools, name)
		}
	}
	if len(tools) == 0 {
		return
	}
	if last := t.last(); last != nil && last.kind == toolRun {
		last.tools, last.rows = append(last.tools, tools...), nil
		return
	}
	t.push(&item{kind: toolRun, tools: tools})
}

// Stream appends a piece of an answer that is not finished.
func (t *Transcript) Stream(delta string) {
	if !t.streaming {
		t.push(&item{kind: answer, stream: &strings.Builder{}})
		t.streaming = true
	}
	t.last().extend(delta)
}

// Prompt appends a prompt that is in no log, because it was blocked.
func (t *Transcript) Prompt(text string) { t.push(&item{kind: prompt, text: text}) }

// Remark appends a line of the host's own.
func (t *Transcript) Remark(text string) { t.push(&item{kind: remark, text: text}) }

// Failure appends what went wrong.
func (t *Transcript) Failure(text string) { t.push(&item{kind: failure, text: text}) }

func (t *Transcript) push(it *item) {
	t.streaming = false
	t.items = append(t.items, it)
}

func (t *Transcript) last() *item {
	if len(t.items) == 0 {
		return nil
	}
	return t.items[len(t.items)-1]
}

// Prompts returns the texts of the prompts, the oldest first.
func (t *Transcript) Prompts() []string {
	var out []string
	for _, it := range t.items {
		if it.kind == prompt {
			out = append(out, it.text)
		}
	}
	return out
}
