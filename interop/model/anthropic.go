package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// anthropic is the messages API.
type anthropic struct{}

func (anthropic) read(_ string, body []byte) (asked, error) {
	var b struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return asked{}, err
	}
	a := asked{stream: b.Stream, tools: len(b.Tools), model: b.Model}
	for _, t := range b.Tools {
		if t.Name == "Bash" {
			a.shell = t.Name
		}
	}
	for _, m := range slices.Backward(b.Messages) {
		if m.Role != "user" { // a system message may stand behind the prompt
			continue
		}
		blocks := contents(m.Content)
		a.last = blocks.text()
		a.toolResult = blocks.has("tool_result")
		break
	}
	a.summary = asksForSummary(a.last)
	return a, nil
}

func (anthropic) blocks(a asked, s said) []map[string]any {
	blocks := []map[string]any{{"type": "text", "text": s.text()}}
	if s.call {
		blocks = append(blocks, map[string]any{
			"type": "tool_use", "id": fmt.Sprintf("toolu_%020d", a.n), "name": a.shell,
			"input": map[string]any{"command": Command, "description": "Say that it ran"},
		})
	}
	return blocks
}

func (anthropic) stop(s said) string {
	if s.call {
		return "tool_use"
	}
	return "end_turn"
}

func (anthropic) message(a asked) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("msg_%020d", a.n), "type": "message", "role": "assistant", "model": a.model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 100, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
}

func (p anthropic) whole(a asked, s said) any {
	message := p.message(a)
	message["content"], message["stop_reason"] = p.blocks(a, s), p.stop(s)
	return message
}

func (p anthropic) events(a asked, s said) []event {
	events := []event{{"message_start", map[string]any{"type": "message_start", "message": p.message(a)}}}
	add := func(name string, members map[string]any) {
		members["type"] = name
		events = append(events, event{name, members})
	}
	for i, block := range p.blocks(a, s) {
		delta := func(kind, name, text string) {
			add("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, name: text}})
		}
		if block["type"] == "text" {
			add("content_block_start", map[string]any{"index": i, "content_block": map[string]any{"type": "text", "text": ""}})
			delta("text_delta", "text", s.first)
			delta("text_delta", "text", s.rest)
		} else {
			input, _ := json.Marshal(block["input"])
			block["input"] = map[string]any{}
			add("content_block_start", map[string]any{"index": i, "content_block": block})
			delta("input_json_delta", "partial_json", string(input))
		}
		add("content_block_stop", map[string]any{"index": i})
	}
	add("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": p.stop(s), "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 9},
	})
	add("message_stop", map[string]any{})
	return events
}

// parts is a message's content in any of the protocols, as far as they agree: blocks
// with a type and a text.
type parts []struct {
	Type string
	Text string
}

// contents reads a string or a list of blocks; anything else is empty.
func contents(raw json.RawMessage) parts {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return parts{{"text", text}}
	}
	var blocks parts
	json.Unmarshal(raw, &blocks) //nolint:errcheck // then it is empty
	return blocks
}

func (p parts) text() string {
	var texts []string
	for _, b := range p {
		switch b.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (p parts) has(kind string) bool {
	for _, b := range p {
		if b.Type == kind {
			return true
		}
	}
	return false
}
