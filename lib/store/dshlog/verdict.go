package dshlog

import (
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
)

// AppendJSON appends the verdict as one object:
//
//	{"sessionId","path","format","version","encoding","bytes","decodedBytes","frames","events",
//	"capturedThroughSeq","tornTail","damage":[{"rule","offset","frame","committed","message"}],
//	"droppedRecords","unknownTypes","compactions","surfaceNodes","checkpoint","referenceable","reason"}
//
// frame is null for a raw log; reason is {"code","rule","message"} or null.
func (v *Verdict) AppendJSON(dst []byte) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("sessionId")
	w.Text(v.SessionID)
	w.Key("path")
	w.Text(v.Path)
	w.Key("format")
	w.Text(fmt.Sprintf("dsh v%d %s", v.Version, v.Encoding))
	w.Key("version")
	w.Int(int64(v.Version))
	w.Key("encoding")
	w.Text(v.Encoding)
	for _, m := range [...]struct {
		key string
		n   int64
	}{{"bytes", v.Bytes}, {"decodedBytes", v.Decoded}, {"frames", v.Frames}, {"events", v.Events}} {
		w.Key(m.key)
		w.Int(m.n)
	}
	w.Key("capturedThroughSeq")
	w.OptInt(v.CapturedThroughSeq)
	w.Key("tornTail")
	w.Int(v.TornTail)
	w.Key("damage")
	w.BeginArray()
	for _, d := range v.Damage {
		v.writeDamage(&w, d)
	}
	w.EndArray()
	w.Key("droppedRecords")
	w.Int(v.Dropped)
	w.Key("unknownTypes")
	w.BeginArray()
	for _, t := range v.Unknown {
		w.Text(t)
	}
	w.EndArray()
	w.Key("compactions")
	w.Int(v.Compactions)
	w.Key("surfaceNodes")
	w.Int(int64(v.Nodes))
	w.Key("checkpoint")
	w.Bool(v.Checkpoint)
	w.Key("referenceable")
	w.Bool(v.Referenceable())
	w.Key("reason")
	v.writeReason(&w)
	w.EndObject()
	return append(dst, w.Bytes()...)
}

func (v *Verdict) writeDamage(w *jstext.Writer, d scan.Damage) {
	w.BeginObject()
	w.Key("rule")
	w.Text(d.Rule)
	w.Key("offset")
	w.Int(d.Offset)
	w.Key("frame")
	if v.Encoding == string(scan.Zstd) {
		w.Int(d.Frame)
	} else {
		w.Null()
	}
	w.Key("committed")
	w.Bool(d.Committed)
	w.Key("message")
	w.Text(d.String())
	w.EndObject()
}

func (v *Verdict) writeReason(w *jstext.Writer) {
	if v.Reason == nil {
		w.Null()
		return
	}
	w.BeginObject()
	w.Key("code")
	w.Text(string(v.Reason.Code))
	w.Key("rule")
	w.Text(v.Reason.Rule)
	w.Key("message")
	w.Text(v.Reason.Error())
	w.EndObject()
}
