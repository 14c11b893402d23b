package model

import (
	"encoding/json"
	"fmt"
	"slices"
)

// chat is OpenAI's chat completions API.
type chat struct{}

func (chat) read(_ string, body []byte) (asked, error) {
	var b struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return asked{}, err
	}
	a := asked{stream: b.Stream, tools: len(b.Tools), model: b.Model}
	for _, t := range b.Tools {
		if slices.Contains(shells, t.Function.Name) {
			a.shell = t.Function.Name
		}
	}
	for _, m := range b.Messages {
		text := contents(m.Content).text()
		switch {
		case m.Role == "system" || m.Role == "user":
			a.summary = asksForSummary(text) || m.Role == "user" && a.summary && len(b.Tools) == 0
			a.snapshot = a.summary && wantsSnapshot(text)
		case m.Role == "assistant":
			a.summary, a.snapshot = false, false
		}
		a.last, a.toolResult = text, m.Role == "tool"
	}
	return a, nil
}

func (chat) call(a asked) []any {
	arguments, _ := json.Marshal(map[string]any{"command": Command, "description": "Say that it ran", "is_background": false})
	return []any{map[string]any{
		"index": 0, "id": fmt.Sprintf("call_%08d", a.n), "type": "function",
		"function": map[string]any{"name": a.shell, "arguments": string(arguments)},
	}}
}

func (chat) finish(s said) string {
	if s.call {
		return "tool_calls"
	}
	return "stop"
}

func (chat) body(a asked, object string, choice map[string]any) map[string]any {
	choice["index"] = 0
	return map[string]any{
		"id": fmt.Sprintf("chat_%010d", a.n), "object": object, "created": 1, "model": a.model, "choices": []any{choice},
	}
}

var chatUsage = map[string]any{"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}

func (p chat) whole(a asked, s said) any {
	message := map[string]any{"role": "assistant", "content": s.text()}
	if s.call {
		message["tool_calls"] = p.call(a)
	}
	body := p.body(a, "chat.completion", map[string]any{"message": message, "finish_reason": p.finish(s)})
	body["usage"] = chatUsage
	return body
}

func (p chat) events(a asked, s said) []event {
	var events []event
	add := func(delta map[string]any, finish any) map[string]any {
		body := p.body(a, "chat.completion.chunk", map[string]any{"delta": delta, "finish_reason": finish})
		events = append(events, event{data: body})
		return body
	}
	add(map[string]any{"role": "assistant", "content": ""}, nil)
	half := len(s.first) / 2
	for _, piece := range []string{s.first[:half], s.first[half:], s.rest} {
		add(map[string]any{"content": piece}, nil)
	}
	if s.call {
		add(map[string]any{"tool_calls": p.call(a)}, nil)
	}
	add(map[string]any{}, p.finish(s))["usage"] = chatUsage
	return append(events, event{data: "[DONE]"})
}
