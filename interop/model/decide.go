package model

import (
	"fmt"
	"strings"
)

// Words in a prompt that the model obeys.
const (
	UseTool = "USETOOL" // call the shell tool
	Slow    = "SLOW"    // hold the answer back behind its first words
)

// Command is what the shell tool is called with.
const Command = "echo tool-ran"

// firstWords is how many events of a stream go out before a slow answer is held back:
// in each protocol they begin the answer and hold its first words.
const firstWords = 3

// asked is what the model looks at in a request.
type asked struct {
	n          int
	stream     bool
	last       string // the texts of the newest message
	toolResult bool   // the newest message is what a tool gave
	tools      int    // how many tools are offered
	shell      string // the one that runs a command, "" where there is none
	summary    bool   // a summary is asked for
	snapshot   bool   // and it must be a <state_snapshot>
	json       bool   // JSON of the agent's own shape is asked for
	model      string
	tokens     int // of the request, where the agent minds
}

// said is what it answers: the text in two pieces, and a call.
type said struct {
	first, rest string
	call        bool
	slow        bool
}

func (s said) text() string { return s.first + s.rest }

// hard is a text that is easily changed: a blank line, a tag, quotes, a character of two
// UTF-16 units, and white space inside a line.
const hard = ": it is “so”.\n\n  - <b>kept</b> & 🙂\tas `it` is"

// decide is the answer to a request.
func decide(a asked) said {
	switch {
	case a.json:
		return said{first: `{"reasoning":"x","model_choice":"flash",`, rest: `"next_speaker":"user","complexity_score":1,"complexity_reasoning":"x"}`}
	case a.snapshot:
		return said{first: "<state_snapshot>", rest: fmt.Sprintf("SUMMARY %d</state_snapshot>", a.n)}
	case a.summary:
		return said{first: "SUMMARY", rest: fmt.Sprintf(" %d%s", a.n, hard)}
	case a.tools > 0 && a.shell != "" && !a.toolResult && strings.Contains(a.last, UseTool):
		return said{first: "Let me run it", rest: fmt.Sprintf(" (%d).", a.n), call: true, slow: a.slow()}
	}
	return said{first: "ANSWER", rest: fmt.Sprintf(" %d%s", a.n, hard), slow: a.tools > 0 && a.slow()}
}

func (a asked) slow() bool { return !a.toolResult && strings.Contains(a.last, Slow) }

// asksForSummary is whether an instruction is one of those with which the agents ask for
// a summary.
func asksForSummary(text string) bool {
	for _, words := range []string{
		"create a detailed summary of the conversation", // Claude Code
		"CONTEXT CHECKPOINT COMPACTION",                 // Codex
		"state_snapshot",                                // Gemini CLI, Qwen Code
		"anchored context summarization",                // OpenCode
		"context summarization assistant",               // pi
		"structured context checkpoint summary",         // pi
	} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
