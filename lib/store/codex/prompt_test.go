package codex

import (
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func TestUserText(t *testing.T) {
	for _, c := range []struct {
		name  string
		items []string
		m     marks
		want  string
		is    said
	}{
		{name: "plain", items: []string{" hello\n"}, want: "hello", is: typed},
		{name: "two items", items: []string{"a", "b"}, want: "a\n\nb", is: typed},
		{name: "agents file", items: []string{"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"}},
		{name: "case ignored", items: []string{" # agents.MD Instructions for /w\n<instructions>x</Instructions>\n"}},
		{name: "agents file, no end", items: []string{"# AGENTS.md instructions for beginners"}, want: "# AGENTS.md instructions for beginners", is: typed},
		{name: "one item is enough", items: []string{"mine?", "<environment_context>\n<cwd>/w</cwd>\n</environment_context>"}},
		{name: "start without its end", items: []string{"<skill> is what I lack"}, want: "<skill> is what I lack", is: typed},
		{name: "another's end", items: []string{"<skill>x</user_action>"}, want: "<skill>x</user_action>", is: typed},
		{name: "their own tag", items: []string{"<project_context>x</project_context>"}, want: "<project_context>x</project_context>", is: typed},
		{name: "a longer name", items: []string{"<skills>x</skills>"}, want: "<skills>x</skills>", is: typed},
		{name: "external", items: []string{"<external_Jira-1>x</external_jira-1>"}},
		{name: "external without a name", items: []string{"<external_>x</external_>"}, want: "<external_>x</external_>", is: typed},
		{name: "internal", items: []string{`<codex_internal_context source="goal">x</codex_internal_context>`}},
		{name: "internal without a source", items: []string{"<codex_internal_context>x</codex_internal_context>"}, want: "<codex_internal_context>x</codex_internal_context>", is: typed},
		{name: "hook", items: []string{`<hook_prompt hook_run_id="7">x</hook_prompt>`}},
		{name: "guardian", items: []string{"The following is the Codex agent history whose request action you are assessing"}},
		{name: "ide", items: []string{"# Context from my IDE setup:\n\n## Active file: a\n\n## My request for Codex:\nRename it.\n"}, want: "Rename it.", is: typed},
		{name: "ide, the line inside another", items: []string{"# Context from my IDE setup:\nsee ## My request for Codex:\n## My request for Codex: Go."}, want: "Go.", is: typed},
		{name: "ide, no request", items: []string{"# Context from my IDE setup: what is that?"}, want: "# Context from my IDE setup: what is that?", is: typed},
		{name: "images", items: []string{"<image name=[Image #1]>", "IMG", "</image>", "<image>", "IMG", "</image>", "look"}, want: "look", is: typed},
		{name: "image alone", items: []string{"<image>", "IMG", "</image>"}, is: typed},
		{name: "placeholders without an image", items: []string{"<image>", "</image>"}, want: "<image>\n\n</image>", is: typed},
		{name: "inherited", items: []string{"x"}, m: marks{inherited: true}},
		{name: "output", items: []string{"x"}, m: marks{output: true}, is: summed},
		{name: "summary", items: []string{summaryStart + "\nx"}, is: summed},
		{name: "labelled", items: []string{"<environment_context>mine</environment_context>", "x"}, m: labels("user.text", "hooks.additional_context"), want: "<environment_context>mine</environment_context>", is: typed},
		{name: "labelled, none of it typed", items: []string{"a", "b"}, m: labels("agents_md.instructions", "heartbeat")},
		{name: "labels that do not fit", items: []string{"<skill>x</skill>"}, m: labels("user.text", "user.text")},
		{name: "labelled over inherited", items: []string{"x"}, m: marks{kinds: labels("user.text").kinds, inherited: true}, want: "x", is: typed},
	} {
		var b strings.Builder
		for i, s := range c.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if s == "IMG" {
				b.WriteString(`{"type":"input_image"}`)
			} else {
				b.WriteString(`{"type":"input_text","text":` + jstext.Quote(s) + `}`)
			}
		}
		text, is := userText(jstext.MustParse("["+b.String()+"]"), c.m)
		if text != c.want || is != c.is {
			t.Errorf("%s: got %q, %d; want %q, %d", c.name, text, is, c.want, c.is)
		}
	}
	for _, tag := range append(exactTags, looseTags...) {
		if !injected("<" + strings.ToUpper(tag) + ">\nx\n</" + tag + ">") {
			t.Errorf("%s is not known", tag)
		}
	}
}

func labels(kinds ...string) marks {
	return marks{kinds: jstext.MustParse(`["` + strings.Join(kinds, `","`) + `"]`)}
}

func TestRolloutName(t *testing.T) {
	const a, b = "019a0000-0000-7000-8000-000000000001", "019a0000-0000-7000-8000-000000000002"
	for _, c := range []struct {
		name, thread string
		ok           bool
	}{
		{"rollout-2026-08-02T11-00-00-" + a + ".jsonl", a, true},
		{"rollout-2026-08-02T11-00-00-" + a + ".jsonl.zst", a, true},
		{"rollout-2026-08-02T11-00-00-" + a + "_" + b + ".jsonl", a, true},
		{"rollout-2026-08-02T11-00-00-" + a + "_x.jsonl", "", true},
		{"rollout-demo.jsonl", "", true},
		{"rollout-2026-08-02T11-00-00-" + a + ".json", "", false},
		{"rollout-2026-08-02T11-00-00-" + a + ".jsonl.tmp", "", false},
		{"history.jsonl", "", false},
		{"session_index.jsonl", "", false},
	} {
		if thread, ok := rolloutName("/x/" + c.name); thread != c.thread || ok != c.ok {
			t.Errorf("%s: got %q, %v", c.name, thread, ok)
		}
	}
}

func TestSummaryText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Plain.", "Plain."},
		{summaryStart + "\nTwo buoys.\nPainted.\n", "Two buoys.\nPainted."},
		{summaryStart + " Here is the summary, use it:\nTwo buoys.", "Two buoys."},
		{summaryStart + " Two buoys.\nPainted.", "Two buoys.\nPainted."},
		{summaryStart + " Here is the summary, use it:", ""},
		{summaryStart, ""},
	} {
		if got := summaryText(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}
