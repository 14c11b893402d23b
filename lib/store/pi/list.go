package pi

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

var listShape = jsonl.Shape{
	"type": nil, "name": nil, "timestamp": nil, "message": {"role": nil, "content": {"type": nil, "text": nil}},
}

// entry is what the head and the tail of a file tell; its ID is empty where the
// file is no pi session.
func (s *piStore) entry(path string) (store.Entry, error) {
	p, err := jsonl.ReadPeek(path)
	if err != nil {
		return store.Entry{}, err
	}
	var e store.Entry
	for rec := range jsonl.Scan(p.Head, headerShape) {
		h, ok := parseHeader(rec.Value)
		if !ok {
			return store.Entry{}, nil
		}
		e = store.Entry{
			ID: Kind + ":" + h.id, Cwd: h.cwd, CreatedAt: cmp.Or(h.created, p.ModTime.UnixMilli()),
			Kind: Kind, Path: path, Root: s.root, CopiedFrom: h.parentID(),
		}
		break
	}
	if e.ID == "" {
		return e, nil
	}
	name, prompt := "", ""
	for line := range jsonl.Lines(p.Head) {
		named := bytes.Contains(line, []byte(`"session_info"`))
		if !named && (prompt != "" || !bytes.Contains(line, []byte(`"user"`))) {
			continue
		}
		for rec := range jsonl.Scan(line, listShape) {
			if v := rec.Value; named {
				name = lastName(name, v)
			} else if v.Get("type").Is("message") && v.Get("message", "role").Is("user") && prompt == "" {
				prompt = typed(transcript.Join(blocks(v.Get("message", "content"))))
			}
		}
	}
	for line := range jsonl.Lines(p.Tail) {
		if !p.Whole && bytes.Contains(line, []byte(`"session_info"`)) {
			for rec := range jsonl.Scan(line, listShape) {
				name = lastName(name, rec.Value)
			}
		}
		for rec := range jsonl.Scan(line, listShape) {
			if rec.Value.Get("type").Is("message") {
				e.UpdatedAt = max(e.UpdatedAt, millis(rec.Value.Get("timestamp")))
			}
		}
	}
	e.UpdatedAt = cmp.Or(e.UpdatedAt, p.ModTime.UnixMilli())
	if e.Title = transcript.Title(prompt); name != "" {
		e.Title = &name
	}
	return e, nil
}

// lastName is the title that a session_info record leaves: its own, unless that is
// empty.
func lastName(before string, v jstext.Value) string {
	name, _ := v.Get("name").Text()
	return cmp.Or(strings.TrimSpace(name), before)
}
