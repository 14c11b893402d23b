package model

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ways is a request in each protocol: %s is the prompt, and the tool is offered.
var ways = map[string]struct{ path, body, stream string }{
	"anthropic": {
		"/v1/messages",
		`{"model":"m","stream":STREAM,"messages":[{"role":"user","content":[{"type":"text","text":"PROMPT"}]},{"role":"system","content":"behind"}],"tools":[{"name":"Bash"}]}`, "",
	},
	"responses": {
		"/v1/responses",
		`{"model":"m","stream":STREAM,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"PROMPT"}]}],"tools":[{"name":"exec_command"}]}`, "",
	},
	"chat": {
		"/v1/chat/completions",
		`{"model":"m","stream":STREAM,"messages":[{"role":"user","content":"PROMPT"}],"tools":[{"function":{"name":"bash"}}]}`, "",
	},
	"gemini": {
		"/v1beta/models/m:generateContent",
		`{"contents":[{"role":"user","parts":[{"text":"PROMPT"}]}],"tools":[{"functionDeclarations":[{"name":"run_shell_command"}]}]}`,
		"/v1beta/models/m:streamGenerateContent",
	},
}

func ask(t *testing.T, s *Server, way, prompt string, stream bool) *http.Response {
	t.Helper()
	w := ways[way]
	path, body := w.path, strings.Replace(w.body, "PROMPT", prompt, 1)
	if stream && w.stream != "" {
		path = w.stream
	}
	body = strings.Replace(body, "STREAM", strconv.FormatBool(stream), 1)
	response, err := http.Post(s.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", way, response.Status)
	}
	return response
}

func begin(t *testing.T) *Server {
	t.Helper()
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// heard is the texts that stand in an answer, by the members in which the protocols have
// them, put together in order.
func heard(t *testing.T, data []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, name := range []string{"text", "content", "delta", "partial_json", "arguments", "command"} {
				if text, ok := v[name].(string); ok {
					b.WriteString(text)
				}
			}
			for _, name := range []string{
				"content", "delta", "output", "choices", "message", "candidates", "parts", "functionCall", "args",
				"tool_calls", "function", "input", "content_block",
			} {
				walk(v[name])
			}
		}
	}
	walk(value)
	return b.String()
}

func TestAnswersInEachProtocol(t *testing.T) {
	for way := range ways {
		t.Run(way, func(t *testing.T) {
			s := begin(t)
			body, err := io.ReadAll(ask(t, s, way, "hello", false).Body)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := heard(t, body), "ANSWER 1"+hard; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			body, err = io.ReadAll(ask(t, s, way, "hello "+UseTool, false).Body)
			if err != nil {
				t.Fatal(err)
			}
			if got := heard(t, body); !strings.HasPrefix(got, "Let me run it (2).") || !strings.Contains(got, Command) {
				t.Errorf("no call of the tool: %q", got)
			}
			requests, _ := s.Since(0)
			if len(requests) != 2 || !strings.Contains(string(requests[1].Body), UseTool) || requests[1].N != 2 {
				t.Errorf("kept %v", requests)
			}
		})
	}
}

// A stream gives the whole answer; a slow one gives its first words, and the rest after
// Release.
func TestStreamsInEachProtocol(t *testing.T) {
	for way := range ways {
		t.Run(way, func(t *testing.T) {
			s := begin(t)
			if got, want := words(t, ask(t, s, way, "hello", true).Body, -1), "ANSWER 1"+hard; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			slow := ask(t, s, way, "hello "+Slow, true).Body
			in := bufio.NewReader(slow)
			if got := words(t, in, firstWords); got != "ANSWER" {
				t.Errorf("the first words are %q", got)
			}
			if !s.Busy() {
				t.Error("the answer is not held back")
			}
			s.Release()
			if got, want := words(t, in, -1), " 2"+hard; got != want {
				t.Errorf("behind Release %q, want %q", got, want)
			}
		})
	}
}

// words is the texts of the next n events, of all that come where n < 0.
func words(t *testing.T, in io.Reader, n int) string {
	t.Helper()
	lines, ok := in.(*bufio.Reader)
	if !ok {
		lines = bufio.NewReader(in)
	}
	var b strings.Builder
	for n != 0 {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		n--
		// The last events of OpenAI's responses say the whole again.
		if data == "[DONE]" || strings.Contains(data, ".done\"") || strings.Contains(data, `"response.completed"`) {
			continue
		}
		b.WriteString(heard(t, []byte(data)))
	}
	return b.String()
}

func TestAnAgentThatGoesAwayEndsItsAnswer(t *testing.T) {
	s := begin(t)
	response := ask(t, s, "chat", "hello "+Slow, true)
	response.Body.Close()
	for deadline := time.Now().Add(10 * time.Second); s.Busy(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the answer is held back for nobody")
		}
	}
}

func TestErrandsAreAnsweredAtOnce(t *testing.T) {
	got := decide(asked{n: 3, last: "a title for: " + UseTool + " " + Slow})
	if got.slow || got.call || !strings.HasPrefix(got.text(), "ANSWER 3") {
		t.Errorf("got %+v", got)
	}
}

func TestSummaries(t *testing.T) {
	for want, a := range map[string]asked{
		"SUMMARY 1" + hard:                           {n: 1, summary: true},
		"<state_snapshot>SUMMARY 2</state_snapshot>": {n: 2, summary: true, snapshot: true},
	} {
		if got := decide(a).text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
