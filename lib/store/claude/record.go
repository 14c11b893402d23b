package claude

import (
	"strconv"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// blockShape is what is kept of a content: its texts, and the types of its blocks.
var blockShape = jsonl.Shape{"type": nil, "text": nil}

// recordShape is what is kept of a record on the first pass.
var recordShape = jsonl.Shape{
	"type": nil, "subtype": nil, "uuid": nil, "parentUuid": nil, "logicalParentUuid": nil,
	"sessionId": nil, "sessionKind": nil, "timestamp": nil, "cwd": nil, "version": nil,
	"isSidechain": nil, "isMeta": nil, "isCompactSummary": nil, "isVisibleInTranscriptOnly": nil,
	"isApiErrorMessage": nil, "isAbortedMidStream": nil, "teamName": nil,
	"origin":     {"kind": nil},
	"forkedFrom": {"sessionId": nil, "messageUuid": nil},
	"message":    {"id": nil, "model": nil, "stop_reason": nil, "content": blockShape},
	"attachment": {"type": nil, "prompt": blockShape, "commandMode": nil, "isMeta": nil, "origin": {"kind": nil}},
	"compactMetadata": {
		"preservedSegment":  {"headUuid": nil, "anchorUuid": nil, "tailUuid": nil},
		"preservedMessages": {"anchorUuid": nil, "uuids": nil, "allUuids": nil},
	},
	"supersedesUuids": nil, "retractedMessageUuids": nil, "refusedUserMessageUuid": nil,
	"customTitle": nil, "aiTitle": nil, "lastPrompt": nil, "summary": nil, "leafUuid": nil,
	"operation": nil, "reason": nil, "content": nil,
}

// kind is the type of an entry.
type kind uint8

const (
	other kind = iota // a link of the chain that says nothing: progress, unknown types
	user
	assistant
	system
	attachment
)

var kinds = map[string]kind{"user": user, "assistant": assistant, "system": system, "attachment": attachment}

// flags are what the first pass found out about an entry.
type flags uint32

const (
	aside        flags = 1 << iota // a sidechain's or a teammate's
	meta                           // isMeta
	boundary                       // a compaction begins here
	summary                        // a compaction's summary
	prompt                         // a person's: typed, or steering
	slash                          // a slash command's line
	localOut                       // what a local command printed
	localRun                       // a local command, in a line of the system
	synthetic                      // an answer that the agent wrote itself: what a person interrupted, or plumbing
	interruption                   // the agent's note that a person interrupted the answer before it
	pictured                       // a prompt of a person that has no text, but a picture
	failed                         // aborted, or an error of the API in place of an answer
	stopped                        // has a stop_reason
	says                           // an assistant line with text
	withMarks                      // of a version whose finished answers have a stop_reason
	mended                         // its parent is not in the file; see index.mend
)

// classify says what an entry is. The text of user lines is looked at, and let go.
func classify(r jsonl.Object) (kind, flags) {
	k, f := kinds[r.Text("type")], flags(0)
	if r.True("isSidechain") || r.Text("teamName") != "" {
		f |= aside
	}
	if r.True("isMeta") {
		f |= meta
	}
	switch k {
	case user:
		f |= classifyUser(r, f)
	case assistant:
		f |= classifyAnswer(r)
	case attachment:
		if f&(aside|meta) == 0 && steering(r["attachment"], r["origin"]) != "" {
			f |= prompt
		}
	case system:
		if f&aside == 0 {
			f |= classifySystem(r)
		}
	}
	if atLeast21(r.Text("version")) {
		f |= withMarks
	}
	return k, f
}

func classifySystem(r jsonl.Object) flags {
	switch r.Text("subtype") {
	case "compact_boundary":
		return boundary
	case "local_command":
		text := r.Text("content")
		if isLocalOutput(text) {
			return localOut
		}
		if _, ok := parseCommand(text); ok {
			return localRun
		}
	}
	return 0
}

func classifyUser(r jsonl.Object, so flags) flags {
	if so&aside == 0 && r.True("isCompactSummary") { // subagents are compacted too
		return summary
	}
	texts, result := textBlocks(r["message"].Get("content"))
	if len(texts) > 0 && isLocalOutput(texts[0]) {
		return localOut
	}
	if so&(aside|meta) == 0 && len(texts) == 1 && strings.HasPrefix(texts[0], interruptedStart) {
		return interruption
	}
	if so&(aside|meta) != 0 || result || r.True("isVisibleInTranscriptOnly") || !human(r["origin"]) {
		return 0
	}
	if c, ok := parseCommand(strings.Join(texts, "\n")); ok {
		if c.local || c.text == "" {
			return 0
		}
		return slash
	}
	switch {
	case typed(texts) != "":
		return prompt
	case len(texts) == 0 && hasPicture(r["message"].Get("content")):
		return pictured
	}
	return 0
}

func classifyAnswer(r jsonl.Object) (f flags) {
	message := r.Object("message")
	switch {
	case r.True("isApiErrorMessage") || r.True("isAbortedMidStream"):
		f |= failed
	case message.Text("model") == "<synthetic>":
		f |= failed | synthetic
	}
	if message.Text("stop_reason") != "" {
		f |= stopped
	}
	texts, _ := textBlocks(message["content"])
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			f |= says
		}
	}
	return f
}

// human reports whether an origin says that a person is the source, or says
// nothing.
func human(origin jstext.Value) bool {
	kind := origin.Get("kind")
	return !kind.Exists() || kind.Kind() == jstext.Null || kind.Is("human")
}

// steering is the text of an attachment that holds what a person typed while a
// turn ran; empty for every other.
func steering(a, origin jstext.Value) string {
	if !a.Get("type").Is("queued_command") || a.Get("isMeta").True() || !human(origin) || !human(a.Get("origin")) {
		return ""
	}
	if mode := a.Get("commandMode"); mode.Kind() == jstext.String && !mode.Is("prompt") {
		return ""
	}
	texts, _ := textBlocks(a.Get("prompt"))
	return typed(texts)
}

// atLeast21 reports whether a version is 2.1 or newer.
func atLeast21(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err := strconv.Atoi(major)
	if err != nil {
		return false
	}
	b, err := strconv.Atoi(minor)
	return a > 2 || a == 2 && err == nil && b >= 1
}
