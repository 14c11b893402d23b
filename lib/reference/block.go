package reference

import (
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// source is one referenced session, read and retained.
type source struct {
	ref     Reference // with the id as its session has it
	surface *session.Surface
	snap    Snapshot
}

// Prepared is a message with its references resolved.
type Prepared struct {
	Content jstext.Value // as it was given
	sources []source
}

// Snapshots are the referenced sessions as the block holds them, in its order.
func (p *Prepared) Snapshots() []Snapshot {
	out := make([]Snapshot, len(p.sources))
	for i, s := range p.sources {
		out[i] = s.snap
	}
	return out
}

// BlockText is the text of the one context, as it stands before the user's request;
// empty where nothing is referenced. It holds the closing tag once, and nothing in
// it is a mention.
func (p *Prepared) BlockText() string { return p.BlockFor(frame.InPrompt) }

// BlockFor is BlockText in the wording for a place. What a host's prompt hook prints
// lands beside the prompt: frame.BesidePrompt.
func (p *Prepared) BlockFor(place frame.Place) string {
	if len(p.sources) == 0 {
		return ""
	}
	snapshots := make([][]byte, len(p.sources))
	for i, s := range p.sources {
		snapshots[i] = s.snap.JSON
	}
	return frame.Write(place, snapshots)
}

// PromptText is block and message as one text for an agent that reads no more than
// that. It is UTF-8: a lone surrogate of the message becomes U+FFFD.
func (p *Prepared) PromptText() string {
	text := jstext.ToUTF8(session.Text(p.Content))
	if len(p.sources) == 0 {
		return text
	}
	return frame.Prompt(p.BlockText(), text)
}

// AppendJSON appends {"content":[…],"contexts":[…]}, with one context or none.
func (p *Prepared) AppendJSON(dst []byte) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("content")
	w.Raw(p.Content)
	w.Key("contexts")
	w.BeginArray()
	if len(p.sources) > 0 {
		p.writeContext(&w)
	}
	w.EndArray()
	w.EndObject()
	return append(dst, w.Bytes()...)
}

func (p *Prepared) writeContext(w *jstext.Writer) {
	w.BeginObject()
	w.Key("source")
	w.BeginObject()
	writeText(w, "kind", "plugin")
	writeText(w, "plugin", "session-reference")
	w.EndObject()
	w.Key("content")
	w.BeginArray()
	w.BeginObject()
	writeText(w, "type", "text")
	writeText(w, "text", p.BlockText())
	w.EndObject()
	w.EndArray()
	writeText(w, "placement", "prompt-prefix")
	w.Key("meta")
	w.BeginObject()
	writeText(w, "kind", "session-reference")
	writeInt(w, "version", 1)
	w.Key("references")
	w.BeginArray()
	for i, s := range p.sources {
		s.writeMeta(w, i)
	}
	w.EndArray()
	w.EndObject()
	w.EndObject()
}

func (s source) writeMeta(w *jstext.Writer, index int) {
	st := s.snap.Stats
	w.BeginObject()
	writeText(w, "sessionId", s.ref.SessionID)
	writeText(w, "label", s.ref.Label)
	w.Key("capturedThroughSeq")
	w.OptInt(s.surface.CapturedThroughSeq)
	w.Key("compacted")
	w.Bool(st.Compacted)
	writeInt(w, "originalMessages", st.OriginalMessages)
	writeInt(w, "retainedMessages", st.RetainedMessages)
	writeInt(w, "omittedMessages", st.OmittedMessages)
	writeInt(w, "omittedBytes", st.OmittedBytes)
	w.Key("truncated")
	w.Bool(st.Truncated)
	writeInt(w, "inputIndex", index)
	w.EndObject()
}

func writeText(w *jstext.Writer, key, text string) {
	w.Key(key)
	w.Text(text)
}

func writeInt(w *jstext.Writer, key string, n int) {
	w.Key(key)
	w.Int(int64(n))
}
