package codex_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/codex"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

// The lines of the cases below.

func line(typ, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-08-02T09:00:00.000Z","type":"%s","payload":%s}`, typ, payload)
}

func metaOf(id string, extra ...string) string {
	head := fmt.Sprintf(`{"id":"%s","timestamp":"2026-08-02T09:00:00.000Z","cwd":"/w","source":"cli"`, id)
	return line("session_meta", strings.Join(append([]string{head}, extra...), ",")+"}")
}

var meta = metaOf("t1")

func content(kind string, texts ...string) string {
	var items []string
	for _, s := range texts {
		if strings.HasPrefix(s, `{"type"`) {
			items = append(items, s)
			continue
		}
		items = append(items, fmt.Sprintf(`{"type":"%s","text":%s}`, kind, jstext.Quote(s)))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func item(role string, texts ...string) string {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	return fmt.Sprintf(`{"type":"message","role":"%s","content":%s}`, role, content(kind, texts...))
}

func usr(texts ...string) string { return line("response_item", item("user", texts...)) }
func ans(texts ...string) string { return line("response_item", item("assistant", texts...)) }
func event(payload string) string {
	return line("event_msg", payload)
}

func back(n int) string {
	return event(fmt.Sprintf(`{"type":"thread_rolled_back","num_turns":%d}`, n))
}

func compacted(message string, list ...string) string {
	return line("compacted", fmt.Sprintf(`{"message":%s,"replacement_history":[%s]}`, jstext.Quote(message), strings.Join(list, ",")))
}

func compactedOld(message string) string {
	return line("compacted", fmt.Sprintf(`{"message":%s}`, jstext.Quote(message)))
}

const (
	fixed     = "Another language model started to solve this problem and produced a summary of its thinking process. Here it is:\n"
	encrypted = `{"type":"compaction","encrypted_content":"SECRET"}`
	image     = `{"type":"input_image","image_url":"data:image/png;base64,SECRET"}`
)

var ruleCases = []struct {
	name    string
	lines   []string
	want    []string
	dropped int64
	notes   int
	marks   string
	damage  int64
}{
	// Messages.
	{
		name: "not conversation",
		lines: []string{
			meta, line("response_item", item("developer", "SECRET")), line("response_item", item("system", "SECRET")),
			line("response_item", `{"type":"reasoning","summary":[{"type":"summary_text","text":"SECRET"}],"encrypted_content":"SECRET"}`),
			line("response_item", `{"type":"custom_tool_call_output","output":"SECRET"}`), line("world_state", `{"x":"SECRET"}`), line("next-month", `{"role":"user"}`),
			usr("one"), ans("two", "three"), line("response_item", `{"type":"ghost_snapshot"}`), line("retained_context", `{"content":"SECRET"}`),
		},
		want: []string{"user: one", "assistant: two\n\nthree"},
	},
	{
		name:  "events repeat the items",
		lines: []string{meta, event(`{"type":"user_message","message":"one"}`), usr("one"), event(`{"type":"agent_message","message":"two"}`), ans("two")},
		want:  []string{"user: one", "assistant: two"},
	},
	{
		name: "events only",
		lines: []string{
			meta, event(`{"type":"user_message","message":"<environment_context>x</environment_context>","kind":"environment_context"}`),
			event(`{"type":"user_message","message":"one","kind":"plain"}`), event(`{"type":"agent_reasoning","text":"SECRET"}`),
			event(`{"type":"agent_message","message":"two"}`), event(`{"type":"user_message","message":"left"}`), back(1),
		},
		want: []string{"user: one", "assistant: two"}, dropped: 1,
	},
	{
		name: "paginated events only",
		lines: []string{
			metaOf("t1", `"history_mode":"paginated"`), event(`{"type":"item_started","item":{"type":"UserMessage","content":[{"type":"text","text":"one"}]}}`),
			event(`{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"one"}]}}`),
			event(`{"type":"item_completed","item":{"type":"Reasoning","content":[{"type":"text","text":"SECRET"}]}}`),
			event(`{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"Text","text":"two"}]}}`),
			event(`{"type":"item_completed","item":{"type":"AgentMessage","text":"three"}}`),
		},
		want: []string{"user: one", "assistant: two", "assistant: three"},
	},
	{
		name: "bare, and resumed by a later version",
		lines: []string{
			`{"id":"t1","timestamp":"2025-07-01T08:00:00.000Z","instructions":null}`, `{"record_type":"state"}`, item("user", "one"), item("assistant", "two"),
			usr("three"), ans("four"),
		},
		want: []string{"user: one", "assistant: two", "user: three", "assistant: four"},
	},
	{
		name:  "naked items in a wrapped file",
		lines: []string{meta, item("user", "stray"), usr("one")},
		want:  []string{"user: one"},
	},
	{
		name:  "damaged lines",
		lines: []string{meta, usr("one"), `{"timestamp":"x","type":"response_item","payload"{"type":"message","role":"user","content":[]}}`, ans("two")},
		want:  []string{"user: one", "assistant: two"}, notes: 1, damage: 2,
	},
	{
		name:  "a damaged first line",
		lines: []string{`{"timestamp":"x","type":"session_m`, metaOf("ancestor"), usr("one"), ans("two")},
		want:  []string{"user: one", "assistant: two"}, notes: 1, damage: 1,
	},
	// Compaction.
	{
		name: "twice, with a list",
		lines: []string{
			meta, usr("one"), ans("1"), compacted(fixed+"FIRST", item("user", "one"), item("user", fixed+"FIRST")), usr("two"), ans("2"),
			compacted(fixed+"SECOND", item("user", "one"), item("user", "two"), item("developer", "SECRET"), item("assistant", "kept"), item("user", fixed+"SECOND")), usr("three"),
		},
		want: []string{"summary: SECOND", "user: one", "user: two", "assistant: kept", "user: three"}, marks: "checkpoint",
	},
	{
		name:  "the summary repeats the message",
		lines: []string{meta, usr("one"), compacted("PLAIN", item("user", "one"), item("user", "PLAIN")), usr("two")},
		want:  []string{"summary: PLAIN", "user: one", "user: two"}, marks: "checkpoint",
	},
	{
		name:  "the summary is the message alone",
		lines: []string{meta, usr("one"), compacted("PLAIN", item("user", "one")), usr("two")},
		want:  []string{"summary: PLAIN", "user: one", "user: two"}, marks: "checkpoint",
	},
	{
		name: "labelled as a compaction's output",
		lines: []string{
			meta, usr("one"),
			line("compacted", `{"message":"","replacement_history":[`+item("user", "one")+`,`+item("user", "OUT")+`],"replacement_history_metadata":[{},{"compaction_output":true}]}`), usr("two"),
		},
		want: []string{"summary: OUT", "user: one", "user: two"}, marks: "checkpoint",
	},
	{
		name:  "without a list",
		lines: []string{meta, usr("one"), ans("1"), usr("two"), ans("2"), compactedOld("SUM"), usr("three"), ans("3")},
		want:  []string{"summary: SUM", "user: one", "user: two", "user: three", "assistant: 3"}, marks: "checkpoint",
	},
	{
		name:  "with a list, then without",
		lines: []string{meta, usr("one"), compacted("", item("user", "one"), item("assistant", "1"), encrypted), usr("two"), ans("2"), compactedOld("SUM"), usr("three")},
		want:  []string{"summary: SUM", "user: one", "user: two", "user: three"}, marks: "checkpoint",
	},
	{
		name:  "without a list, twice",
		lines: []string{meta, usr("one"), ans("1"), compactedOld("FIRST"), usr("two"), ans("2"), compactedOld("SECOND"), ans("3")},
		want:  []string{"summary: SECOND", "user: one", "user: two", "assistant: 3"}, marks: "checkpoint",
	},
	{
		name:  "a message of nothing",
		lines: []string{meta, usr("one"), ans("1"), compactedOld(""), usr("two")},
		want:  []string{"user: one", "user: two"}, marks: "checkpoint sealed", notes: 1,
	},
	{
		name:  "an empty summary in the list",
		lines: []string{meta, usr("one"), compacted("", item("user", "one"), item("user", fixed)), usr("two")},
		want:  []string{"user: one", "user: two"}, marks: "checkpoint sealed", notes: 1,
	},
	{
		name:  "encrypted under its other names, the list empty otherwise",
		lines: []string{meta, usr("one"), compacted("", `{"type":"compaction_summary","encrypted_content":"SECRET"}`), compacted("", `{"type":"context_compaction","encrypted_content":"SECRET"}`)},
		want:  nil, marks: "checkpoint sealed", notes: 1,
	},
	{
		name:  "an encrypted one, then a readable one",
		lines: []string{meta, usr("one"), compacted("", item("user", "one"), encrypted), usr("two"), compacted(fixed+"OPEN", item("user", "two"), item("user", fixed+"OPEN"))},
		want:  []string{"summary: OPEN", "user: two"}, marks: "checkpoint",
	},
	{
		name:  "a summary in the place of a prompt",
		lines: []string{meta, usr("one"), ans("1"), usr(fixed + "HANDED OVER"), ans("2")},
		want:  []string{"summary: HANDED OVER", "user: one", "assistant: 2"}, marks: "checkpoint",
	},
	// Rollback.
	{
		name:  "more turns than there are",
		lines: []string{meta, ans("hello"), usr("one"), ans("1"), back(9), usr("two")},
		want:  []string{"assistant: hello", "user: two"}, dropped: 1,
	},
	{
		name:  "twice, and with nothing left",
		lines: []string{meta, usr("one"), ans("1"), usr("two"), back(1), back(1), back(1), usr("three")},
		want:  []string{"user: three"}, dropped: 1,
	},
	{
		name: "what counts as a turn",
		lines: []string{
			meta, usr("one"), ans("1"), usr("steered"), usr("<environment_context>x</environment_context>"), usr(image),
			line("response_item", `{"type":"agent_message","content":[]}`), line("inter_agent_communication", `{}`), line("inter_agent_communication_metadata", `{}`), back(4),
		},
		want: []string{"user: one", "assistant: 1"}, dropped: 1,
	},
	{
		name:  "of no turn",
		lines: []string{meta, usr("one"), back(0), back(-1), event(`{"type":"thread_rolled_back"}`), ans("1")},
		want:  []string{"user: one", "assistant: 1"},
	},
	{
		name:  "behind a compaction",
		lines: []string{meta, usr("one"), compacted(fixed+"SUM", item("user", "one"), item("user", fixed+"SUM")), usr("two"), ans("2"), back(1), usr("three")},
		want:  []string{"summary: SUM", "user: one", "user: three"}, marks: "checkpoint", dropped: 1,
	},
	{
		name:  "over a compaction",
		lines: []string{meta, usr("zero"), ans("0"), usr("one"), ans("1"), compacted(fixed+"SUM", item("user", "one"), item("user", fixed+"SUM")), usr("two"), back(2), usr("three")},
		want:  []string{"user: zero", "assistant: 0", "user: three"}, dropped: 1, notes: 1,
	},
	{
		name:  "over the second of two compactions",
		lines: []string{meta, usr("one"), compacted(fixed+"FIRST", item("user", "one"), item("user", fixed+"FIRST")), usr("two"), compacted("", encrypted), usr("three"), back(2), usr("four")},
		want:  []string{"summary: FIRST", "user: one", "user: four"}, marks: "checkpoint", dropped: 1, notes: 1,
	},
	{
		name: "into the list that the log begins with",
		lines: []string{
			meta, compacted(fixed+"SUM", item("user", "a"), item("user", "b"), item("assistant", "B"), item("user", fixed+"SUM")), usr("one"), back(3), ans("go on"),
		},
		want: []string{"user: a", "assistant: go on"}, dropped: 1,
	},
	{
		name:  "through the list that the log begins with",
		lines: []string{meta, compacted("SUM", item("user", "a"), item("user", "b")), back(1), back(7), usr("two")},
		want:  []string{"user: two"}, dropped: 1,
	},
}

func TestRules(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(c.name, func(t *testing.T) {
			r := conformance.ReadText(t, codex.Format, "rollout-x.jsonl", strings.Join(c.lines, "\n")+"\n")
			conformance.Said(t, r, c.want...)
			conformance.Marked(t, r, conformance.Marks{
				Checkpoint: strings.Contains(c.marks, "checkpoint"), Sealed: strings.Contains(c.marks, "sealed"),
				Dropped: c.dropped, Damaged: c.damage, Notes: c.notes,
			})
			if conformance.Says(r, "SECRET") {
				t.Error("carries what nobody said")
			}
		})
	}
}

func TestNotCodex(t *testing.T) {
	for name, content := range map[string]string{
		"other lines": `{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"x"}}` + "\n",
		"garbage":     "x\ny\n",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := codex.Format.ReadFile(context.Background(), path, store.ReadOptions{}); fault.KindOf(err) != fault.Damaged {
			t.Errorf("%s: got %v, want damage", name, err)
		}
	}
}
