package pi

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// header is the first line of a file.
type header struct {
	id      string
	cwd     *string
	created int64 // ms since the epoch; 0: not known
	parent  string
	version int64 // 1 where none is given
}

var headerShape = jsonl.Shape{
	"type": nil, "version": nil, "id": nil, "timestamp": nil, "cwd": nil, "parentSession": nil, "branchedFrom": nil, "createdAt": nil,
	"parentId": nil,
}

// newestVersion is the format that the rules here were checked with.
const newestVersion = 3

func parseHeader(v jstext.Value) (header, bool) {
	var h header
	id, ok := v.Get("id").Text()
	if !ok || !v.Get("type").Is("session") || v.Get("createdAt").Exists() {
		return h, false
	}
	h.id, h.created = id, millis(v.Get("timestamp"))
	if cwd, ok := v.Get("cwd").Text(); ok && cwd != "" {
		h.cwd = &cwd
	}
	if h.parent, ok = v.Get("parentSession").Text(); !ok {
		h.parent, _ = v.Get("branchedFrom").Text() // version 1
	}
	if h.version, ok = v.Get("version").Int(); !ok {
		h.version = 1
	}
	return h, true
}

// headerOf reads the header of a file.
func headerOf(path string) (header, error) {
	p, err := jsonl.ReadPeek(path)
	if err != nil {
		return header{}, err
	}
	defer p.Release()
	if h, ok := headerIn(p.Head, path); ok {
		return h, nil
	}
	return header{}, notPi(path)
}

// headerIn is the header of the file whose first bytes are head. Where the first record
// is damaged, the header may stand whole behind it; else the file's name and the other
// records say enough.
func headerIn(head []byte, path string) (header, bool) {
	for rec := range form.Scan(head, headerShape) {
		h, ok := parseHeader(rec.Value)
		if !ok && rec.Index > 0 && isEntry(rec.Value) {
			return headerByName(path)
		}
		return h, ok
	}
	return header{}, false
}

// form is how the header and the entries look.
var form = jsonl.Form{
	Shape: headerShape,
	Is: func(v jstext.Value) bool {
		_, ok := parseHeader(v)
		return ok && v.Get("timestamp").Exists() || isEntry(v)
	},
	List: "retainedTail",
}

// isEntry reports whether a record can stand behind a header.
func isEntry(v jstext.Value) bool {
	typ, _ := v.Get("type").Text()
	return slices.Contains(entryTypes, typ) && v.Get("id").Kind() == jstext.String && v.Get("parentId").Exists()
}

var entryTypes = []string{
	"message", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "custom_message", "label", "session_info",
}

// headerByName is what the name of a file tells, <time>_<id>.jsonl.
func headerByName(path string) (header, bool) {
	stamp, id, ok := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
	const pattern = "2006-01-02T15-04-05"
	if !ok || id == "" || len(stamp) <= len(pattern) {
		return header{}, false
	}
	created, err := time.Parse(pattern+".000Z", stamp[:len(pattern)]+"."+stamp[len(pattern)+1:])
	if err != nil {
		return header{}, false
	}
	return header{id: id, created: created.UnixMilli(), version: newestVersion}, true
}

// parentID is the id of the session that this one was forked from: the name of a
// file ends in it.
func (h header) parentID() string {
	name := strings.TrimSuffix(h.parent[strings.LastIndexAny(h.parent, `/\`)+1:], ".jsonl")
	if _, id, ok := strings.Cut(name, "_"); ok {
		return Kind + ":" + id
	}
	return ""
}

// millis is a time, written as an ISO string or as ms since the epoch; 0 where it
// is neither.
func millis(v jstext.Value) int64 {
	if s, ok := v.Text(); ok {
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return t.UnixMilli()
		}
		return 0
	}
	n, _ := v.Int()
	return max(n, 0)
}
