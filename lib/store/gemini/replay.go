package gemini

import (
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// What is kept of the records: facts in the first pass, texts in the second.
var (
	partShape    = jsonl.Shape{"text": nil, "thought": nil, "functionCall": {}, "functionResponse": {}, "inlineData": {}, "fileData": {}}
	messageShape = jsonl.Shape{
		"id": nil, "type": nil, "timestamp": nil, "model": nil, "content": partShape, "displayContent": partShape,
	}
	slotShape = jsonl.Shape{"id": nil, "type": nil}
	metaShape = jsonl.Shape{
		"sessionId": nil, "projectHash": nil, "startTime": nil, "lastUpdated": nil, "kind": nil, "summary": nil,
	}
	factShape = lineShape(slotShape)
	textShape = lineShape(messageShape)
)

// lineShape is a line that holds messages of a shape, in any of the places where a
// line can hold them.
func lineShape(message jsonl.Shape) jsonl.Shape {
	set, line := jsonl.Shape{"messages": message}, jsonl.Shape{"messages": message, "$set": nil, "$rewindTo": nil}
	for k, v := range metaShape {
		set[k], line[k] = v, v
	}
	for k, v := range message {
		line[k] = v
	}
	line["$set"] = set
	return line
}

// metadata is what the records say of the session.
type metadata struct {
	id, hash, kind   string
	started, updated int64
	summary          *string
}

// merge takes what a record or a $set says; null takes away.
func (m *metadata) merge(o jsonl.Object) {
	set := func(to *string, key string) {
		if _, ok := o[key]; ok {
			*to = strings.Clone(o.Text(key)) // it must not hold the record's text
		}
	}
	set(&m.id, "sessionId")
	set(&m.hash, "projectHash")
	set(&m.kind, "kind")
	if t := o.Millis("startTime"); t > 0 {
		m.started = t
	}
	if t := o.Millis("lastUpdated"); t > 0 {
		m.updated = t
	}
	if _, ok := o["summary"]; ok {
		m.summary = o.Optional("summary")
	}
}

// slot is one message of the list as it stands.
type slot struct {
	id     string
	talk   bool // a message of the person or the model
	rec    int64
	span   jsonl.Span // of the record that has its text
	number int        // in that record's list; -1: the record itself
}

// journal replays the records of one file.
type journal struct {
	meta    metadata
	slots   []slot
	at      map[string]int // id → index in slots
	known   bool           // any record was one of ours
	dropped int64          // ends of conversation that rewinds took away
	fresh   bool           // something was said since the last rewind, which so leaves an end behind
}

// add takes one record.
func (j *journal) add(rec jsonl.Record) {
	o := jsonl.Members(rec.Value)
	_, set := o["$set"]
	_, rewind := o["$rewindTo"]
	_, message := o["type"]
	_, session := o["sessionId"]
	switch {
	case set:
		change := o.Object("$set")
		j.meta.merge(change)
		j.list(change["messages"], rec)
	case rewind:
		j.rewind(o.Text("$rewindTo"))
	case message:
		j.message(rec, o)
	case session:
		j.meta.merge(o)
		j.list(o["messages"], rec)
	default:
		return
	}
	j.known = true
}

// message appends one, or puts a newer version in its place.
func (j *journal) message(rec jsonl.Record, o jsonl.Object) {
	j.put(slot{id: strings.Clone(o.Text("id")), talk: isTalk(o.Text("type")), rec: rec.Index, span: rec.Span, number: -1})
}

func (j *journal) put(s slot) {
	if j.at == nil {
		j.at = make(map[string]int)
	}
	j.fresh = j.fresh || s.talk
	if i, ok := j.at[s.id]; ok {
		s.rec = j.slots[i].rec
		j.slots[i] = s
		return
	}
	if s.id != "" {
		j.at[s.id] = len(j.slots)
	}
	j.slots = append(j.slots, s)
}

// list replaces all messages, where a record holds a list of them.
func (j *journal) list(messages jstext.Value, rec jsonl.Record) {
	if messages.Kind() != jstext.Array {
		return
	}
	j.slots, j.at = nil, nil
	first := rec.Index - int64(messages.Len()) + 1
	n := 0
	for m := range messages.Elements() {
		o := jsonl.Members(m)
		j.put(slot{strings.Clone(o.Text("id")), isTalk(o.Text("type")), max(first+int64(n), 0), rec.Span, n})
		n++
	}
}

// rewind takes a message and all after it away; all, where it is not known.
func (j *journal) rewind(id string) {
	i := j.at[id]
	if j.fresh && slices.ContainsFunc(j.slots[i:], func(s slot) bool { return s.talk }) {
		j.dropped++
		j.fresh = false
	}
	for _, s := range j.slots[i:] {
		delete(j.at, s.id)
	}
	j.slots = j.slots[:i]
}

func isTalk(typ string) bool { return typ == "user" || typ == "gemini" }
