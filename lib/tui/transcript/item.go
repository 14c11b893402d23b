package transcript

import (
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
	"github.com/dsh-toolkit/dsh/lib/tui/theme"
)

// item is one thing of the conversation. The text is exact; what is drawn of it is
// escaped.
type item struct {
	kind kind
	text string
	// stream holds the text of an answer under way instead: it grows without being
	// copied.
	stream *strings.Builder
	refs   []session.Cited
	tools  []string // names, in order

	rows   []string // as drawn, without the row between items; nil: not yet
	width  int
	method cells.Method
	done   int // of an answer under way: bytes of text whose rows are final
	final  int // and the number of those rows
}

type kind int

const (
	prompt  kind = iota // a person's
	answer              // the model's
	toolRun             // tool calls, of a log from another program
	remark              // what the host says: a turn cancelled, a summary
	failure             // what went wrong
)

// indent is where texts begin; the sign of an item stands before it.
const indent = "  "

// layout returns the item's rows. Blank ones at an answer's end are not drawn: most
// commands end what they say with a newline.
func (it *item) layout(m cells.Method, width int) []string {
	rows := it.all(m, width)
	for it.kind == answer && len(rows) > 1 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func (it *item) all(m cells.Method, width int) []string {
	if it.rows != nil && it.width == width && it.method == m {
		return it.rows
	}
	it.width, it.method = width, m
	it.done, it.final = 0, 0
	it.rows = it.rows[:0:0]
	switch it.kind {
	case prompt:
		it.rows = it.block("›", it.text, theme.Bold)
		if len(it.refs) > 0 {
			it.rows = append(it.rows, indent+theme.Dim(cells.Truncate(m, referenceLine(it.refs), it.room())))
		}
	case answer:
		it.grow()
	case toolRun:
		it.rows = []string{theme.Dim("· " + cells.Truncate(m, toolLine(it.tools), it.room()))}
	case remark:
		it.rows = it.block("·", it.text, theme.Dim)
	case failure:
		it.rows = it.block("!", it.text, theme.Alert)
	}
	return it.rows
}

// room is the width of the text column.
func (it *item) room() int { return max(1, it.width-len(indent)) }

// block draws a text behind a sign.
func (it *item) block(sign, text string, style func(string) string) []string {
	rows := cells.Wrap(it.method, termtext.Block(text), it.room())
	for i, r := range rows {
		if i == 0 {
			rows[i] = style(sign + " " + r)
		} else {
			rows[i] = indent + style(r)
		}
	}
	return rows
}

// extend appends to an answer under way.
func (it *item) extend(delta string) {
	it.stream.WriteString(delta)
	if it.rows != nil {
		it.grow()
	}
}

// finish gives an answer that was under way its whole text.
func (it *item) finish(text string) {
	if it.stream.String() != text { // halves of a pair that came apart, or a model that took words back
		it.rows = nil
	}
	it.text, it.stream = text, nil
}

func (it *item) content() string {
	if it.stream != nil {
		return it.stream.String()
	}
	return it.text
}

// grow draws what is new of an answer: the rows of its complete lines stay.
func (it *item) grow() {
	rows := it.rows[:it.final]
	rest := it.content()[it.done:]
	for {
		line, after, more := strings.Cut(rest, "\n")
		from := len(rows)
		rows = cells.AppendWrapped(rows, it.method, termtext.Block(line), it.room())
		for i := from; i < len(rows); i++ {
			if rows[i] != "" {
				rows[i] = indent + rows[i]
			}
		}
		if !more {
			break
		}
		it.done += len(line) + 1
		it.final = len(rows)
		rest = after
	}
	it.rows = rows
}

// referenceLine is the one line of sources: labels and ids, never more of a
// snapshot (SPEC 8).
func referenceLine(refs []session.Cited) string {
	parts := []string{"Referenced sessions"}
	for _, r := range refs {
		parts = append(parts, fmt.Sprintf("%s (%s)", termtext.Line(r.Label), termtext.Line(r.SessionID)))
	}
	return strings.Join(parts, " · ")
}

// toolLine names the tools of a run, each once: "3 tool calls · bash ×2, read".
func toolLine(names []string) string {
	var order []string
	count := make(map[string]int)
	for _, n := range names {
		if count[n]++; count[n] == 1 {
			order = append(order, n)
		}
	}
	for i, n := range order {
		order[i] = termtext.Line(n)
		if count[n] > 1 {
			order[i] += fmt.Sprintf(" ×%d", count[n])
		}
	}
	calls := "1 tool call"
	if len(names) != 1 {
		calls = fmt.Sprintf("%d tool calls", len(names))
	}
	return calls + " · " + strings.Join(order, ", ")
}
