package pi

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

var listShape = jsonl.Shape{
	"type": nil, "name": nil, "timestamp": nil, "message": {"role": nil, "content": {"type": nil, "text": nil}},
}

var timeShape = jsonl.Shape{"type": nil, "timestamp": nil}

// entry is what the head and the tail of a file tell; its ID is empty where the
// file is no pi session.
func (s *piStore) entry(path string) (store.Entry, error) {
	p, err := jsonl.ReadPeek(path)
	if err != nil {
		return store.Entry{}, err
	}
	defer p.Release()
	h, ok := headerIn(p.Head, path)
	if !ok {
		return store.Entry{}, nil
	}
	e := store.Entry{
		ID: Kind + ":" + h.id, Cwd: h.cwd, CreatedAt: cmp.Or(h.created, p.ModTime.UnixMilli()),
		Kind: Kind, Path: path, Root: s.root, CopiedFrom: h.parentID(),
	}
	name, prompt := "", ""
	for line := range jsonl.Lines(p.Head) {
		named := p.Whole && bytes.Contains(line, []byte(`"session_info"`))
		if !named && (prompt != "" || !bytes.Contains(line, []byte(`"user"`))) {
			continue
		}
		for rec := range form.Scan(line, listShape) {
			name = lastName(name, rec.Value)
			prompt = cmp.Or(prompt, promptOf(rec.Value))
		}
	}
	if !p.Whole {
		for line := range jsonl.Lines(p.Tail) {
			if bytes.Contains(line, []byte(`"session_info"`)) {
				for rec := range form.Scan(line, listShape) {
					name = lastName(name, rec.Value)
				}
			}
		}
	}
	e.UpdatedAt = lastMessage(p.Tail)
	e.UpdatedAt = cmp.Or(e.UpdatedAt, p.ModTime.UnixMilli())
	switch {
	case name != "":
		e.Title = &name
	case p.Whole:
		e.Title = transcript.Title(prompt)
	default: // a name may stand in the body: Title looks
	}
	return e, nil
}

// lastMessage is the time of the last message in a tail; 0 where it has none.
func lastMessage(tail []byte) int64 {
	for line := range jsonl.LinesBackward(tail) {
		for rec := range form.Scan(line, timeShape) {
			if rec.Value.Get("type").Is("message") {
				return millis(rec.Value.Get("timestamp"))
			}
		}
	}
	return 0
}

// titleOf looks for a title in all of a file.
func titleOf(ctx context.Context, path string) (*string, error) {
	src, err := jsonl.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	src.Form = &form
	name := ""
	var o transcript.Opening
	for rec, err := range src.Records(ctx, listShape) {
		if err != nil {
			return nil, err
		}
		name = lastName(name, rec.Value)
		if !o.Done() {
			hear(&o, rec.Value)
		}
	}
	if name != "" {
		return &name, nil
	}
	return o.Title(), nil
}

// hear takes what a record says to the title.
func hear(o *transcript.Opening, v jstext.Value) {
	if !v.Get("type").Is("message") {
		return
	}
	content := v.Get("message", "content")
	text := strings.Clone(transcript.Join(blocks(content)))
	switch role := v.Get("message", "role"); {
	case role.Is("user"):
		o.Prompt(typed(text), text == "" && hasPicture(content))
	case role.Is("assistant"):
		o.Answer(text)
	}
}

func hasPicture(content jstext.Value) bool {
	for b := range content.Elements() {
		if b.Get("type").Is("image") {
			return true
		}
	}
	return false
}

// promptOf is what a person typed in a record; empty for any other.
func promptOf(v jstext.Value) string {
	if !v.Get("type").Is("message") || !v.Get("message", "role").Is("user") {
		return ""
	}
	return transcript.Request(typed(transcript.Join(blocks(v.Get("message", "content")))))
}

// lastName is the title that a record leaves: a session_info's own, unless that is
// empty.
func lastName(before string, v jstext.Value) string {
	if !v.Get("type").Is("session_info") {
		return before
	}
	name, _ := v.Get("name").Text()
	return cmp.Or(strings.Clone(strings.TrimSpace(name)), before)
}
