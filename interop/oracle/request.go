package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Item is one text of a request, as it stands there. A message with several texts is
// several items.
type Item struct {
	Role string // system, developer, user, assistant, tool
	Text string
	// Message is the place of the item's message in the request, from 0.
	Message int
}

// Request is the texts of one request, in order.
type Request struct {
	Items []Item
	Tools int // how many tools are offered
}

// Read takes a request's body apart by the protocol of its path: Anthropic's messages,
// OpenAI's responses or chat completions, or Gemini's generateContent. Instructions that
// stand outside the messages are not among the items.
func Read(path string, body []byte) (Request, error) {
	switch {
	case strings.HasSuffix(path, "/messages"), strings.HasSuffix(path, "/chat/completions"):
		return readMessages(body)
	case strings.HasSuffix(path, "/responses"):
		return readResponses(body)
	case strings.HasSuffix(path, "enerateContent"):
		return readGemini(body)
	}
	return Request{}, fmt.Errorf("%s: no protocol that is known", path)
}

// block is a part of a message in any of the protocols.
type block struct {
	Type             string
	Text             string
	Content          json.RawMessage
	FunctionCall     json.RawMessage
	FunctionResponse json.RawMessage
	Thought          bool
}

// texts is the texts of a content: a string, or a list of blocks. Blocks of other types
// hold no text of the conversation.
func texts(content json.RawMessage) ([]string, error) {
	if len(content) == 0 || string(content) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []string{text}, nil
	}
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil {
		return nil, fmt.Errorf("a content that is neither a text nor a list: %w", err)
	}
	var all []string
	for _, b := range blocks {
		switch b.Type {
		case "text", "input_text", "output_text":
			all = append(all, b.Text)
		}
	}
	return all, nil
}

func (r *Request) add(message int, role string, content json.RawMessage) error {
	all, err := texts(content)
	if err != nil {
		return fmt.Errorf("message %d: %w", message, err)
	}
	for _, text := range all {
		r.Items = append(r.Items, Item{Role: role, Text: text, Message: message})
	}
	return nil
}

func readMessages(body []byte) (Request, error) {
	var b struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []json.RawMessage
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return Request{}, err
	}
	r := Request{Tools: len(b.Tools)}
	for i, m := range b.Messages {
		if err := r.add(i, m.Role, m.Content); err != nil {
			return Request{}, err
		}
	}
	return r, nil
}

func readResponses(body []byte) (Request, error) {
	var b struct {
		Input json.RawMessage
		Tools []json.RawMessage
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return Request{}, err
	}
	r := Request{Tools: len(b.Tools)}
	var items []struct {
		Role    string
		Content json.RawMessage
	}
	if json.Unmarshal(b.Input, &items) != nil {
		return r, r.add(0, "user", b.Input)
	}
	for i, item := range items {
		if item.Role == "" {
			continue // calls, their output, reasoning
		}
		if err := r.add(i, item.Role, item.Content); err != nil {
			return Request{}, err
		}
	}
	return r, nil
}

func readGemini(body []byte) (Request, error) {
	var b struct {
		Contents []struct {
			Role  string
			Parts []block
		}
		Tools []struct{ FunctionDeclarations []json.RawMessage }
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return Request{}, err
	}
	var r Request
	for _, t := range b.Tools {
		r.Tools += len(t.FunctionDeclarations)
	}
	for i, c := range b.Contents {
		role := c.Role
		if role == "model" {
			role = "assistant"
		}
		for _, p := range c.Parts {
			if p.Text != "" && !p.Thought {
				r.Items = append(r.Items, Item{Role: role, Text: p.Text, Message: i})
			}
		}
	}
	return r, nil
}
