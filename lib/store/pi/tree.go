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
	repaired int   // parents on it that are not in the file
	circled  int   // entries whose parents made a circle
}

const root = -1

// link finds the parent of each entry: the one that it names, or, where that is not in
// the file, the entry before it. Entries that form a circle have the entry before them
// too; where that makes another circle, so has every entry that names a later one.
// circled is how many.
func (t *tree) link() (parents []int, missing []bool, circled int) {
	parents, missing = make([]int, len(t.entries)), make([]bool, len(t.entries))
	for i, e := range t.entries {
		at, ok := t.byID[e.parent]
		switch {
		case e.parent == "":
			at = root
		case !ok:
			at, missing[i] = i-1, true
		}
		parents[i] = at
	}
	circle := circles(parents)
	for _, i := range circle {
		parents[i] = i - 1
	}
	if circled = len(circle); circled > 0 && len(circles(parents)) > 0 {
		for i, at := range parents {
			if at >= i {
				parents[i] = i - 1
				circled++
			}
		}
	}
	return parents, missing, circled
}

// circles are the entries that are their own ancestors.
func circles(parents []int) (found []int) {
	walk := make([]int, len(parents)) // the walk that came by, 0 for none
	for i := range parents {
		for at := i; at != root; at = parents[at] {
			if walk[at] == i+1 {
				found = append(found, at)
				for next := parents[at]; next != at; next = parents[next] {
					found = append(found, next)
				}
				break
			}
			if walk[at] != 0 {
				break
			}
			walk[at] = i + 1
		}
	}
	return found
}

func (t *tree) path() path {
	parents, missing, circled := t.link()
	p := path{circled: circled}
	seen := make([]bool, len(t.entries))
	for i := len(t.entries) - 1; i != root; i = parents[i] {
		seen[i] = true
		p.entries = append(p.entries, i)
		if missing[i] {
			p.repaired++
		}
	}
	slices.Reverse(p.entries)
	p.dropped = t.branches(parents, seen)
	return p
}

// branches counts the other branches that hold a message: seen are the entries of
// the path, and becomes all. Backwards, every entry that was not passed yet ends one.
func (t *tree) branches(parents []int, seen []bool) (n int64) {
	for end := len(t.entries) - 1; end >= 0; end-- {
		talk := false
		for i := end; i != root && !seen[i]; i = parents[i] {
			seen[i] = true
			e := t.entries[i]
			talk = talk || e.kind == userMessage || e.kind == answer
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
