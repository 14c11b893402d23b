package pi

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// entry is what is held of one record until it is known whether its text counts.
type entry struct {
	jsonl.Span
	index  int64
	id     string
	parent string // empty: the root
	time   int64
	kind   kind
	// Of a compaction: what it kept.
	firstKept string
	keptIndex int64 // -1: not given
	hasTail   bool
}

type kind uint8

const (
	other kind = iota
	userMessage
	answer
	compaction
)

// tree is a whole file without its texts.
type tree struct {
	header  header
	ok      bool // the file has a header
	entries []entry
	byID    map[string]int // the first of each id
	name    string         // the last title
	lineage string         // the first entry's id and time: a fork keeps both
}

var treeShape = jsonl.Shape{
	"type": nil, "version": nil, "id": nil, "parentId": nil, "timestamp": nil, "cwd": nil, "parentSession": nil, "branchedFrom": nil, "createdAt": nil,
	"name": nil, "firstKeptEntryId": nil, "firstKeptEntryIndex": nil, "retainedTail": {},
	"message": {"role": nil, "stopReason": nil},
}

func scan(ctx context.Context, src *jsonl.Source) (*tree, error) {
	t := &tree{byID: make(map[string]int)}
	linear := false // version 1: no ids, each entry follows the one before
	for rec, err := range src.Records(ctx, treeShape) {
		if err != nil {
			return nil, err
		}
		v := rec.Value
		if v.Get("type").Is("session") {
			if h, ok := parseHeader(v); ok && !t.ok {
				t.header, t.ok, linear = h, true, h.version < 2
			}
			continue
		}
		if len(t.entries) == 0 && !t.ok && rec.Index > 0 && isEntry(v) { // the header is damaged
			t.header, t.ok = headerByName(src.Path)
		}
		t.add(rec, linear)
	}
	return t, nil
}

func (t *tree) add(rec jsonl.Record, linear bool) {
	v := rec.Value
	e := entry{Span: rec.Span, index: rec.Index, time: millis(v.Get("timestamp")), keptIndex: -1}
	id, hasID := v.Get("id").Text()
	e.id = id
	e.parent, _ = v.Get("parentId").Text()
	if linear && !hasID || !hasID && !v.Get("parentId").Exists() {
		e.id = "#" + strconv.FormatInt(rec.Index, 10)
		if n := len(t.entries); n > 0 {
			e.parent = t.entries[n-1].id
		}
	}
	if len(t.entries) == 0 && hasID && e.time > 0 {
		t.lineage = Kind + ":" + id + "@" + strconv.FormatInt(e.time, 10)
	}
	switch kind, _ := v.Get("type").Text(); kind {
	case "message":
		e.kind = messageKind(v.Get("message"))
	case "compaction":
		e.kind = compaction
		e.firstKept, _ = v.Get("firstKeptEntryId").Text()
		if n, ok := v.Get("firstKeptEntryIndex").Int(); ok {
			e.keptIndex = n
		}
		e.hasTail = v.Get("retainedTail").Kind() == jstext.Array
	case "session_info":
		if name, _ := v.Get("name").Text(); strings.TrimSpace(name) != "" {
			t.name = strings.TrimSpace(name)
		}
	}
	if _, repeated := t.byID[e.id]; !repeated {
		t.byID[e.id] = len(t.entries)
		t.entries = append(t.entries, e)
	}
}

// messageKind leaves out what pi does not send again: failed and aborted answers.
func messageKind(m jstext.Value) kind {
	switch role, _ := m.Get("role").Text(); role {
	case "user":
		return userMessage
	case "assistant":
		if stop := m.Get("stopReason"); !stop.Is("error") && !stop.Is("aborted") {
			return answer
		}
	}
	return other
}

// path is the current branch.
type path struct {
	entries  []int // from the root to the last entry
	dropped  int64 // other branches
	repaired int   // parents that are not in the file
}

func (t *tree) path() path {
	var p path
	seen := make([]bool, len(t.entries))
	for i := len(t.entries) - 1; i >= 0 && !seen[i]; {
		seen[i] = true
		p.entries = append(p.entries, i)
		e := t.entries[i]
		next, ok := t.byID[e.parent]
		switch {
		case ok:
			i = next
		case e.parent == "":
			i = -1
		default:
			p.repaired++
			i--
		}
	}
	slices.Reverse(p.entries)
	p.dropped = t.branches(seen)
	return p
}

// branches counts the other branches that hold a message: seen are the entries of
// the path, and becomes all. Backwards, every entry that was not passed yet ends one.
func (t *tree) branches(seen []bool) (n int64) {
	for end := len(t.entries) - 1; end >= 0; end-- {
		talk := false
		for i, ok := end, true; ok && !seen[i]; {
			seen[i] = true
			e := t.entries[i]
			talk = talk || e.kind == userMessage || e.kind == answer
			i, ok = t.byID[e.parent]
		}
		if talk {
			n++
		}
	}
	return n
}

// visible are the entries whose texts the model is given, the compaction that
// stands before them first.
func (t *tree) visible(p path) []int {
	last := -1
	for i, at := range p.entries {
		if t.entries[at].kind == compaction {
			last = i
		}
	}
	if last < 0 {
		return p.entries
	}
	c := t.entries[p.entries[last]]
	out := []int{p.entries[last]}
	if from := slices.IndexFunc(p.entries[:last], func(at int) bool { return c.keeps(t.entries[at]) }); from >= 0 && !c.hasTail {
		out = append(out, p.entries[from:last]...)
	}
	return append(out, p.entries[last+1:]...)
}

// keeps reports whether e is the first entry that the compaction kept. Its index,
// where it is given instead of an id, counts the header as line 0.
func (c entry) keeps(e entry) bool {
	if c.firstKept != "" {
		return e.id == c.firstKept
	}
	return e.index == c.keptIndex
}
