package record

import "github.com/dsh-toolkit/dsh/lib/session"

// The types that a reader of logs knows by name besides those of the surface.
const (
	chunkType = "assistant/chunk"
	endType   = "turn/end"
	titleType = "session/title"
)

// known are the types that dsh 0.1 and 0.2 are seen to write (fixtures/dsh) and
// that are on no surface. The list decides nothing but what is worth a note.
var known = map[string]bool{
	"agent/inbox/spliced": true, "approval/policy": true, "assistant/attempt": true, chunkType: true,
	"command/done": true, "command/run": true,
	"compact/end": true, "compact/start": true, "compact/summary": true,
	"compaction/end": true, "compaction/prune": true, "compaction/start": true, "compaction/summary": true,
	"dsh-toolkit/delivery": true,
	"permission/preset":    true, "prompt/blocked": true, "request/context": true, "request/header": true, "sandbox/mode": true,
	"session/end-seed": true, titleType: true, "session/title-llm": true, "session/title-llm-request": true,
	"step/end": true, "step/start": true, "todo/write": true, "tool/call": true, endType: true, "turn/start": true,
}

// folds reports whether an event goes to the fold because of its type.
func (r *Reader) folds(typ string) bool {
	return typ == titleType || !r.TitlesOnly && session.SurfaceType(r.Version, typ)
}
