package claude

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// trace is what a file says of a steering message outside the tree of its entries.
type trace struct {
	how  traceKind
	at   int64 // record index
	time int64 // ms since the epoch; 0 where the record has none
	text string
	node int32 // the entry of a looseCommand that has a uuid; none for every other
}

type traceKind uint8

const (
	// looseCommand is a queued_command that names no uuid or no parent. The model was
	// given its text.
	looseCommand traceKind = iota
	// absorbed is a message that left the queue because the running turn took it. A
	// queued_command says the same, where there is one.
	absorbed
	// plainRemove is a message that left the queue for a reason that is not said: in
	// files of versions without queued_command because a turn took it, in others
	// perhaps because the person discarded it.
	plainRemove
)

// said is a text and where it stands.
type said struct {
	at   int64
	text string
}

// queuedCommand takes note of an attachment that is a steering message.
func (x *index) queuedCommand(rec jsonl.Record, r jsonl.Object, id string) {
	if !r["attachment"].Get("type").Is("queued_command") {
		return
	}
	x.queued = true
	k, f := classify(r)
	if k != attachment || f&prompt == 0 {
		return
	}
	text := strings.Clone(steering(r["attachment"], r["origin"]))
	x.commands = append(x.commands, said{rec.Index, text})
	_, hasParent := r["parentUuid"].Text()
	if id != "" && hasParent {
		return
	}
	t := trace{how: looseCommand, at: rec.Index, time: r.Millis("timestamp"), text: text, node: none}
	if id != "" {
		t.node = x.name(id)
	}
	x.traces = append(x.traces, t)
}

// queueOperation takes note of a message that left the queue without a turn of its
// own.
func (x *index) queueOperation(rec jsonl.Record, r jsonl.Object) {
	text, ok := r["content"].Text()
	if !ok || r.Text("operation") != "remove" {
		return
	}
	how := plainRemove
	switch r.Text("reason") {
	case "":
	case "absorbed_mid_turn":
		how = absorbed
	default:
		return
	}
	if text = typed([]string{text}); text != "" {
		x.traces = append(x.traces, trace{how: how, at: rec.Index, time: r.Millis("timestamp"), text: strings.Clone(text), node: none})
	}
}

// counted are the traces that no entry tells of as well, whatever branch they belong
// to.
func (x *index) counted() []trace {
	if len(x.traces) == 0 {
		return nil
	}
	paired := x.paired()
	var out []trace
	for i, t := range x.traces {
		if t.how == absorbed && paired[i] || t.how == plainRemove && x.queued {
			continue
		}
		out = append(out, t)
	}
	return out
}

// paired finds the absorbed messages, by index in x.traces, that a queued_command
// tells of: one of the same text that stands behind the last answer before the
// message left the queue. Each command is one message. The last message is paired
// first, with the first command that it can have: so one that has none does not take
// the command of a later one.
func (x *index) paired() map[int]bool {
	free := make(map[string][]int64) // the commands that are not paired yet, by text
	for _, c := range x.commands {
		free[c.text] = append(free[c.text], c.at)
	}
	var answers []int64
	for _, n := range x.order {
		if e := &x.nodes[n]; x.main(n) && e.kind == assistant && e.flags&says != 0 {
			answers = append(answers, e.first)
		}
	}
	out := make(map[int]bool)
	for i, t := range slices.Backward(x.traces) {
		if t.how != absorbed {
			continue
		}
		since := int64(-1)
		if k := sort.Search(len(answers), func(k int) bool { return answers[k] >= t.at }); k > 0 {
			since = answers[k-1]
		}
		have := free[t.text]
		k := sort.Search(len(have), func(k int) bool { return have[k] > since })
		if k < len(have) {
			out[i] = true
			free[t.text] = have[:k] // those behind belong to later messages, if to any
		}
	}
	return out
}

// withTraces puts in the steering messages that only traces tell of, each in its
// place in the file. One that stands behind something said on another branch belongs
// to that branch.
func (x *index) withTraces(items []item, line []int32) []item {
	traces := x.counted()
	if len(traces) == 0 || len(line) == 0 {
		return items
	}
	onLine := make(map[int32]bool, len(line))
	messages := make(map[int32]bool)
	for _, n := range line {
		onLine[n] = true
		if mid := x.nodes[n].message; mid != none {
			messages[mid] = true
		}
	}
	next, here := 0, false
	var steered []item
	for _, t := range traces {
		for ; next < len(x.order) && x.nodes[x.order[next]].first < t.at; next++ {
			switch n := x.order[next]; {
			case onLine[n]:
				here = true
			case x.main(n) && x.nodes[n].flags&(prompt|slash|says) != 0 && !messages[x.nodes[n].message] && !x.loose(n):
				here = false
			}
		}
		if here && !onLine[t.node] {
			steered = append(steered, item{kind: traceItem, at: t.at, trace: t})
		}
	}
	return merge(items, steered)
}

// merge puts steering messages, in the order of the file, among items: each behind the
// last item that stands before it in the file. The items keep their own order, which
// need not be the file's; a summary stays first.
func merge(items, steered []item) []item {
	if len(steered) == 0 {
		return items
	}
	earliest := make([]int64, len(items)) // by item: the least place of it and of those behind it
	least := int64(math.MaxInt64)
	for i, it := range slices.Backward(items) {
		least = min(least, it.at)
		earliest[i] = least
	}
	out := make([]item, 0, len(items)+len(steered))
	for i, it := range items {
		for len(steered) > 0 && it.kind != summaryItem && steered[0].at <= earliest[i] {
			out = append(out, steered[0])
			steered = steered[1:]
		}
		out = append(out, it)
	}
	return append(out, steered...)
}

// loose reports whether n is a steering message that nothing is linked to.
func (x *index) loose(n int32) bool {
	return x.nodes[n].kind == attachment && x.nodes[n].written == none
}

// apart says of each item that is a trace whether it is a message of its own: what left
// the queue may have become a prompt behind it. It is nil where there is no trace.
func apart(items []item, texts map[int32]fetched) []bool {
	if !slices.ContainsFunc(items, func(it item) bool { return it.kind == traceItem }) {
		return nil
	}
	out := make([]bool, len(items))
	next := ""                      // the prompt that comes next
	behind := make(map[string]bool) // the prompts to come that were typed, by text
	for i, it := range slices.Backward(items) {
		switch it.kind {
		case typedItem:
			next = typed(texts[it.nodes[0]].texts)
			behind[next] = true
		case slashItem:
			c, _ := parseCommand(transcript.Join(texts[it.nodes[0]].texts))
			next = c.text
		case traceItem:
			switch t := it.trace; t.how {
			case looseCommand:
				out[i] = true
			case absorbed:
				out[i] = next != t.text
			case plainRemove:
				out[i] = !behind[t.text]
			}
		}
	}
	return out
}
