package gemini

import (
	"cmp"
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// glance is what the head and the tail of a file tell.
type glance struct {
	meta   metadata
	peek   jsonl.Peek
	prompt string // the first one of the head
	talk   bool   // there is a message, or one may be where nobody looked
	last   int64  // time of the latest message that was seen
	titled bool   // meta.summary is the latest there is
	recent bool   // so are the times
}

func glanceAt(path string) (glance, error) {
	p, err := jsonl.ReadPeek(path)
	if err != nil {
		return glance{}, err
	}
	g := glance{peek: p, talk: !p.Whole, titled: p.Whole, recent: p.Whole}
	if !g.lines() {
		g.object()
	}
	return g, nil
}

// lines looks at the file as a journal; false: it does not begin with one of its
// records.
func (g *glance) lines() bool {
	known := false
	for rec := range jsonl.Scan(g.peek.Head, textShape) {
		if !known && rec.Index > 0 {
			return false
		}
		known = g.see(rec, true) || known
	}
	if known && !g.peek.Whole {
		for rec := range jsonl.Scan(g.peek.Tail, textShape) {
			g.see(rec, false)
		}
	}
	return known
}

// object looks at the head as the beginning of one object: an older file, or a first
// line longer than the head. Its facts stand before its messages.
func (g *glance) object() {
	shape := metaShape
	if g.peek.Whole {
		shape = textShape
	}
	v := jsonl.Prefix(g.peek.Head, shape)
	o := jsonl.Members(v)
	g.meta.merge(o)
	g.recent = o.Text("lastUpdated") != ""
	for m := range o["messages"].Elements() {
		typ, _ := m.Get("type").Text()
		g.talk = g.talk || isTalk(typ)
		g.hear(hear(m))
	}
}

// see takes one record; false: it is none of ours.
func (g *glance) see(rec jsonl.Record, head bool) bool {
	var j journal
	j.add(rec)
	o := jsonl.Members(rec.Value)
	if set, ok := o["$set"]; ok {
		change := jsonl.Members(set)
		if _, ok := change["summary"]; ok && !head {
			g.titled = true
		}
		g.meta.merge(change)
	} else if _, ok := o["type"]; !ok {
		g.meta.merge(o)
	}
	for _, s := range j.slots {
		g.talk = g.talk || s.talk
	}
	if t := o.Millis("timestamp"); t > g.last {
		g.last = t
	}
	if !head {
		g.recent = true
		return j.known
	}
	if o.Text("type") == "user" {
		g.hear(hear(rec.Value))
	}
	for m := range listOf(rec.Value).Elements() {
		g.hear(hear(m))
	}
	return j.known
}

func (g *glance) hear(s said) {
	if g.prompt == "" && s.user && !s.snapshot {
		g.prompt = transcript.Own(s.text)
	}
}

// entry is a file as it is listed; its ID is empty where it is not: a subagent's
// session, or one without a message.
func (s geminiStore) entry(path string) (store.Entry, error) {
	g, err := glanceAt(path)
	if err != nil {
		return store.Entry{}, err
	}
	if g.peek.Size == 0 || g.meta.kind == "subagent" || g.meta.id != "" && !g.talk {
		return store.Entry{}, nil
	}
	if g.meta.id == "" {
		return store.Entry{}, &fault.Error{
			Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "no-metadata", Subject: fmt.Sprintf("%q", path),
			Message: "does not begin with a session's metadata",
		}
	}
	modified := g.peek.ModTime.UnixMilli()
	e := store.Entry{
		ID: Kind + ":" + g.meta.id, Cwd: placeOf(path).cwd(g.meta.hash),
		CreatedAt: cmp.Or(g.meta.started, modified), UpdatedAt: modified,
		Kind: Kind, Path: path, Root: s.root,
	}
	if g.recent {
		e.UpdatedAt = cmp.Or(max(g.meta.updated, g.last), modified)
	}
	if g.titled {
		e.Title = ownTitle(g.meta.summary)
	}
	if e.Title == nil && g.peek.Whole {
		e.Title = transcript.Title(g.prompt)
	}
	return e, nil
}
