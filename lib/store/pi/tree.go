package pi

import (
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// entry is what has to be known of an entry before its text is read.
type entry struct {
	kind   kind
	parent int // index of the entry; -1: none
	rec    int64
	span   jsonl.Span
}

// kept says what a compaction keeps of what was before it.
type kept struct {
	id    string
	index int64 // version 1: the record's index; -1: not given
}

// tree is the entries of a file.
type tree struct {
	header  header
	name    *string // the last one that says something
	entries []entry
	at      map[string]int // id → index
	keeps   map[int]kept   // by the index of a compaction
	bridged int            // entries whose parent is not in the file
	root    string         // id and time of the first entry: forks keep both
}

// add takes a record.
func (t *tree) add(rec jsonl.Record) {
	o := jsonl.Members(rec.Value)
	typ := o.Text("type")
	if typ == "session" {
		if !t.header.found {
			t.header = newHeader(o)
		}
		return
	}
	if typ == "" {
		return
	}
	if name := strings.TrimSpace(o.Text("name")); typ == "session_info" && name != "" {
		name = strings.Clone(name)
		t.name = &name
	}
	i := len(t.entries)
	e := entry{kind: kindOf(o), parent: t.parentOf(o), rec: rec.Index, span: rec.Span}
	if e.kind == compaction {
		k := kept{id: strings.Clone(o.Text("firstKeptEntryId")), index: -1}
		if n, ok := o["firstKeptEntryIndex"].Int(); ok {
			k.index = n
		}
		if t.keeps == nil {
			t.keeps = make(map[int]kept)
		}
		t.keeps[i] = k
	}
	id := o.Text("id")
	if i == 0 && id != "" && o.Text("timestamp") != "" {
		t.root = id + "@" + o.Text("timestamp")
	}
	t.entries = append(t.entries, e)
	if id != "" {
		if t.at == nil {
			t.at = make(map[string]int)
		}
		t.at[strings.Clone(id)] = i
	}
}

// parentOf is the parent of the entry that comes next: the one that it names, or the
// line before, where it names none (version 1), or one that is not there. A parent
// comes before its children in the file, so there is no way round in a circle.
func (t *tree) parentOf(o jsonl.Object) int {
	before := len(t.entries) - 1
	parent, named := o["parentId"]
	if !named {
		return before
	}
	id, ok := parent.Text()
	if !ok {
		return -1
	}
	i, ok := t.at[id]
	if !ok {
		t.bridged++
		return before
	}
	return i
}

// path is the way from the root to the last entry, as indices.
func (t *tree) path() []int {
	var out []int
	for i := len(t.entries) - 1; i >= 0; i = t.entries[i].parent {
		out = append(out, i)
	}
	slices.Reverse(out)
	return out
}

// left counts the branches beside the path that hold a message.
func (t *tree) left(path []int) int64 {
	seen := make([]bool, len(t.entries))
	for _, i := range path {
		seen[i] = true
	}
	// Backwards, every entry that was not passed yet is the end of a branch.
	n := int64(0)
	for i := len(t.entries) - 1; i >= 0; i-- {
		talk := false
		for j := i; j >= 0 && !seen[j]; j = t.entries[j].parent {
			seen[j] = true
			talk = talk || t.entries[j].kind == user || t.entries[j].kind == assistant
		}
		if talk {
			n++
		}
	}
	return n
}

// view is what is visible of a path: a compaction (-1: none), and the messages that it
// keeps and that came after it.
type view struct {
	compaction int
	kept       []int
	after      []int
}

// visible applies the newest compaction on the path. Earlier ones are superseded, and
// do not come back among what it keeps.
func (t *tree) visible(path []int) view {
	v := view{compaction: -1}
	at := -1
	for i, e := range slices.Backward(path) {
		if t.entries[e].kind == compaction {
			at, v.compaction = i, e
			break
		}
	}
	v.after = t.messages(path[at+1:])
	if at >= 0 {
		if from := t.firstKept(path[:at], t.keeps[v.compaction]); from >= 0 {
			v.kept = t.messages(path[from:at])
		}
	}
	return v
}

// firstKept is the place on the path where a compaction begins to keep; -1: nowhere.
func (t *tree) firstKept(path []int, k kept) int {
	if k.id != "" {
		i, ok := t.at[k.id]
		if !ok {
			return -1
		}
		return slices.Index(path, i)
	}
	if k.index < 0 {
		return -1
	}
	return slices.IndexFunc(path, func(i int) bool { return t.entries[i].rec >= k.index })
}

func (t *tree) messages(path []int) []int {
	var out []int
	for _, i := range path {
		if k := t.entries[i].kind; k == user || k == assistant {
			out = append(out, i)
		}
	}
	return out
}
