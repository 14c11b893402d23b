package gemini

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
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
	defer p.Release()
	g := glance{peek: p, talk: !p.Whole, titled: p.Whole, recent: p.Whole}
	if !g.lines() {
		g.object()
	} else if g.meta.id == "" && filepath.Ext(path) == ".jsonl" {
		// The record that names the session is damaged. Another may stand anywhere.
		if g.meta.id, err = namedIn(path); g.meta.id == "" {
			g.meta.id = stem(path)
		}
	}
	return g, err
}

// namedIn is the last id that a file's records give the session.
func namedIn(path string) (string, error) {
	return jsonl.Read(context.Background(), path, func(src *jsonl.Source) (string, error) {
		src.Form = &form
		var m metadata
		for rec, err := range src.Records(context.Background(), idShape) {
			if err != nil {
				return "", err
			}
			m.merge(jsonl.Members(rec.Value))
			m.merge(jsonl.Members(rec.Value.Get("$set")))
		}
		return m.id, nil
	})
}

var idShape = jsonl.Shape{"sessionId": nil, "$set": {"sessionId": nil}}

// lines looks at the file as a journal; false: it has none of its records, or is one
// object over many lines. Of the lines only those are read that can matter: a listing is
// made of thousands of files.
func (g *glance) lines() bool {
	known, first := false, true
	for line := range jsonl.Lines(g.peek.Head) {
		if known && !g.wants(line) {
			continue
		}
		shape := textShape
		if g.prompt != "" {
			shape = factShape
		}
		for rec := range form.Scan(line, shape) {
			known = g.see(rec.Value) || known
		}
		if !known && first && len(bytes.TrimSpace(line)) > 0 {
			// The first record is damaged, where this is no longer object.
			if first = false; jsonl.Prefix(g.peek.Head, metaShape).Get("sessionId").Exists() {
				return false
			}
		}
	}
	if !known {
		return false
	}
	g.end()
	return true
}

// wants reports whether a line of the head can tell something new.
func (g *glance) wants(line []byte) bool {
	return g.prompt == "" || !g.talk || bytes.Contains(line, []byte(`"$set"`)) || bytes.Contains(line, []byte(`"sessionId"`))
}

var timeShape = jsonl.Shape{"type": nil, "timestamp": nil, "$set": {"lastUpdated": nil}}

// end looks at the tail: for the last title, where the head is not all there is, and
// for the newest time.
func (g *glance) end() {
	if !g.peek.Whole {
		for line := range jsonl.Lines(g.peek.Tail) {
			if bytes.Contains(line, []byte(`"$set"`)) && bytes.Contains(line, []byte(`"summary"`)) {
				for rec := range form.Scan(line, factShape) {
					g.titled = rec.Value.Get("$set", "summary").Exists() || g.titled
					g.meta.merge(jsonl.Members(rec.Value.Get("$set")))
				}
			}
		}
	}
	for line := range jsonl.LinesBackward(g.peek.Tail) {
		for rec := range form.Scan(line, timeShape) {
			o := jsonl.Members(rec.Value)
			g.recent = true
			g.last = max(g.last, o.Millis("timestamp"), o.Object("$set").Millis("lastUpdated"))
			if _, message := o["type"]; message && g.last > 0 {
				return
			}
		}
	}
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
	g.list(o["messages"])
}

// see takes one record of the head; false: it is none of ours.
func (g *glance) see(v jstext.Value) bool {
	o := jsonl.Members(v)
	typ := o.Text("type")
	change, set := o["$set"]
	_, session := o["sessionId"]
	switch {
	case set:
		g.meta.merge(jsonl.Members(change))
	case typ != "":
		g.talk = g.talk || isTalk(typ)
		if typ == "user" && g.prompt == "" {
			g.hear(hear(v))
		}
		return true
	case session:
		g.meta.merge(o)
	default:
		return o["$rewindTo"].Exists()
	}
	g.list(listOf(v))
	return true
}

// list looks at a list of messages.
func (g *glance) list(messages jstext.Value) {
	for m := range messages.Elements() {
		typ, _ := m.Get("type").Text()
		g.talk = g.talk || isTalk(typ)
		if g.prompt == "" {
			g.hear(hear(m))
		}
	}
}

func (g *glance) hear(s said) {
	if s.user && !s.snapshot {
		g.prompt = transcript.Request(s.text)
	}
}

// entry is a file as it is listed; its ID is empty where it is not: a subagent's
// session, or one without a message.
func (s geminiStore) entry(path string, dirs *directories) (store.Entry, error) {
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
		ID: Kind + ":" + g.meta.id, Cwd: dirs.cwd(placeOf(path), g.meta.hash),
		CreatedAt: cmp.Or(g.meta.started, startedByName(path), modified), UpdatedAt: modified,
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
