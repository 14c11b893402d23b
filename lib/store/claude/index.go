package claude

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// node is one entry of the tree. An entry that was written more than once is one
// node.
type node struct {
	span        jsonl.Span // of the copy written last, whose content counts
	first, last int64      // the record indexes of its first and last copy; first is -1 for one that is only named
	parent      int32      // its parent, none for a root
	logical     int32      // of a boundary: the leaf that was compacted
	written     int32      // the parent that its first copy named
	message     int32      // the API message that a line of an answer belongs to; none for others
	kind        kind
	flags       flags
}

// none is no node.
const none int32 = -1

// compaction is what a boundary says of the messages that stay behind the summary.
type compaction struct {
	at        int32 // the boundary
	anchor    int32 // the entry that they follow: the summary
	preserved []int32
	// The ends of what is preserved, for versions that do not list it.
	head, tail int32
}

// index is what the first pass over a file keeps.
type index struct {
	nodes    []node
	order    []int32            // the nodes that have a record, in the order of their first copies
	prev     []int32            // by node: the entry of the main chain before it in the file
	uuids    map[[16]byte]int32 // the nodes by name
	names    map[string]int32   // those with names of another form
	messages map[string]int32

	compactions []compaction
	gone        map[int32]bool // superseded, retracted or refused
	traces      []trace
	commands    []said // the queued_commands, in the order of the file
	queued      bool   // there is a queued_command, also one that is not a person's
	linked      bool   // some entry names a parent

	title, aiTitle string
	sessionID      string
	cwds           dirs
	created        int64
	background     bool
	lineage        string
	known          bool // some record is Claude Code's
}

func newIndex() *index {
	return &index{
		uuids: make(map[[16]byte]int32), names: make(map[string]int32), messages: make(map[string]int32), gone: make(map[int32]bool),
	}
}

// scan is the first pass.
func scan(ctx context.Context, src *jsonl.Source) (*index, error) {
	x := newIndex()
	r := make(jsonl.Object)
	for rec, err := range src.Records(ctx, recordShape) {
		if err != nil {
			return nil, err
		}
		r.Set(rec.Value)
		x.add(rec, r)
	}
	return x, nil
}

func (x *index) add(rec jsonl.Record, r jsonl.Object) {
	if x.created == 0 {
		x.created = r.Millis("timestamp")
	}
	id, hasID := r["uuid"].Text()
	_, linked := r["parentUuid"]
	k := kinds[r.Text("type")]
	if k == attachment {
		x.queuedCommand(rec, r, id)
	}
	switch {
	case hasID && (linked || k != other), k == user, k == assistant:
		x.entry(rec, r, id, hasID)
	default:
		x.metadata(rec, r)
	}
}

// entry adds one copy of an entry.
func (x *index) entry(rec jsonl.Record, r jsonl.Object, id string, hasID bool) {
	x.known = true
	n := none
	if hasID {
		n = x.name(id)
	} else { // made by hand: nobody can name it
		n = x.newNode()
	}
	parent := none
	if p, ok := r["parentUuid"].Text(); ok {
		parent = x.name(p)
		x.linked = true
	}
	k, f := classify(r)
	e := &x.nodes[n]
	if e.first < 0 {
		e.first, e.written, e.parent = rec.Index, parent, parent
		x.order = append(x.order, n)
	} else if parent != none || f&boundary != 0 {
		// Of two copies the last one counts, except that one which has lost its link
		// does not unlink the entry: branch copies have been seen that repeat every
		// entry with a null parent.
		e.parent = parent
	}
	e.span, e.last, e.kind, e.flags, e.message = rec.Span, rec.Index, k, f, none
	if mid, ok := r["message"].Get("id").Text(); ok && k == assistant && mid != "" {
		e.message = intern(x.messages, mid)
	}
	for _, key := range []string{"supersedesUuids", "retractedMessageUuids"} {
		for u := range r[key].Elements() {
			x.retract(u)
		}
	}
	x.retract(r["refusedUserMessageUuid"])
	if f&aside == 0 {
		x.facts(r, id, f)
	}
	if f&boundary != 0 {
		x.compaction(n, r)
	}
}

// seen reports whether n has a record.
func (x *index) seen(n int32) bool { return n != none && x.nodes[n].first >= 0 }

// main reports whether n is an entry of the main chain.
func (x *index) main(n int32) bool { return x.seen(n) && x.nodes[n].flags&aside == 0 }

func (x *index) retract(uuid jstext.Value) {
	if u, ok := uuid.Text(); ok {
		x.gone[x.name(u)] = true
	}
}

// facts takes what the session's header needs from an entry of the main chain.
func (x *index) facts(r jsonl.Object, id string, f flags) {
	if of := r.Text("sessionId"); of != "" && of != x.sessionID {
		x.sessionID = strings.Clone(of) // copied lines may still name the session they come from: the last counts
	}
	if cwd, ok := r["cwd"].Text(); ok {
		x.cwds.add(cwd)
	}
	x.background = x.background || r.Text("sessionKind") == "bg"
	if x.lineage == "" && f&(prompt|slash) != 0 && kinds[r.Text("type")] == user {
		x.lineage = lineage(r, id)
	}
}

// lineage is a mark that a conversation shares with its copies: forks and resumed
// or background copies repeat their first prompt with its id and time. Where the
// copy was given new ids it names the old one.
func lineage(r jsonl.Object, id string) string {
	if from := r["forkedFrom"].Get("messageUuid"); from.Kind() == jstext.String {
		id, _ = from.Text()
	}
	if id == "" {
		return ""
	}
	texts, _ := textBlocks(r["message"].Get("content"))
	sum := sha256.Sum256([]byte(strings.Join([]string{id, r.Text("timestamp"), strings.Join(texts, "\n")}, "\x00")))
	return "claude:" + hex.EncodeToString(sum[:8])
}

// metadata takes what a line that is no entry says of the session.
func (x *index) metadata(rec jsonl.Record, r jsonl.Object) {
	switch typ := r.Text("type"); typ {
	case "custom-title":
		x.title = r.Text("customTitle")
	case "ai-title":
		x.aiTitle = r.Text("aiTitle")
	case "queue-operation":
		x.queueOperation(rec, r)
	case "summary", "last-prompt", "agent-name", "tag", "file-history-snapshot", "mode", "permission-mode":
	default:
		if typ == "" || r.Text("sessionId") == "" {
			return
		}
	}
	x.known = true
	if x.sessionID == "" {
		x.sessionID = strings.Clone(r.Text("sessionId"))
	}
}

func (x *index) compaction(n int32, r jsonl.Object) {
	c := compaction{at: n}
	m := r["compactMetadata"]
	kept, segment := m.Get("preservedMessages"), m.Get("preservedSegment")
	uuids := kept.Get("uuids")
	if uuids.Len() == 0 {
		uuids = kept.Get("allUuids")
	}
	for u := range uuids.Elements() {
		if id := x.nameOf(u); id != none {
			c.preserved = append(c.preserved, id)
		}
	}
	c.anchor = x.nameOf(kept.Get("anchorUuid"))
	if c.anchor == none {
		c.anchor = x.nameOf(segment.Get("anchorUuid"))
	}
	c.head, c.tail = x.nameOf(segment.Get("headUuid")), x.nameOf(segment.Get("tailUuid"))
	x.compactions = append(x.compactions, c)

	// The walk ends at a boundary, also at one that a fork has given a parent.
	logical := x.nameOf(r["logicalParentUuid"])
	b := &x.nodes[n]
	if logical == none {
		logical = b.parent
	}
	b.logical, b.parent = logical, none
}

func (x *index) nameOf(v jstext.Value) int32 {
	if s, ok := v.Text(); ok {
		return x.name(s)
	}
	return none
}

// name is the node of a uuid, a new one where it was not met before.
func (x *index) name(uuid string) int32 {
	key, ok := uuidKey(uuid)
	if !ok {
		n, ok := x.names[uuid]
		if !ok {
			n = x.newNode()
			x.names[strings.Clone(uuid)] = n // not a piece of the record's text
		}
		return n
	}
	n, ok := x.uuids[key]
	if !ok {
		n = x.newNode()
		x.uuids[key] = n
	}
	return n
}

// uuidKey is a UUID as its 16 bytes, which is what most of an index is made of. Only
// the usual form, in lower case, has one, so that no two names share a key.
func uuidKey(s string) (key [16]byte, ok bool) {
	if !jsonl.IsUUID(s) {
		return key, false
	}
	n := 0
	for _, c := range []byte(s) {
		switch {
		case c == '-':
			continue
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			return key, false
		default:
			c -= '0'
		}
		key[n/2] = key[n/2]<<4 | c
		n++
	}
	return key, true
}

func (x *index) newNode() int32 {
	x.nodes = append(x.nodes, node{first: -1, last: -1, parent: none, logical: none, written: none, message: none})
	return int32(len(x.nodes) - 1)
}

func intern(m map[string]int32, s string) int32 {
	if n, ok := m[s]; ok {
		return n
	}
	n := int32(len(m))
	m[strings.Clone(s)] = n
	return n
}

// dirs are the directories that a session has been in, in the order of their
// first mention.
type dirs struct {
	all  []string
	last string
}

// maxDirs bounds what is kept of a session that goes through very many.
const maxDirs = 32

func (d *dirs) add(dir string) {
	if dir == d.last || dir == "" {
		return
	}
	d.last = strings.Clone(dir)
	if len(d.all) < maxDirs {
		for _, have := range d.all {
			if have == dir {
				return
			}
		}
		d.all = append(d.all, d.last)
	}
}

// current is where the session is now: the newest directory, unless that is below
// the one it began in, into which the agent's shell only wandered. It is nil where
// none was named.
func (d *dirs) current() *string {
	if len(d.all) == 0 {
		return nil
	}
	first, now := d.all[0], d.last
	if strings.HasPrefix(now, strings.TrimRight(first, `/\`)) {
		if rest := now[len(strings.TrimRight(first, `/\`)):]; rest == "" || strings.ContainsAny(rest[:1], `/\`) {
			now = first
		}
	}
	return &now
}

// others are the directories that the session has been in besides.
func (d *dirs) others() []string {
	now := d.current()
	var out []string
	for _, dir := range d.all {
		if dir != *now {
			out = append(out, dir)
		}
	}
	return out
}

// uuidOf is the session id that a file's name gives, empty where the name is not
// that of a session.
func uuidOf(path string) string {
	name, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
	if !ok || !jsonl.IsUUID(name) {
		return ""
	}
	return name
}
