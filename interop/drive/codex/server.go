package codex

import (
	"encoding/json"
	"fmt"

	"github.com/dsh-toolkit/dsh/interop/drive"
)

// server is an app server: JSON-RPC without its version, a message a line.
type server struct {
	lines *drive.Lines
	calls int
}

func serve(w *drive.World) (*server, error) {
	lines, err := w.Talk("app-server")
	if err != nil {
		return nil, err
	}
	s := &server{lines: lines}
	if err := s.call("initialize", map[string]any{
		"clientInfo":   map[string]any{"name": "interop", "title": nil, "version": "1"},
		"capabilities": map[string]any{"experimentalApi": true},
	}, nil); err != nil {
		return nil, err
	}
	return s, lines.Send(map[string]any{"method": "initialized"})
}

// call waits for the result of a method and reads it into result, where that is not nil.
func (s *server) call(method string, params, result any) error {
	s.calls++
	id, mark := s.calls, s.lines.Mark()
	if err := s.lines.Send(map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return err
	}
	var answer struct {
		ID     *int
		Method string
		Result json.RawMessage
		Error  json.RawMessage
	}
	line, err := s.lines.Await(mark, "the answer to "+method, func(line json.RawMessage) bool {
		answer.ID, answer.Method = nil, ""
		return json.Unmarshal(line, &answer) == nil && answer.Method == "" && answer.ID != nil && *answer.ID == id
	})
	if err != nil {
		return err
	}
	answer.Result, answer.Error = nil, nil
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if len(answer.Error) > 0 {
		return fmt.Errorf("%s: %s", method, answer.Error)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}
