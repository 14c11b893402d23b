package model

import (
	"encoding/json"
	"strings"
)

// gemini is Gemini's generateContent and streamGenerateContent.
type gemini struct{}

func (gemini) read(path string, body []byte) (asked, error) {
	type part struct {
		Text             string
		FunctionResponse json.RawMessage
	}
	var b struct {
		Contents          []struct{ Parts []part }
		SystemInstruction struct{ Parts []part }
		Tools             []struct{ FunctionDeclarations []struct{ Name string } }
		GenerationConfig  map[string]json.RawMessage
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return asked{}, err
	}
	// Gemini CLI keeps a summary only where it makes the request smaller.
	a := asked{stream: strings.Contains(path, "stream"), model: "fake", tokens: len(body) / 4}
	for _, t := range b.Tools {
		for _, f := range t.FunctionDeclarations {
			a.tools++
			if f.Name == "run_shell_command" {
				a.shell = f.Name
			}
		}
	}
	for _, name := range []string{"responseJsonSchema", "responseSchema"} {
		a.json = a.json || b.GenerationConfig[name] != nil
	}
	if len(b.Contents) > 0 {
		var texts []string
		for _, p := range b.Contents[len(b.Contents)-1].Parts {
			texts = append(texts, p.Text)
			a.toolResult = a.toolResult || p.FunctionResponse != nil
		}
		a.last = strings.Join(texts, "\n")
	}
	instruction := a.last
	for _, p := range b.SystemInstruction.Parts {
		instruction += p.Text
	}
	a.summary = a.tools == 0 && asksForSummary(instruction)
	a.snapshot = a.summary && wantsSnapshot(instruction)
	return a, nil
}

// wantsSnapshot is whether the summary must be a <state_snapshot>.
func wantsSnapshot(instruction string) bool { return strings.Contains(instruction, "state_snapshot") }

func (gemini) content(a asked, pieces []string, call bool, finish string) map[string]any {
	var parts []any
	for _, piece := range pieces {
		parts = append(parts, map[string]any{"text": piece})
	}
	if call {
		parts = append(parts, map[string]any{"functionCall": map[string]any{
			"name": a.shell, "args": map[string]any{"command": Command, "description": "Say that it ran"},
		}})
	}
	candidate := map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "index": 0}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return map[string]any{
		"candidates": []any{candidate}, "modelVersion": a.model,
		"usageMetadata": map[string]any{"promptTokenCount": a.tokens, "candidatesTokenCount": 5, "totalTokenCount": a.tokens + 5},
	}
}

func (p gemini) whole(a asked, s said) any {
	return p.content(a, []string{s.text()}, s.call, "STOP")
}

func (p gemini) events(a asked, s said) []event {
	third := len(s.first) / 3
	var events []event
	for _, piece := range []string{s.first[:third], s.first[third : 2*third], s.first[2*third:]} {
		events = append(events, event{data: p.content(a, []string{piece}, false, "")})
	}
	return append(events, event{data: p.content(a, []string{s.rest}, s.call, "STOP")})
}
