package claude

import (
	"context"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// lastAsked is the last prompt that the agent noted for its own listing. The note is
// one line of at most 200 characters, and of a prompt that begins with a snapshot it
// holds nothing else: then all of the file is read for the prompt itself, which
// alone tells what the person asked.
func (g *glance) lastAsked(path string) string {
	note := typed([]string{g.lastPrompt})
	if !session.NamesSnapshot(note) {
		return note
	}
	src, err := jsonl.Open(context.Background(), path)
	if err != nil {
		return note
	}
	defer src.Close()
	src.Form = &form
	start := oneLine(strings.TrimSuffix(note, "…"))
	asked := note
	for rec, err := range src.Records(context.Background(), recordShape) {
		if err != nil {
			break
		}
		r := jsonl.Members(rec.Value)
		k, f := classify(r)
		if k != user || f&prompt == 0 || f&aside != 0 {
			continue
		}
		texts, _ := textBlocks(r["message"].Get("content"))
		text := typed(texts)
		if strings.HasPrefix(oneLine(text[:min(len(text), 4*len(note))]), start) {
			asked = strings.Clone(transcript.Request(text))
		}
	}
	return asked
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
