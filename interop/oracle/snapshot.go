package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Snapshots is the sessions in the block that a text holds.
func Snapshots(text string) ([]Projection, error) {
	_, rest, ok := strings.Cut(text, "<referenced-sessions>\n")
	if !ok {
		return nil, errors.New("the text has no block")
	}
	data, _, ok := strings.Cut(rest, "\n</referenced-sessions>")
	if !ok {
		return nil, errors.New("the block has no end")
	}
	var all []Projection
	if err := json.Unmarshal([]byte(data), &all); err != nil {
		return nil, fmt.Errorf("the block is not JSON: %w", err)
	}
	return all, nil
}

// Said is who said what, without what a snapshot does not have: which is the checkpoint.
func (p Projection) Said() []Said {
	var all []Said
	for _, m := range p.Conversation {
		all = append(all, Said{Role: m.Role, Text: m.Text})
	}
	return all
}

// HasToolResult is whether a request holds what a command printed. The command itself
// holds the word too, behind "echo ", and does not count.
func HasToolResult(body []byte, printed string) bool {
	return bytes.Contains(bytes.ReplaceAll(body, []byte("echo "+printed), nil), []byte(printed))
}
