package codex

import (
	"context"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// op is one line that matters to the history.
type op struct {
	kind   opKind
	origin origin
	span   jsonl.Span
	src    int   // which of the files it stands in
	seq    int64 // the first of its seqs
	n      int64 // of a rollback: turns; of a compaction with a list: its length
	cut    int64 // of a compaction: turns to take off the end of its list
}

type opKind uint8

const (
	prompt   opKind = iota // a turn begins: a person's message with text
	edge                   // a turn begins, with nothing to show: an image alone, an agent's message
	answer                 // assistant text
	compact                // a compaction with a list that replaces everything before
	compress               // a compaction that keeps the prompts before, and a summary
	handover               // a summary in the place of a prompt: compress, and a turn begins
	rollback
)

func (k opKind) begins() bool { return k == prompt || k == edge || k == handover }

// origin says which of the records that repeat each other a line is.
type origin uint8

const (
	both       origin = iota // counts in any case
	ofResponse               // response items, the conversation itself
	ofEvent                  // events of the legacy era
	ofItem                   // events of the paginated era
)

// recordShape is what is kept of a line on the first pass.
var (
	contentShape = jsonl.Shape{"type": nil, "text": nil}
	marksShape   = jsonl.Shape{"content_item_kinds": nil}
	recordShape  = jsonl.Shape{
		"timestamp": nil, "type": nil, "ordinal": nil, "record_type": nil,
		"metadata": {"inherited_user_message": nil, "compaction_output": nil},
		"payload": {
			"type": nil, "id": nil, "timestamp": nil, "cwd": nil, "source": nil, "thread_source": nil,
			"forked_from_id": nil, "parent_thread_id": nil, "history_base": nil, "subagent_history_start_ordinal": nil,
			"role": nil, "content": contentShape, "internal_chat_message_metadata_passthrough": marksShape,
			"message": nil, "kind": nil, "images": {}, "local_images": {}, "num_turns": nil, "thread_name": nil, "thread_id": nil,
			"item":                         {"type": nil, "text": nil, "content": contentShape},
			"replacement_history":          listShape,
			"replacement_history_metadata": {"inherited_user_message": nil, "compaction_output": nil},
		},
		// The bare era has the item, or the session, on the line itself.
		"id": nil, "role": nil, "content": contentShape, "internal_chat_message_metadata_passthrough": marksShape,
	}
	listShape = jsonl.Shape{"type": nil, "role": nil, "content": contentShape, "internal_chat_message_metadata_passthrough": marksShape}
)

// rollout is what the first pass over one file keeps.
type rollout struct {
	src  *jsonl.Source
	meta meta
	ops  []op
	seqs int64 // how many seqs its lines take
	name string
	has  [ofItem + 1]bool

	short bool // the file ends before the place where a fork left it
}

// limit is where a fork left its ancestor; -1: not given.
type limit struct{ ordinal, offset int64 }

var noLimit = limit{-1, -1}

func (l limit) reached(rec jsonl.Record, ordinal jstext.Value) bool {
	if n, ok := ordinal.Int(); ok && l.ordinal >= 0 {
		return n >= l.ordinal
	}
	return l.offset >= 0 && rec.Off >= l.offset
}

// scan is the first pass, up to where a fork left the file. Seqs are counted from
// first on.
func scan(ctx context.Context, src *jsonl.Source, file int, first int64, end limit) (*rollout, error) {
	r := &rollout{src: src}
	at := limit{-1, 0} // where the file ends
	thread, _ := rolloutName(src.Path)
	o := make(jsonl.Object)
	for rec, err := range src.Records(ctx, recordShape) {
		if err != nil {
			return nil, err
		}
		o.Set(rec.Value)
		if end.reached(rec, o["ordinal"]) {
			at = end
			break
		}
		if n, ok := o["ordinal"].Int(); ok {
			at.ordinal = max(at.ordinal, n+1)
		}
		at.offset = rec.Off + rec.Len
		r.begin(rec, o, thread)
		next := op{span: rec.Span, src: file, seq: first + rec.Index + r.seqs}
		// A compaction takes a seq of its own and one for each item of its list.
		if typ := o.Text("type"); typ == "compacted" {
			r.seqs += int64(o.Object("payload")["replacement_history"].Len())
		}
		if start := r.meta.ownFrom; start > 0 {
			if n, ok := o["ordinal"].Int(); ok && n < start || !ok && rec.Index < start {
				continue // a subagent's copy of its parent's history
			}
		}
		r.line(o, next)
	}
	r.seqs += src.Count
	r.short = at.before(end) || src.Count == 0 && end != noLimit
	r.choose()
	return r, nil
}

// before reports whether a file that ends at l ends before a fork left it at end. An
// offset may or may not count the end of the last line.
func (l limit) before(end limit) bool {
	if end.ordinal >= 0 && l.ordinal >= 0 {
		return l.ordinal < end.ordinal
	}
	return end.ordinal < 0 && end.offset > l.offset+2
}

// saidBehind reports whether something was said in a rollout behind where a revert left
// it.
func saidBehind(ctx context.Context, path string, end limit) (bool, error) {
	return jsonl.Read(ctx, path, func(src *jsonl.Source) (bool, error) {
		src.Form = &form
		var rest rollout
		behind := false
		for rec, err := range src.Records(ctx, recordShape) {
			if err != nil {
				return false, err
			}
			o := jsonl.Members(rec.Value)
			if behind = behind || end.reached(rec, o["ordinal"]); !behind {
				continue
			}
			rest.line(o, op{})
			if slices.ContainsFunc(rest.ops, func(o op) bool { return o.kind.begins() || o.kind == answer }) {
				return true, nil
			}
		}
		return false, nil
	})
}

// begin takes what a line tells of the rollout as such: its first line all, any other
// what era it is of, where the first line is damaged.
func (r *rollout) begin(rec jsonl.Record, o jsonl.Object, thread string) {
	switch {
	case r.meta.id == "" && own(rec, o, thread):
		r.meta = parseMeta(o)
	case !r.meta.known:
		r.meta.bare = !o["payload"].Exists() && (o["role"].Exists() || o["record_type"].Exists())
		r.meta.known = r.meta.bare || slices.Contains(lineTypes, o.Text("type"))
	}
}

// choose drops what only repeats the response items, or, in a file that has none,
// one of the two kinds of events.
func (r *rollout) choose() {
	which := ofItem
	switch {
	case r.has[ofResponse]:
		which = ofResponse
	case r.has[ofEvent]:
		which = ofEvent
	}
	kept := r.ops[:0]
	for _, o := range r.ops {
		if o.origin == both || o.origin == which {
			kept = append(kept, o)
		}
	}
	r.ops = kept
}

func (r *rollout) add(o op, kind opKind, from origin) {
	o.kind, o.origin = kind, from
	r.ops = append(r.ops, o)
	r.has[from] = true
}

func (r *rollout) line(o jsonl.Object, at op) {
	payload := o.Object("payload")
	switch typ := o.Text("type"); typ {
	case "response_item":
		r.response(payload, at, lineMarks(o, payload))
	case "compacted":
		r.compaction(payload, at)
	case "event_msg":
		r.event(payload, at)
	case "session_meta":
		if id := payload.Text("id"); id != "" {
			r.meta.root = id // a fork repeats its ancestors', the oldest last
		}
	case "inter_agent_communication":
		r.add(at, edge, both)
	case "turn_context":
		r.meta.cwds = appendNew(r.meta.cwds, payload.Text("cwd"))
	default:
		if r.meta.bare {
			r.response(o, at, lineMarks(jsonl.Object{}, o))
		}
	}
}

func lineMarks(line, item jsonl.Object) marks {
	m := line.Object("metadata")
	return marks{
		kinds:     item["internal_chat_message_metadata_passthrough"].Get("content_item_kinds"),
		inherited: m.True("inherited_user_message"), output: m.True("compaction_output"),
	}
}

func (r *rollout) response(item jsonl.Object, at op, m marks) {
	switch item.Text("type") {
	case "agent_message":
		r.add(at, edge, ofResponse)
		return
	case "message":
	default:
		return
	}
	switch item.Text("role") {
	case "assistant":
		r.add(at, answer, ofResponse)
	case "user":
		r.user(item["content"], at, m, ofResponse)
	}
}

func (r *rollout) user(content jstext.Value, at op, m marks, from origin) {
	text, is := userText(content, m)
	r.has[from] = true
	switch {
	case is == summed:
		r.add(at, handover, from)
	case is == plumbing:
		if r.meta.cwd == nil {
			r.meta.cwd = environmentCwd(content)
		}
	case text == "":
		r.add(at, edge, from)
	default:
		r.add(at, prompt, from)
	}
}

func (r *rollout) compaction(payload jsonl.Object, at op) {
	if list := payload["replacement_history"]; list.Kind() == jstext.Array {
		at.n = int64(list.Len())
		r.add(at, compact, both)
		return
	}
	r.add(at, compress, both)
}

func (r *rollout) event(payload jsonl.Object, at op) {
	switch payload.Text("type") {
	case "thread_rolled_back":
		if n, ok := payload["num_turns"].Int(); ok && n > 0 {
			at.n = n
			r.add(at, rollback, both)
		}
	case "thread_name_updated":
		// A fork carries its ancestor's names along.
		if of := payload.Text("thread_id"); of == "" || of == r.meta.id {
			r.name = payload.Text("thread_name")
		}
	case "user_message":
		if kind := payload.Text("kind"); kind == "" || kind == "plain" {
			r.user(payload["message"], at, marks{}, ofEvent)
		}
	case "agent_message":
		r.add(at, answer, ofEvent)
	case "item_completed":
		item := payload.Object("item")
		switch item.Text("type") {
		case "UserMessage", "user_message":
			r.user(itemContent(item), at, marks{}, ofItem)
		case "AgentMessage", "agent_message":
			r.add(at, answer, ofItem)
		}
	}
}

// itemContent is the content of an event's item, which was seen in both forms.
func itemContent(item jsonl.Object) jstext.Value {
	if c := item["content"]; c.Exists() {
		return c
	}
	return item["text"]
}

func appendNew(list []string, s string) []string {
	if s == "" || len(list) == maxDirs {
		return list
	}
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// maxDirs bounds what is kept of a thread that goes through very many directories.
const maxDirs = 32
