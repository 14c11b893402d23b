package codex

import (
	"slices"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// replaced is what a compaction put in the place of everything before it.
type replaced struct {
	compacted bool // it was a compaction of text: there is, or ought to be, a summary
	summary   string
	items     []replacedItem
	time      int64
}

type replacedItem struct {
	at     int64 // its place in the list
	answer bool
	text   string
}

// listEntry is one item of the list as it was written.
type listEntry struct {
	replacedItem
	begins bool // a turn begins with it
	summed bool // it is the summary
	sealed bool // it is an encrypted summary
}

// readList reads the list of a compaction, without its last cut turns.
//
// The summary is the message that begins with the fixed sentence, else the one
// that repeats the line's own message, else that message itself. A list with an
// encrypted item has one that cannot be read. One that has none of these stands
// for itself: all that was kept is in it.
func readList(l jsonl.Object, cut int64) replaced {
	payload := l.Object("payload")
	out := replaced{time: l.Millis("timestamp")}
	whole := listEntries(payload)
	entries := cutTurns(whole, cut)
	message := summaryText(payload.Text("message"))
	if len(entries) < len(whole) {
		message = "" // its turn was rolled back
	}
	if message != "" && !slices.ContainsFunc(entries, func(e listEntry) bool { return e.summed || e.sealed }) {
		i := slices.IndexFunc(entries, func(e listEntry) bool { return !e.answer && e.text == message })
		if i < 0 {
			i = len(entries)
			entries = append(entries, listEntry{replacedItem: replacedItem{text: message}})
		}
		entries[i].summed = true
	}
	for _, e := range entries {
		out.compacted = out.compacted || e.summed || e.sealed
		switch {
		case e.summed:
			out.summary = e.text
		case e.text != "":
			out.items = append(out.items, e.replacedItem)
		}
	}
	return out
}

func listEntries(payload jsonl.Object) []listEntry {
	var metas []jstext.Value
	for m := range payload["replacement_history_metadata"].Elements() {
		metas = append(metas, m)
	}
	var out []listEntry
	for v := range payload["replacement_history"].Elements() {
		e := listEntry{replacedItem: replacedItem{at: int64(len(out))}}
		line := jsonl.Object{}
		if len(out) < len(metas) {
			line["metadata"] = metas[len(out)]
		}
		item := jsonl.Members(v)
		switch item.Text("type") {
		case "compaction", "compaction_summary", "context_compaction":
			e.sealed = true
		case "agent_message":
			e.begins = true
		case "message":
			e.message(item, lineMarks(line, item))
		}
		out = append(out, e)
	}
	return out
}

func (e *listEntry) message(item jsonl.Object, m marks) {
	switch item.Text("role") {
	case "assistant":
		e.answer = true
		e.text = joined(pieces(item["content"]))
	case "user":
		text, is := userText(item["content"], m)
		if is == summed {
			text = summaryText(joined(pieces(item["content"])))
		}
		e.text, e.begins, e.summed = text, is != plumbing, is == summed
	}
}

// cutTurns takes the last n turns away, or all turns where there are fewer.
func cutTurns(entries []listEntry, n int64) []listEntry {
	for i := len(entries) - 1; i >= 0 && n > 0; i-- {
		if entries[i].begins {
			entries = entries[:i]
			n--
		}
	}
	return entries
}
