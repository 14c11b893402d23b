package reference

import (
	"container/heap"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// Stats says what became of a session's conversation on its way into the block.
type Stats struct {
	Compacted        bool // it holds a checkpoint
	OriginalMessages int
	RetainedMessages int
	OmittedMessages  int
	OmittedBytes     int // of texts: those of dropped messages, and what was cut out of others
	Truncated        bool
}

// Snapshot is one session as the block holds it.
type Snapshot struct {
	JSON  []byte // {"sessionId","label","cwd","capturedThroughSeq","conversation"}, tag-safe
	Stats Stats
}

// Retain makes the snapshot of a session in at most maxBytes of serialised JSON
// (SPEC 5). ok is false where not even its fixed fields, with every text emptied
// that may not be dropped, fit; need is how many bytes those take.
//
// The oldest messages go first, one whole message after the other, but no
// checkpoint and not the newest message; then the longest texts are cut. The time
// is linear in the conversation: each text is weighed once, dropped ones not at
// all, and a cut weighs only the text it cuts.
func Retain(s *session.Surface, label string, maxBytes int) (snap Snapshot, need int, ok bool) {
	r := retention{fixed: fixedFields(s, label), maxBytes: maxBytes}
	items := Conversation(s.Events)
	r.drop(items)
	if need, ok = r.cut(); !ok {
		return Snapshot{}, need, false
	}
	return Snapshot{r.appendJSON(nil), r.stats}, 0, true
}

// fixedFields is the snapshot's JSON up to its conversation's first item.
func fixedFields(s *session.Surface, label string) []byte {
	w := jstext.Writer{TagSafe: true}
	w.BeginObject()
	w.Key("sessionId")
	w.Text(s.Header.ID)
	w.Key("label")
	w.Text(label)
	w.Key("cwd")
	w.OptText(s.Header.Cwd)
	w.Key("capturedThroughSeq")
	w.OptInt(s.CapturedThroughSeq)
	w.Key("conversation")
	w.BeginArray()
	return w.Bytes()
}

// closing ends what fixedFields began.
const closing = "]}"

// retention is one run of Retain.
type retention struct {
	fixed    []byte
	maxBytes int
	size     int // of the JSON as it stands
	kept     []*keptItem
	stats    Stats
}

// keptItem is a message that stays, with its text as it stands.
type keptItem struct {
	Item
	at      int // index among the kept
	text    string
	weight  int // bytes of text, serialised
	omitted int // bytes cut out of Item.Text
}

// drop keeps the checkpoints, the newest item, and of the others the longest run of
// newest ones with which all fits. That is what dropping the oldest until it fits
// leaves, found from the other end.
func (r *retention) drop(items []Item) {
	last := len(items) - 1
	keep := make([]*keptItem, len(items))
	r.size = len(r.fixed) + len(closing)
	for i, it := range items {
		if it.Checkpoint || i == last {
			keep[i] = newKept(it)
			r.size += keep[i].jsonSize() + 1
			r.stats.Compacted = r.stats.Compacted || it.Checkpoint
		}
	}
	if last >= 0 {
		r.size-- // n items take n-1 commas
	}
	for i := last - 1; i >= 0; i-- {
		if keep[i] != nil {
			continue
		}
		if r.size+len(items[i].Text) > r.maxBytes {
			break // cannot fit, however little there is to escape
		}
		k := newKept(items[i])
		if r.size+k.jsonSize()+1 > r.maxBytes {
			break
		}
		r.size += k.jsonSize() + 1
		keep[i] = k
	}
	for i, k := range keep {
		if k == nil {
			r.stats.OmittedBytes += len(items[i].Text)
			continue
		}
		k.at = len(r.kept)
		r.kept = append(r.kept, k)
	}
	r.stats.OriginalMessages = len(items)
	r.stats.RetainedMessages = len(r.kept)
	r.stats.OmittedMessages = len(items) - len(r.kept)
}

func newKept(it Item) *keptItem {
	return &keptItem{Item: it, text: it.Text, weight: jstext.QuotedLen(it.Text, true)}
}

const (
	roleKey = `{"role":`
	textKey = `,"text":`
)

func (k *keptItem) jsonSize() int {
	return len(roleKey) + len(k.Role) + 2 + len(textKey) + k.weight + 1
}

// cut shortens the longest texts until all fits.
func (r *retention) cut() (need int, ok bool) {
	if r.size > r.maxBytes {
		queue := append(byLength(nil), r.kept...)
		heap.Init(&queue)
		for r.size > r.maxBytes {
			// An empty longest text means that all are, and nothing more can go.
			if len(queue) == 0 || queue[0].text == "" {
				return r.size, false
			}
			r.shorten(queue[0])
			heap.Fix(&queue, 0)
		}
	}
	for _, k := range r.kept {
		r.stats.OmittedBytes += k.omitted
	}
	r.stats.Truncated = r.stats.OmittedMessages > 0 || r.stats.OmittedBytes > 0
	return 0, true
}

// shorten takes from a text as many bytes as there are too many, counted in text
// bytes though the excess is in JSON's, and always from the original text.
func (r *retention) shorten(k *keptItem) {
	target := max(0, len(k.text)-(r.size-r.maxBytes))
	r.size -= k.weight
	if c, ok := cutText(k.Item.Text, target); ok {
		k.text, k.omitted = c.String(), c.omitted()
	} else {
		k.text, k.omitted = "", len(k.Item.Text)
	}
	k.weight = jstext.QuotedLen(k.text, true)
	r.size += k.weight
}

func (r *retention) appendJSON(dst []byte) []byte {
	dst = append(dst, r.fixed...)
	for i, k := range r.kept {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, roleKey...)
		dst = jstext.AppendQuote(dst, string(k.Role))
		dst = append(dst, textKey...)
		dst = append(jstext.AppendQuoteTagSafe(dst, k.text), '}')
	}
	return append(dst, closing...)
}

// byLength is a heap with the item of the most text bytes on top, the earliest of
// equals.
type byLength []*keptItem

func (h byLength) Len() int { return len(h) }

func (h byLength) Less(i, j int) bool {
	if a, b := len(h[i].text), len(h[j].text); a != b {
		return a > b
	}
	return h[i].at < h[j].at
}

func (h byLength) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *byLength) Push(x any) { *h = append(*h, x.(*keptItem)) }

func (h *byLength) Pop() any {
	x := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return x
}
