package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// responses is OpenAI's responses API.
type responses struct{}

// shells is the names under which agents offer a shell to OpenAI's models.
var shells = []string{"shell_command", "exec_command", "shell", "bash", "run_shell_command"}

func (responses) read(_ string, body []byte) (asked, error) {
	var b struct {
		Model  string
		Stream bool
		Input  json.RawMessage
		Tools  []struct{ Name string }
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return asked{}, err
	}
	a := asked{stream: b.Stream, tools: len(b.Tools), model: b.Model}
	for _, t := range b.Tools {
		if slices.Contains(shells, t.Name) {
			a.shell = t.Name
		}
	}
	var items []struct {
		Type    string
		Role    string
		Content json.RawMessage
	}
	if json.Unmarshal(b.Input, &items) != nil { // the input may be a string
		a.last = contents(b.Input).text()
		return a, nil
	}
	for _, item := range slices.Backward(items) {
		if strings.HasSuffix(item.Type, "_output") {
			a.toolResult = true
			break
		}
		if item.Role == "user" {
			a.last = contents(item.Content).text()
			break
		}
	}
	a.summary = asksForSummary(a.last)
	return a, nil
}

func (responses) output(a asked, s said) []map[string]any {
	out := []map[string]any{{
		"type": "message", "id": fmt.Sprintf("msg_%012d", a.n), "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": s.text(), "annotations": []any{}}},
	}}
	if s.call {
		arguments := map[string]any{"command": Command}
		switch a.shell {
		case "exec_command":
			arguments = map[string]any{"cmd": Command}
		case "shell":
			arguments = map[string]any{"command": []string{"sh", "-c", Command}}
		}
		text, _ := json.Marshal(arguments)
		out = append(out, map[string]any{
			"type": "function_call", "id": fmt.Sprintf("fc_%012d", a.n), "call_id": fmt.Sprintf("call_%012d", a.n),
			"name": a.shell, "arguments": string(text), "status": "completed",
		})
	}
	return out
}

func (responses) response(a asked, status string, output any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("resp_%020d", a.n), "object": "response", "created_at": 1, "status": status, "model": a.model, "output": output,
		"usage": map[string]any{
			"input_tokens": 100, "output_tokens": 5, "total_tokens": 105,
			"input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
		},
	}
}

func (p responses) whole(a asked, s said) any { return p.response(a, "completed", p.output(a, s)) }

func (p responses) events(a asked, s said) []event {
	var events []event
	add := func(name string, members map[string]any) {
		members["type"] = name
		events = append(events, event{name, members})
	}
	add("response.created", map[string]any{"response": p.response(a, "in_progress", []any{})})
	output := p.output(a, s)
	for i, item := range output {
		if item["type"] == "message" {
			id := item["id"]
			add("response.output_item.added", map[string]any{"output_index": i, "item": map[string]any{
				"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []any{},
			}})
			for _, piece := range []string{s.first, s.rest} {
				add("response.output_text.delta", map[string]any{"item_id": id, "output_index": i, "content_index": 0, "delta": piece})
			}
			add("response.output_text.done", map[string]any{"item_id": id, "output_index": i, "content_index": 0, "text": s.text()})
		} else {
			add("response.output_item.added", map[string]any{"output_index": i, "item": item})
		}
		add("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	add("response.completed", map[string]any{"response": p.response(a, "completed", output)})
	return events
}
