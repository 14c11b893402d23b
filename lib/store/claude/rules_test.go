package claude_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/claude"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

// The lines of the cases below, shortened to what a rule is about. Extra members
// are given as JSON text.

func entry(typ, id, parent string, extra ...string) string {
	p := "null"
	if parent != "" {
		p = jstext.Quote(parent)
	}
	head := fmt.Sprintf(`{"type":"%s","uuid":%s,"parentUuid":%s,"version":"2.1.240"`, typ, jstext.Quote(id), p)
	return strings.Join(append([]string{head}, extra...), ",") + "}"
}

// usr is a user line; its text is the content's JSON where it begins with [.
func usr(id, parent, text string, extra ...string) string {
	if !strings.HasPrefix(text, "[{") {
		text = jstext.Quote(text)
	}
	return entry("user", id, parent, append([]string{`"message":{"role":"user","content":` + text + `}`}, extra...)...)
}

// ans is a finished line of the API message mid.
func ans(id, parent, mid, text string, extra ...string) string {
	return ansOf(id, parent, mid, text, `"end_turn"`, extra...)
}

func ansOf(id, parent, mid, text, stop string, extra ...string) string {
	return entry("assistant", id, parent, append([]string{fmt.Sprintf(
		`"message":{"id":%s,"role":"assistant","model":"m","stop_reason":%s,"content":[{"type":"text","text":%s}]}`,
		jstext.Quote(mid), stop, jstext.Quote(text))}, extra...)...)
}

func result(id, parent string) string {
	return usr(id, parent, `[{"type":"tool_result","tool_use_id":"t","content":"SECRET"}]`)
}

func steer(id, parent, text string, extra ...string) string {
	more := strings.Join(append([]string{`"type":"queued_command"`, `"prompt":` + jstext.Quote(text)}, extra...), ",")
	return entry("attachment", id, parent, `"attachment":{`+more+`}`)
}

func absorbed(text string) string {
	return `{"type":"queue-operation","operation":"remove","reason":"absorbed_mid_turn","content":` + jstext.Quote(text) + `}`
}

func sys(id, parent, subtype string, extra ...string) string {
	return entry("system", id, parent, append([]string{`"subtype":"` + subtype + `"`}, extra...)...)
}

const (
	isSummary = `"isCompactSummary":true,"isVisibleInTranscriptOnly":true`
	isMeta    = `"isMeta":true`
	aside     = `"isSidechain":true`
	old       = `"version":"1.0.88"`
)

type ruleCase struct {
	name   string
	lines  []string
	want   []string
	branch int64 // dropped branches
	notes  int
	marks  string // "checkpoint", "sealed"
	damage int64
}

var ruleCases = []ruleCase{
	// Which branch is current.
	{
		name:  "first prompt edited: a second root",
		lines: []string{usr("u1", "", "cats"), ans("a1", "u1", "m1", "meow"), usr("u2", "", "dogs"), ans("a2", "u2", "m2", "woof")},
		want:  []string{"user: dogs", "assistant: woof"}, branch: 1,
	},
	{
		name: "rewound twice",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two"), ans("a2", "u2", "m2", "2"),
			usr("u3", "a1", "three"), ans("a3", "u3", "m3", "3"), usr("u4", "a1", "four"),
		},
		want: []string{"user: one", "assistant: 1", "user: four"}, branch: 2,
	},
	{
		name:  "a branch that ends in a meta line is still the latest",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "", "<command-name>/plan</command-name>"), usr("x", "u2", "expanded", isMeta)},
		want:  []string{"user: /plan"}, branch: 1,
	},
	{
		name:  "a sidechain written last is not",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("s1", "a1", "task", aside), ans("s2", "s1", "ms", "done", aside)},
		want:  []string{"user: one", "assistant: 1"},
	},
	{
		name:  "a teammate is not the user",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("t1", "", "hello", `"teamName":"x"`), ans("t2", "t1", "mt", "hi", `"teamName":"x"`)},
		want:  []string{"user: one", "assistant: 1"},
	},
	{
		name:  "links in a circle",
		lines: []string{usr("u1", "a1", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two")},
		want:  []string{"user: one", "assistant: 1", "user: two"}, notes: 1,
	},
	{
		name:  "an entry that is its own parent",
		lines: []string{usr("u1", "u1", "one"), ans("a1", "u1", "m1", "1")},
		want:  []string{"user: one", "assistant: 1"}, notes: 1,
	},
	{
		name:  "no links at all",
		lines: []string{usr("u1", "", "one"), ans("a1", "", "m1", "1"), usr("u2", "", "two"), usr("u1", "", "one")},
		want:  []string{"user: one", "assistant: 1", "user: two"},
	},
	{
		name:  "made by hand, without ids",
		lines: []string{`{"type":"user","message":{"role":"user","content":"one"}}`, `{"type":"assistant","message":{"role":"assistant","content":"1"}}`},
		want:  []string{"user: one", "assistant: 1"},
	},
	{
		name:  "links through types that are not known",
		lines: []string{usr("u1", "", "one"), entry("progress", "p", "u1"), entry("next-month", "n", "p"), ans("a1", "n", "m1", "1")},
		want:  []string{"user: one", "assistant: 1"},
	},
	{
		name:  "several parents missing",
		lines: []string{usr("u1", "x1", "one"), ans("a1", "x2", "m1", "1"), usr("s", "a1", "task", aside), usr("u2", "x3", "two")},
		want:  []string{"user: one", "assistant: 1", "user: two"}, notes: 1,
	},
	{
		name:  "steering at the end, its parent missing",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q", "lost", "and two")},
		want:  []string{"user: one", "assistant: 1", "user: and two"}, notes: 1,
	},
	{
		name:  "a damaged record leaves a hole",
		lines: []string{usr("u1", "", "one"), `{"type":"assistant","uuid":"a1",`, usr("u2", "a1", "two")},
		want:  []string{"user: one", "user: two"}, notes: 2, damage: 1,
	},
	{
		name:  "copied twice with a new parent: the last link counts",
		lines: []string{usr("u0", "", "zero"), usr("u1", "", "one"), usr("u1", "u0", "one"), ans("a1", "u1", "m1", "1")},
		want:  []string{"user: zero", "user: one", "assistant: 1"},
	},
	{
		name:  "an answer beside an attachment",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q", "u1", "and more"), ans("a2", "q", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: and more", "assistant: 2"},
	},
	{
		name:  "a branch beside an attachment",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "left"), sys("h", "u1", "x"), usr("u3", "h", "two")},
		want:  []string{"user: one", "user: two"}, branch: 1,
	},
	// User lines.
	{
		name: "not typed",
		lines: []string{
			usr("u1", "", "one"), usr("u2", "u1", "expanded", isMeta), usr("u3", "u2", "seen only", `"isVisibleInTranscriptOnly":true`),
			usr("u4", "u3", "by a peer", `"origin":{"kind":"peer"}`), usr("u5", "u4", "goes on", `"origin":{"kind":"auto-continuation"}`),
			usr("u6", "u5", `[{"type":"tool_result","content":"r"},{"type":"text","text":"said when refusing"}]`),
			usr("u7", "u6", "human", `"origin":{"kind":"human"}`), usr("u8", "u7", "unknown", `"origin":null`),
			usr("u9", "u8", `[{"type":"image","source":{}},{"type":"text","text":"look"},{"type":"document","source":{}},{"type":"text","text":"here"}]`),
		},
		want: []string{"user: one", "user: human", "user: unknown", "user: look\n\nhere"},
	},
	{
		name: "local commands",
		lines: []string{
			usr("u1", "", "<command-name>/cost</command-name>"), sys("x", "u1", "x"), usr("u2", "x", "caveat", isMeta),
			usr("u3", "u2", "<local-command-stderr>no</local-command-stderr>"),
			usr("u4", "u3", "<command-message>a</command-message><command-name>/a</command-name><command-args>\nb </command-args>"),
			ans("a1", "u4", "m1", "1"), usr("u5", "a1", "<local-command-stdout>late</local-command-stdout>"),
			usr("u6", "u5", "<command-message>x is running…</command-message>"),
			sys("l", "u6", "local_command", `"content":"<command-name>/status</command-name>"`),
			usr("u7", "l", "<command-name>/clear</command-name><command-args></command-args>"),
			sys("o", "u7", "local_command", `"content":"<local-command-stdout></local-command-stdout>"`),
			usr("u8", "o", "<command-message>b</command-message><command-name>/b</command-name>"), usr("u9", "u8", "expanded", isMeta),
			sys("m", "u9", "local_command", `"content":"<command-name>/cost</command-name>"`),
			sys("p", "m", "local_command", `"content":"<local-command-stdout>0</local-command-stdout>"`),
			usr("u10", "p", "end"),
		},
		want: []string{"user: /a b", "assistant: 1", "user: /b", "user: end"},
	},
	// Steering.
	{
		name: "attachments",
		lines: []string{
			usr("u1", "", "one"), steer("q1", "u1", "typed", `"commandMode":"prompt"`), steer("q2", "q1", "meta", `"isMeta":true`),
			steer("q3", "q2", "coordinator", `"origin":{"kind":"coordinator"}`), steer("q4", "q3", "bash", `"commandMode":"bash"`),
			entry("attachment", "q5", "q4", `"attachment":{"type":"queued_command","prompt":"by envelope"}`, isMeta),
			entry("attachment", "q6", "q5", `"attachment":{"type":"session_context","prompt":"me@example.org","content":"SECRET"}`),
			steer("q7", "q6", "<bash-stdout>x</bash-stdout>"), ans("a1", "q7", "m1", "1"),
		},
		want: []string{"user: one", "user: typed", "assistant: 1"},
	},
	{
		name: "queue operations of old files",
		lines: []string{
			usr("u1", "", "one", old), ans("a1", "u1", "m1", "1", old),
			`{"type":"queue-operation","operation":"enqueue","content":"steered"}`,
			`{"type":"queue-operation","operation":"remove","content":"steered"}`,
			`{"type":"queue-operation","operation":"remove","content":"<task-notification>x</task-notification>"}`,
			`{"type":"queue-operation","operation":"remove","content":"typed again"}`,
			`{"type":"queue-operation","operation":"remove","content":"taken back","reason":"cancelled"}`,
			`{"type":"queue-operation","operation":"popAll","content":"edited"}`,
			ans("a2", "a1", "m2", "2", old), usr("u2", "a2", "typed again", old),
		},
		want: []string{"user: one", "assistant: 1", "user: steered", "assistant: 2", "user: typed again"},
	},
	{
		name: "queue operations among parallel tools",
		lines: []string{
			usr("u1", "", "one"), ansOf("a1", "u1", "m1", "calls", `"tool_use"`), ansOf("a2", "a1", "m1", "and calls", `"tool_use"`), result("r2", "a2"),
			`{"type":"queue-operation","operation":"remove","content":"steered"}`, result("r1", "a1"), ans("a3", "r1", "m2", "2"),
		},
		want: []string{"user: one", "assistant: calls\n\nand calls", "user: steered", "assistant: 2"},
	},
	{
		name: "queue operations beside a queued command",
		lines: []string{
			usr("u1", "", "one"), `{"type":"queue-operation","operation":"remove","content":"withdrawn"}`,
			steer("q1", "u1", "kept"), ans("a1", "q1", "m1", "1"),
		},
		want: []string{"user: one", "user: kept", "assistant: 1"},
	},
	{
		name: "queue operations on a branch that was left",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two"),
			`{"type":"queue-operation","operation":"remove","content":"left"}`, usr("u3", "a1", "three"),
		},
		want: []string{"user: one", "assistant: 1", "user: three"}, branch: 1,
	},
	{
		name: "absorbed beside a queued command of another text",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q1", "a1", "first"), ans("a2", "q1", "m2", "2"),
			absorbed("second"), ans("a3", "a2", "m3", "3"), absorbed("first"), ans("a4", "a3", "m4", "4"),
		},
		want: []string{"user: one", "assistant: 1", "user: first", "assistant: 2", "user: second", "assistant: 3", "user: first", "assistant: 4"},
	},
	{
		name: "absorbed, and told by a queued command before or behind",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q1", "a1", "before"), absorbed("before"), ans("a2", "q1", "m2", "2"),
			absorbed("behind"), ans("a3", "a2", "m3", "3"), steer("q2", "a3", "behind"), ans("a4", "q2", "m4", "4"),
		},
		want: []string{"user: one", "assistant: 1", "user: before", "assistant: 2", "assistant: 3", "user: behind", "assistant: 4"},
	},
	{
		name: "absorbed twice, and told once",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), absorbed("go on"), ans("a2", "a1", "m2", "2"),
			absorbed("go on"), steer("q1", "a2", "go on"), ans("a3", "q1", "m3", "3"),
		},
		want: []string{"user: one", "assistant: 1", "user: go on", "assistant: 2", "user: go on", "assistant: 3"},
	},
	{
		name: "absorbed, and the next prompt repeats it",
		lines: []string{
			usr("u1", "", "one"), absorbed("two"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two"), ans("a2", "u2", "m2", "2"),
			absorbed("three"), ans("a3", "a2", "m3", "3"), usr("u4", "a3", "four"), usr("u5", "u4", "three"),
		},
		want: []string{"user: one", "assistant: 1", "user: two", "assistant: 2", "user: three", "assistant: 3", "user: four", "user: three"},
	},
	{
		name: "a queued command without uuid",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"),
			`{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"steered"}}`,
			`{"type":"attachment","attachment":{"type":"queued_command","commandMode":"bash","prompt":"SECRET"}}`,
			absorbed("steered"), ans("a2", "a1", "m2", "2"), usr("u2", "a2", "steered"),
		},
		want: []string{"user: one", "assistant: 1", "user: steered", "assistant: 2", "user: steered"},
	},
	{
		name:  "a queued command without parent, beside the chain",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q1", "", "steered"), ans("a2", "a1", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: steered", "assistant: 2"},
	},
	{
		name:  "a queued command without parent, in the chain",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q1", "", "steered"), ans("a2", "q1", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: steered", "assistant: 2"},
	},
	// Broken chains.
	{
		name:  "two entries that name each other",
		lines: []string{usr("u1", "a1", "one"), ans("a1", "u1", "m1", "1")},
		want:  []string{"user: one", "assistant: 1"}, notes: 1,
	},
	{
		name:  "a circle of all",
		lines: []string{usr("u1", "a2", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two"), ans("a2", "u2", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: two", "assistant: 2"}, notes: 1,
	},
	{
		name:  "a circle that others hang off",
		lines: []string{usr("u1", "", "one"), ans("a1", "u2", "m1", "1"), usr("u2", "a1", "two"), ans("a2", "u2", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: two", "assistant: 2"}, notes: 1,
	},
	{
		name:  "an entry that names itself",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "u2", "two"), ans("a2", "u2", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: two", "assistant: 2"}, notes: 1,
	},
	{
		name:  "a chain that goes on behind a subagent's root",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("s1", "", "task", aside), usr("u2", "s1", "two")},
		want:  []string{"user: one", "assistant: 1", "user: two"}, notes: 1,
	},
	{
		name: "a compaction that preserves what hangs off it",
		lines: []string{
			usr("u1", "", "one"), sys("b", "", "compact_boundary", `"compactMetadata":{"preservedMessages":{"anchorUuid":"u3","uuids":["u2"]}}`),
			usr("s", "b", "SUMMARY", isSummary), usr("u2", "s", "two"), usr("u3", "u2", "three"),
		},
		want: []string{"summary: SUMMARY", "user: two", "user: three"}, marks: "checkpoint", notes: 1,
	},
	// Answers.
	{
		name: "one message on several lines",
		lines: []string{
			usr("u1", "", "one"), ansOf("a1", "u1", "m1", "first\n", "null"), ansOf("a2", "a1", "m1", "second", `"tool_use"`),
			result("r1", "a2"), ansOf("a3", "r1", "m2", "third", "null"), ans("a4", "a3", "m2", "fourth"), ans("a4", "a3", "m2", "fourth"),
		},
		want: []string{"user: one", "assistant: first\n\nsecond", "assistant: third\n\nfourth"},
	},
	{
		name: "failed and superseded",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "half", `"isAbortedMidStream":true`), ans("a1b", "a1", "m1", "more of it"),
			ans("a2", "a1b", "m2", "error", `"isApiErrorMessage":true`), ans("a3", "a2", "m3", "replaced"),
			ans("a4", "a3", "m4", "new", `"supersedesUuids":["a3"]`),
			usr("u2", "a4", "refused"), sys("s1", "u2", "x", `"refusedUserMessageUuid":"u2"`, `"retractedMessageUuids":["a5"]`), ans("a5", "s1", "m5", "retracted"),
			entry("assistant", "a6", "a5", `"message":{"id":"m6","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}`),
			ans("a7", "a6", "m7", "end"),
		},
		want: []string{"user: one", "assistant: new", "assistant: end"},
	},
	{
		name: "stopped by a person",
		lines: []string{
			usr("u1", "", "one"),
			entry("assistant", "a1", "u1", `"isApiErrorMessage":false,"message":{"id":"m1","model":"<synthetic>","stop_reason":"stop_sequence","content":[{"type":"text","text":"half"}]}`),
			usr("u2", "a1", `[{"type":"text","text":"[Request interrupted by user]"}]`), usr("u3", "u2", "two"),
			entry("assistant", "a2", "u3", `"message":{"id":"m2","model":"<synthetic>","stop_reason":"stop_sequence","content":[{"type":"text","text":"No response requested."}]}`),
			usr("u4", "a2", "three"),
		},
		want: []string{"user: one", "assistant: half", "user: two", "user: three"},
	},
	{
		name:  "still growing",
		lines: []string{usr("u1", "", "one"), ansOf("a1", "u1", "m1", "half", "null")},
		want:  []string{"user: one"},
	},
	{
		name:  "unmarked, as versions before 2.1 wrote it",
		lines: []string{usr("u1", "", "one", old), ansOf("a1", "u1", "m1", "whole", "null", old)},
		want:  []string{"user: one", "assistant: whole"},
	},
	{
		name:  "unmarked with something behind it",
		lines: []string{usr("u1", "", "one"), ansOf("a1", "u1", "m1", "whole", "null"), sys("s", "a1", "turn_duration")},
		want:  []string{"user: one", "assistant: whole"},
	},
	{
		name:  "growing, and it calls a tool",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), ansOf("a2", "a1", "m2", "next", "null"), entry("assistant", "a3", "a2", `"message":{"id":"m2","stop_reason":null,"content":[{"type":"tool_use"}]}`)},
		want:  []string{"user: one", "assistant: 1"},
	},
	// Compaction.
	{
		name: "a boundary with a parent",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), sys("b", "a1", "compact_boundary"), usr("s", "b", "SUMMARY", isSummary), usr("u2", "s", "two"),
		},
		want: []string{"summary: SUMMARY", "user: two"}, marks: "checkpoint",
	},
	{
		name:  "a boundary only, while the summary is being written",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), sys("b", "", "compact_boundary", `"logicalParentUuid":"a1"`)},
		want:  []string{"user: one", "assistant: 1"},
	},
	{
		name:  "a boundary without its summary",
		lines: []string{usr("u1", "", "one"), sys("b", "", "compact_boundary", `"logicalParentUuid":"u1"`), usr("u2", "b", "two")},
		want:  []string{"user: two"}, marks: "checkpoint sealed", notes: 1,
	},
	{
		name:  "an empty summary",
		lines: []string{usr("u1", "", "one"), sys("b", "", "compact_boundary"), usr("s", "b", " ", isSummary), usr("u2", "s", "two")},
		want:  []string{"user: two"}, marks: "checkpoint sealed", notes: 1,
	},
	{
		name:  "a damaged boundary",
		lines: []string{usr("u1", "", "one"), `{"type":"system","subtype":"compact_boundary"`, usr("s", "b", "SUMMARY", isSummary), usr("u2", "s", "two")},
		want:  []string{"summary: SUMMARY", "user: two"}, marks: "checkpoint", notes: 2, damage: 1,
	},
	{
		name: "rewound to before the compaction",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), sys("b", "", "compact_boundary", `"logicalParentUuid":"a1"`), usr("s", "b", "SUMMARY", isSummary),
			usr("u2", "s", "two"), ans("a2", "u2", "m2", "2"), usr("u3", "a1", "three"),
		},
		want: []string{"user: one", "assistant: 1", "user: three"}, branch: 1,
	},
	{
		name: "rewound before it was compacted",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "left"), usr("u3", "a1", "kept"),
			sys("b", "", "compact_boundary", `"logicalParentUuid":"u3"`), usr("s", "b", "SUMMARY", isSummary), usr("u4", "s", "four"),
		},
		want: []string{"summary: SUMMARY", "user: four"}, marks: "checkpoint", branch: 1,
	},
	{
		name: "preserved by a segment only",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two"), ans("a2", "u2", "m2", "2"),
			sys("b", "", "compact_boundary", `"logicalParentUuid":"a2","compactMetadata":{"preservedSegment":{"headUuid":"u2","anchorUuid":"s","tailUuid":"a2"}}`),
			usr("s", "b", "SUMMARY", isSummary), usr("u3", "a2", "three"),
		},
		want: []string{"summary: SUMMARY", "user: two", "assistant: 2", "user: three"}, marks: "checkpoint",
	},
	{
		name: "preserved, and the tail written again",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two"), ans("a2", "u2", "m2", "2"),
			sys("b", "", "compact_boundary", `"logicalParentUuid":"a2","compactMetadata":{"preservedSegment":{"headUuid":"u2","anchorUuid":"s","tailUuid":"a2"}}`),
			usr("s", "b", "SUMMARY", isSummary), ans("a2", "s", "m2", "2"), usr("u3", "a2", "three"),
		},
		want: []string{"summary: SUMMARY", "user: two", "assistant: 2", "user: three"}, marks: "checkpoint",
	},
	{
		name: "preserved, and the next turn hangs off the summary",
		lines: []string{
			usr("u1", "", "one"), usr("u2", "u1", "two"),
			sys("b", "", "compact_boundary", `"compactMetadata":{"preservedMessages":{"anchorUuid":"s","uuids":["u2","lost"]}}`),
			usr("s", "b", "SUMMARY", isSummary), usr("u3", "s", "three"),
		},
		want: []string{"summary: SUMMARY", "user: two", "user: three"}, marks: "checkpoint",
	},
	{
		name: "preserved twice, the anchor unnamed",
		lines: []string{
			usr("u1", "", "one"), usr("u2", "u1", "two"),
			sys("b1", "", "compact_boundary", `"logicalParentUuid":"u2","compactMetadata":{"preservedMessages":{"uuids":["u2"]}}`), usr("s1", "b1", "FIRST", isSummary),
			usr("u3", "u2", "three"),
			sys("b2", "", "compact_boundary", `"logicalParentUuid":"u3","compactMetadata":{"preservedMessages":{"uuids":["u2","u3"]}}`), usr("s2", "b2", "SECOND", isSummary),
			usr("u4", "u3", "four"),
		},
		want: []string{"summary: SECOND", "user: two", "user: three", "user: four"}, marks: "checkpoint",
	},
	{
		name: "a subagent's compaction",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("s1", "a1", "task", aside), sys("b", "s1", "compact_boundary", aside),
			usr("s2", "b", "SECRET", isSummary, aside), usr("u2", "s2", "two"),
		},
		want: []string{"user: one", "assistant: 1", "user: two"},
	},
	{
		name:  "continued, before summaries were marked",
		lines: []string{usr("u1", "", "This session is being continued from a previous conversation that ran out of context. It was about beds."), ans("a1", "u1", "m1", "1")},
		want:  []string{"summary: This session is being continued from a previous conversation that ran out of context. It was about beds.", "assistant: 1"}, marks: "checkpoint",
	},
	{
		name:  "old output cleared",
		lines: []string{usr("u1", "", "one"), sys("m", "u1", "microcompact_boundary"), ans("a1", "m", "m1", "1")},
		want:  []string{"user: one", "assistant: 1"},
	},
}

func TestRules(t *testing.T) {
	for _, c := range slices.Concat(ruleCases, mendedCases) {
		t.Run(c.name, func(t *testing.T) {
			r := conformance.ReadText(t, claude.Format, "session.jsonl", strings.Join(c.lines, "\n")+"\n")
			conformance.Said(t, r, c.want...)
			conformance.Marked(t, r, conformance.Marks{
				Checkpoint: strings.Contains(c.marks, "checkpoint"), Sealed: strings.Contains(c.marks, "sealed"),
				Dropped: c.branch, Damaged: c.damage, Notes: c.notes,
			})
			if conformance.Says(r, "SECRET") || conformance.Says(r, "example.org") {
				t.Error("carries what nobody said")
			}
		})
	}
}
