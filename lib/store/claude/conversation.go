package claude

import (
	"cmp"
	"context"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// item is one message of the conversation before its text is fetched.
type item struct {
	kind  itemKind
	at    int64   // record index
	nodes []int32 // the entries that its text stands in
	trace trace   // of a traceItem, which may have no entry
}

type itemKind uint8

const (
	typedItem itemKind = iota
	slashItem
	steeringItem
	traceItem
	summaryItem
	answerItem
)

// items are the messages on the line. compacted reports whether a compaction
// stands at its start; the summary, if it has one, is the first item.
func (x *index) items(line []int32) (items []item, compacted bool) {
	from := 0
	for i, n := range line {
		f := x.nodes[n].flags
		compacted = compacted || f&(boundary|summary) != 0
		if f&summary != 0 && !x.gone[n] {
			from = i // what stands before a summary was replaced by it
		}
	}
	line = line[from:]
	answers := x.answers(line)
	written := make(map[int32]bool)
	for i, n := range line {
		e := &x.nodes[n]
		switch {
		case x.gone[n] || e.flags&aside != 0:
		case e.flags&summary != 0:
			items = append(items, item{kind: summaryItem, at: e.first, nodes: []int32{n}})
		case e.kind == assistant && e.message != none:
			if !written[e.message] {
				written[e.message] = true
				items = x.answer(items, answers[e.message], x.interrupted(line[i+1:]))
			}
		case e.kind == assistant:
			items = x.answer(items, []int32{n}, x.interrupted(line[i+1:]))
		case e.flags&slash != 0:
			if !x.isLocal(line[i+1:]) {
				items = append(items, item{kind: slashItem, at: e.first, nodes: []int32{n}})
			}
		case e.flags&prompt != 0 && e.kind == attachment:
			items = append(items, item{kind: steeringItem, at: e.first, nodes: []int32{n}})
		case e.flags&prompt != 0:
			items = append(items, item{kind: typedItem, at: e.first, nodes: []int32{n}})
		}
	}
	if x.unfinished(line, answers) {
		items = dropLast(items, line[len(line)-1], x)
	}
	return x.withTraces(items, line), compacted
}

// answers collects all lines of each API message that has one on the line, in the
// order of the file: parallel tool calls put some of them on side branches.
func (x *index) answers(line []int32) map[int32][]int32 {
	out := make(map[int32][]int32)
	for _, n := range line {
		if mid := x.nodes[n].message; mid != none {
			out[mid] = nil
		}
	}
	for _, n := range x.order {
		if lines, ok := out[x.nodes[n].message]; ok && x.main(n) {
			out[x.nodes[n].message] = append(lines, n)
		}
	}
	return out
}

// interrupted reports whether a person interrupted the answer before rest. Claude Code
// 2.1.197 was seen to write down what the answer had said by then as an answer of its
// own making, and to send it in the next request.
func (x *index) interrupted(rest []int32) bool {
	return len(rest) > 0 && x.nodes[rest[0]].flags&interruption != 0
}

// answer appends the answer that is made of lines, unless it failed or says
// nothing. One of the agent's own making counts only where a person interrupted it.
func (x *index) answer(items []item, lines []int32, interrupted bool) []item {
	var kept []int32
	for _, n := range lines {
		e := &x.nodes[n]
		if e.flags&failed != 0 && !(interrupted && e.flags&synthetic != 0) {
			return items
		}
		if e.flags&says != 0 && !x.gone[n] {
			kept = append(kept, n)
		}
	}
	if len(kept) == 0 {
		return items
	}
	return append(items, item{kind: answerItem, at: x.nodes[kept[0]].first, nodes: kept})
}

// isLocal reports whether the slash command before rest was a local one: the next
// user line is what it printed.
func (x *index) isLocal(rest []int32) bool {
	for _, n := range rest {
		switch e := &x.nodes[n]; {
		case e.kind == assistant:
			return false
		case e.flags&localOut != 0:
			return true
		case e.flags&localRun != 0:
			return false // the output to come is another command's
		case e.kind == user && e.flags&meta == 0:
			return false
		}
	}
	return false
}

// unfinished reports whether the line ends in an answer that is still being
// written. Only versions from 2.1 on mark finished ones.
func (x *index) unfinished(line []int32, answers map[int32][]int32) bool {
	if len(line) == 0 {
		return false
	}
	n := line[len(line)-1]
	if x.nodes[n].kind != assistant {
		return false
	}
	lines := answers[x.nodes[n].message]
	if x.nodes[n].message == none {
		lines = []int32{n}
	}
	marks := false
	for _, m := range lines {
		if x.nodes[m].flags&stopped != 0 {
			return false
		}
		marks = marks || x.nodes[m].flags&withMarks != 0
	}
	return marks
}

// dropLast takes the answer away that n belongs to, if it is the last item.
func dropLast(items []item, n int32, x *index) []item {
	if len(items) == 0 {
		return items
	}
	last := items[len(items)-1]
	if last.kind != answerItem {
		return items
	}
	if m := last.nodes[0]; m == n || x.nodes[m].message != none && x.nodes[m].message == x.nodes[n].message {
		return items[:len(items)-1]
	}
	return items
}

// textShape is what is kept of a record on the second pass.
var textShape = jsonl.Shape{
	"timestamp": nil, "message": {"model": nil, "content": blockShape}, "attachment": {"prompt": blockShape},
}

// fetched is what the second pass found in one entry.
type fetched struct {
	texts []string
	model string
	time  int64
}

// fetch gets the texts of all items, in the order of the file.
func (x *index) fetch(ctx context.Context, src *jsonl.Source, items []item) (map[int32]fetched, error) {
	var nodes []int32
	for _, it := range items {
		nodes = append(nodes, it.nodes...)
	}
	slices.SortFunc(nodes, func(a, b int32) int { return cmp.Compare(x.nodes[a].span.Off, x.nodes[b].span.Off) })
	spans := make([]jsonl.Span, len(nodes))
	for i, n := range nodes {
		spans[i] = x.nodes[n].span
	}
	out := make(map[int32]fetched, len(nodes))
	i := 0
	for v, err := range src.Fetch(ctx, textShape, spans) {
		if err != nil {
			return nil, err
		}
		content := v.Get("message", "content")
		if x.nodes[nodes[i]].kind == attachment {
			content = v.Get("attachment", "prompt")
		}
		f := fetched{time: jsonl.Members(v).Millis("timestamp")}
		f.texts, _ = textBlocks(content)
		f.model, _ = v.Get("message", "model").Text()
		out[nodes[i]] = f
		i++
	}
	return out, nil
}

// build makes the conversation of the items. sealed reports that the summary has
// no text.
func build(b *transcript.Builder, items []item, texts map[int32]fetched) (sealed bool) {
	apart := apart(items, texts)
	for i, it := range items {
		var first fetched
		if len(it.nodes) > 0 {
			first = texts[it.nodes[0]]
		}
		switch it.kind {
		case summaryItem:
			sealed = !b.Checkpoint(it.at, first.time, transcript.Join(first.texts))
		case typedItem:
			text := typed(first.texts)
			if i == 0 && len(text) >= len(continued) && text[:len(continued)] == continued {
				b.Checkpoint(it.at, first.time, text)
				continue
			}
			b.User(it.at, first.time, text)
		case steeringItem:
			b.User(it.at, first.time, typed(first.texts))
		case slashItem:
			c, _ := parseCommand(transcript.Join(first.texts))
			b.User(it.at, first.time, c.text)
		case traceItem:
			if apart[i] {
				b.User(it.at, it.trace.time, it.trace.text)
			}
		case answerItem:
			var all []string
			for _, n := range it.nodes {
				all = append(all, texts[n].texts...)
			}
			b.Assistant(it.at, first.time, transcript.Join(all), "", first.model)
		}
	}
	return sealed
}
