package tui

import (
	"context"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/picker"
)

// preparer makes messages of what was typed: it turns mentions into structured
// references, and lets lib/reference do the rest.
type preparer struct {
	reader reference.Reader
	target *string
	config reference.Config
}

// prepare parses the mentions of a text and prepares what is left of it.
func (p preparer) prepare(ctx context.Context, text string) (*reference.Prepared, error) {
	plain, mentioned, err := frame.ParseText(text)
	if err != nil {
		return nil, err
	}
	refs := make([]jstext.Value, len(mentioned))
	for i, r := range mentioned {
		refs[i] = referenceValue(r)
	}
	return reference.Prepare(ctx, p.reader, reference.Request{
		Target: p.target, Content: session.TextContent(plain), References: refs, Config: p.config,
	})
}

// Prepare makes the message that an agent is given.
func (p preparer) Prepare(ctx context.Context, text string) (agent.Message, error) {
	prepared, err := p.prepare(ctx, text)
	if err != nil {
		return agent.Message{}, err
	}
	v := jstext.MustParse(string(prepared.AppendJSON(nil)))
	return agent.Message{Content: v.Get("content"), Contexts: v.Get("contexts")}, nil
}

func referenceValue(r sessionuri.Reference) jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	w.Key("sessionId")
	w.Text(r.SessionID)
	w.Key("label")
	w.Text(r.Label)
	w.EndObject()
	return w.Value()
}

// Preview is exactly what a mention of the session would send.
func (p preparer) Preview(ctx context.Context, s candidate.Session) (picker.Preview, error) {
	prepared, err := p.prepare(ctx, s.Mention())
	if err != nil {
		return picker.Preview{}, err
	}
	most := reference.DefaultMaxReferenceBytes
	if p.config.MaxReferenceBytes != nil {
		most = *p.config.MaxReferenceBytes
	}
	snap := prepared.Snapshots()[0]
	return picker.Preview{Text: prepared.BlockText(), Bytes: len(snap.JSON), Cap: most, Stats: snap.Stats}, nil
}
