package pi

import (
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
	for rec := range jsonl.Scan(p.Head, headerShape) {
		if h, ok := parseHeader(rec.Value); ok {
			return h, nil
		}
		break
	}
	return header{}, notPi(path)
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
