package session

import "github.com/dsh-toolkit/dsh/lib/jstext"

// Builder puts a conversation that another program recorded into the model, as
// events of early format 0. The zero value is ready. Seqs are the reader's: any
// numbers that rise.
type Builder struct {
	events     []Event
	turn, step int64
}

// NewHeader is the header of such a session: format 0, delegated by nobody.
func NewHeader(id string, createdAt int64, cwd *string) Header {
	var w jstext.Writer
	w.BeginObject()
	w.Key("version")
	w.Int(0)
	w.Key("id")
	w.Text(id)
	w.Key("createdAt")
	w.Int(createdAt)
	if cwd != nil {
		w.Key("cwd")
		w.Text(*cwd)
	}
	w.Key("delegationDepth")
	w.Int(0)
	w.EndObject()
	return Header{ID: id, CreatedAt: createdAt, Cwd: cwd, JSON: w.Value()}
}

// User adds what a person wrote and begins a turn.
func (b *Builder) User(seq, time int64, text string) {
	b.turn++
	b.step = 0
	b.add(userMessage, seq, time, func(w *jstext.Writer) {
		writeContent(w, text)
		writeSource(w, "user", "")
	})
}

// Checkpoint adds a summary that stands for all that was before it.
func (b *Builder) Checkpoint(seq, time int64, text string) {
	b.add(userMessage, seq, time, func(w *jstext.Writer) {
		writeContent(w, text)
		writeSource(w, "plugin", "compact")
	})
}

// Assistant adds an answer. Provider and model say who gave it; what is not known
// is empty.
func (b *Builder) Assistant(seq, time int64, text, provider, model string) {
	b.step++
	b.add(assistantMessage, seq, time, func(w *jstext.Writer) {
		w.Key("turn")
		w.Int(b.turn)
		w.Key("step")
		w.Int(b.step)
		writeContent(w, text)
		w.Key("provenance")
		w.BeginObject()
		w.Key("provider")
		w.Text(provider)
		w.Key("model")
		w.Text(model)
		w.EndObject()
	})
}

// Surface is what was added, as one session. The captured seq is the highest of
// the whole source, nil for one without records.
func (b *Builder) Surface(h Header, capturedThroughSeq *int64, title *string) *Surface {
	return &Surface{Header: h, CapturedThroughSeq: capturedThroughSeq, Events: b.events, Title: title}
}

func (b *Builder) add(typ string, seq, time int64, data func(*jstext.Writer)) {
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text(typ)
	w.Key("seq")
	w.Int(seq)
	w.Key("time")
	w.Int(time)
	w.Key("data")
	w.BeginObject()
	data(&w)
	w.EndObject()
	w.Key("surfaceOp")
	w.Text("append")
	w.EndObject()
	b.events = append(b.events, ParseEvent(w.Value()))
}

func writeContent(w *jstext.Writer, text string) {
	w.Key("content")
	w.Raw(TextContent(text))
}

func writeSource(w *jstext.Writer, kind, plugin string) {
	w.Key("source")
	w.BeginObject()
	w.Key("kind")
	w.Text(kind)
	if plugin != "" {
		w.Key("plugin")
		w.Text(plugin)
	}
	w.EndObject()
}
