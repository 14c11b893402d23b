package record

import "github.com/dsh-toolkit/dsh/lib/session"

// The types that a reader of logs knows by name besides those of the surface.
const (
	chunkType = "assistant/chunk"
	endType   = "turn/end"
	titleType = "session/title"
)

// known are the types that dsh 0.1 and 0.2 write (fixtures/dsh and its own list of
// types) and that are on no surface. The list decides nothing but what is worth a note.
var known = map[string]bool{
	"agent-preset/selected": true, "agent/inbox/spliced": true,
	"approval/asked": true, "approval/decided": true, "approval/policy": true,
	"assistant/attempt": true, chunkType: true,
	"command/done": true, "command/run": true,
	"compact/end": true, "compact/start": true, "compact/summary": true,
	"compaction/end": true, "compaction/prune": true, "compaction/start": true, "compaction/summary": true,
	"deliverables/presented": true, "dsh-toolkit/delivery": true,
	"feedback/message-delete": true, "feedback/message-put": true, "feedback/record": true,
	"goal/change": true, "hook/invoked": true, "hook/result": true, "image/offload": true,
	"llm/retry": true, "llm/retry-started": true, "model/selection": true,
	"permission/preset": true, "plan/mode": true, "prompt/blocked": true,
	"request/context": true, "request/header": true, "sandbox/mode": true, "schedule/change": true,
	"session-log-deepseek/delivery-accepted": true,
	"session/end-seed":                       true, titleType: true, "session/title-llm": true, "session/title-llm-request": true,
	"step/end": true, "step/start": true,
	"subagent/catalog": true, "subagent/descriptor": true, "subagent/model-selection-policy": true,
	"team/member": true, "team/message/delivered": true, "team/message/queued": true, "team/task": true,
	"todo/write":              true,
	"tool-workflow/agent-end": true, "tool-workflow/agent-start": true,
	"tool-workflow/run-end": true, "tool-workflow/run-start": true,
	"tool/call": true, "tool/ptc-dispatch": true, "tool/ptc-dispatch-start": true,
	endType: true, "turn/start": true,
	"web/deepseek-search-llm-request": true, "working-directory/change": true, "workspace/changes": true,
}

// folds reports whether an event goes to the fold because of its type.
func (r *Reader) folds(typ string) bool {
	return session.Folds(r.Version, typ) || !r.TitlesOnly && session.SurfaceType(r.Version, typ)
}
