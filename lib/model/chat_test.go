package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/model"
)

// endpoint is a chat completions server that does what the test says, one function
// a request.
type endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	auth   []string
}

type handler func(w http.ResponseWriter, r *http.Request)

func serve(t *testing.T, handlers ...handler) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		n := len(e.bodies)
		e.bodies = append(e.bodies, string(b))
		e.auth = append(e.auth, r.Header.Get("Authorization"))
		e.mu.Unlock()
		if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		if n >= len(handlers) {
			t.Errorf("request number %d was not expected", n+1)
			w.WriteHeader(http.StatusTeapot)
			return
		}
		handlers[n](w, r)
	}))
	t.Cleanup(e.CloseClientConnections)
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) requests() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.bodies)
}

func (e *endpoint) chat(o model.ChatOptions) *model.Chat {
	o.Endpoint = model.Endpoint{BaseURL: e.URL + "/v1", Key: "sk-secret", Provider: "local"}
	o.Model = "m"
	return model.NewChat(o)
}

func say(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", e)
		w.(http.Flusher).Flush()
	}
}

func delta(text string) string {
	return `{"choices":[{"index":0,"delta":{"content":` + jstext.Quote(text) + `},"finish_reason":null}]}`
}

const stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

func says(events ...string) handler {
	return func(w http.ResponseWriter, _ *http.Request) { say(w, events...) }
}

func refuses(code int, body string) handler {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// hangsUp closes the connection after what was said.
func hangsUp(events ...string) handler {
	return func(w http.ResponseWriter, _ *http.Request) {
		say(w, events...)
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			c.Close()
		}
	}
}

func request(messages ...string) agent.Request {
	r := agent.Request{SessionID: "s", Turn: 1, Step: 1, Fresh: 1}
	for _, m := range messages {
		r.Messages = append(r.Messages, jstext.MustParse(m))
	}
	return r
}

const hello = `{"role":"user","content":[{"type":"text","text":"Hello"}]}`

type heard struct {
	deltas []string
	answer agent.Answer
	err    error
}

func ask(ctx context.Context, m agent.Model, r agent.Request) heard {
	var h heard
	h.answer, h.err = m.Ask(ctx, r, func(s string) { h.deltas = append(h.deltas, s) })
	return h
}

func TestChat(t *testing.T) {
	usage := `{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":2}}}`
	for _, c := range []struct {
		name   string
		events []string
		deltas string
		text   string
		usage  string
	}{
		{"streamed", []string{delta("Hel"), delta("lo"), stop, "[DONE]"}, `["Hel" "lo"]`, "Hello", ""},
		{"no [DONE]", []string{delta("Hello"), stop}, `["Hello"]`, "Hello", ""},
		{"no finish_reason", []string{delta("Hello"), "[DONE]"}, `["Hello"]`, "Hello", ""},
		{
			"reasoning is kept out",
			[]string{`{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm, "}}]}`, `{"choices":[{"index":0,"delta":{"reasoning_content":"so"}}]}`, delta("Yes."), stop, "[DONE]"},
			`["Yes."]`, "Yes.", "",
		},
		{"usage", []string{delta("x"), stop, usage, "[DONE]"}, `["x"]`, "x", `{"inputTokens":11,"outputTokens":4,"cacheReadTokens":8,"reasoningTokens":2}`},
		{"an empty answer", []string{stop, "[DONE]"}, "[]", "", ""},
		{"other choices", []string{`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}`, stop, "[DONE]"}, `["yes"]`, "yes", ""},
		{
			"a pair that comes apart",
			[]string{`{"choices":[{"delta":{"content":"a\ud83d"}}]}`, `{"choices":[{"delta":{"content":"\ude00b"}}]}`, stop, "[DONE]"},
			`["a" "😀b"]`, "a😀b", "",
		},
		{
			"halves that stay alone",
			[]string{`{"choices":[{"delta":{"content":"\ud83d"}}]}`, `{"choices":[{"delta":{"content":"x\ude00\ud83d"}}]}`, stop, "[DONE]"},
			`["\xed\xa0\xbdx\xed\xb8\x80" "\xed\xa0\xbd"]`, "\xed\xa0\xbdx\xed\xb8\x80\xed\xa0\xbd", "",
		},
		{"a cut for length", []string{delta("Hel"), `{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`, "[DONE]"}, `["Hel"]`, "Hel", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := serve(t, says(c.events...))
			h := ask(t.Context(), e.chat(model.ChatOptions{}), request(hello))
			if h.err != nil {
				t.Fatal(h.err)
			}
			if got := fmt.Sprintf("%q", h.deltas); got != c.deltas {
				t.Errorf("deltas %s, want %s", got, c.deltas)
			}
			if h.answer.Text != c.text || h.answer.Usage.Raw() != c.usage || h.answer.Provider != "local" || h.answer.Model != "m" {
				t.Errorf("answer %+q, want %q with usage %s", h.answer, c.text, c.usage)
			}
			if e.auth[0] != "Bearer sk-secret" {
				t.Errorf("authorization %q", e.auth[0])
			}
		})
	}
}

// Comments keep a connection alive, and line ends may be CRLF.
func TestChatComments(t *testing.T) {
	e := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for range 6 {
			fmt.Fprint(w, ": keep-alive\r\n\r\n")
			w.(http.Flusher).Flush()
			time.Sleep(60 * time.Millisecond)
		}
		fmt.Fprintf(w, "event: message\r\nid: 7\r\ndata: %s\r\n\r\ndata: %s\r\n\r\ndata: [DONE]\r\n\r\n", delta("x"), stop)
	})
	h := ask(t.Context(), e.chat(model.ChatOptions{Stall: 200 * time.Millisecond}), request(hello))
	if h.err != nil || h.answer.Text != "x" {
		t.Errorf("answer %q, %v", h.answer.Text, h.err)
	}
}

// What the grammar of event streams allows, an endpoint may send.
func TestChatEventStreams(t *testing.T) {
	long := strings.Repeat("long ", 1<<18)
	end := "data: " + stop + "\n\ndata: [DONE]\n\n"
	for _, c := range []struct{ name, stream, text string }{
		{"a byte order mark", "\ufeffdata: " + delta("x") + "\n\n" + end, "x"},
		{"CRLF", strings.ReplaceAll("data: "+delta("x")+"\n\n"+end, "\n", "\r\n"), "x"},
		{"CR", strings.ReplaceAll("data: "+delta("x")+"\n\n"+end, "\n", "\r"), "x"},
		{"no space behind the colon", "data:" + delta("x") + "\n\n" + end, "x"},
		{"several lines", "data: {\"choices\":\ndata: [{\"delta\":\ndata: {\"content\":\"x\"}}]}\n\n" + end, "x"},
		{"a long line", "data: " + delta(long) + "\n\n" + end, long},
		{"other fields", "retry: 10\nid: 7\nevent: message\nfoo: bar\nfoo\n: no\ndata: " + delta("x") + "\n\n" + end, "x"},
		{"an event without data", "event: ping\n\nid: 7\n\n\n\n" + "data: " + delta("x") + "\n\n" + end, "x"},
		{"bytes that are no UTF-8", "data: " + delta("x\xff") + "\n\n" + end, "x\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, c.stream)
			})
			h := ask(t.Context(), e.chat(model.ChatOptions{Retries: -1}), request(hello))
			if h.err != nil || h.answer.Text != c.text {
				t.Errorf("answer %.40q, %v, want %.40q", h.answer.Text, h.err, c.text)
			}
		})
	}
}

// An event that never ends is not kept, nor asked for again.
func TestChatEndlessEvent(t *testing.T) {
	for _, c := range []struct{ name, piece string }{
		{"one line", strings.Repeat("x", 1<<16)},
		{"many lines", "\ndata: " + strings.Repeat("x", 1<<16)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sent := 0
			e := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, "data: ")
				for sent < 1<<28 {
					n, err := io.WriteString(w, c.piece)
					if err != nil {
						return
					}
					sent += n
				}
			})
			h := ask(t.Context(), e.chat(model.ChatOptions{}), request(hello))
			if h.err == nil || !strings.Contains(h.err.Error(), "an event of more than") {
				t.Errorf("error %v", h.err)
			}
			e.Close()
			if sent >= 1<<28 {
				t.Errorf("read all of it")
			}
		})
	}
}

// The endpoint is the base URL's path and /chat/completions, whatever the base URL ends with.
func TestChatURL(t *testing.T) {
	for _, c := range []struct{ base, want string }{
		{"", "/chat/completions"},
		{"/", "/chat/completions"},
		{"/v1", "/v1/chat/completions"},
		{"/v1/", "/v1/chat/completions"},
		{"/a%2Fb/v1", "/a%2Fb/v1/chat/completions"},
		{"/v1?api-version=1", "/v1/chat/completions?api-version=1"},
	} {
		var got string
		e := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.RequestURI
			say(w, delta("x"), stop, "[DONE]")
		}))
		m := model.NewChat(model.ChatOptions{Endpoint: model.Endpoint{BaseURL: e.URL + c.base}, Model: "m", Retries: -1})
		h := ask(t.Context(), m, request(hello))
		e.Close()
		if h.err != nil || got != c.want {
			t.Errorf("%q: asked at %q, want %q; %v", c.base, got, c.want, h.err)
		}
	}
}

// Key and conversation are for the endpoint that the user named, and for no other
// that it points to.
func TestChatRedirect(t *testing.T) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		elsewhere := serve(t)
		e := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/v1/chat/completions?sk-secret", code)
		})
		h := ask(t.Context(), e.chat(model.ChatOptions{}), request(hello))
		if n := elsewhere.requests(); n > 0 {
			t.Errorf("%d: %d requests elsewhere, with authorization %q", code, n, elsewhere.auth)
		}
		if h.err == nil || !strings.Contains(h.err.Error(), fmt.Sprintf("%d %s", code, http.StatusText(code))) ||
			!strings.Contains(h.err.Error(), elsewhere.URL) || strings.Contains(h.err.Error(), "sk-secret") {
			t.Errorf("%d: error %v", code, h.err)
		}
	}
}

// Where a model is asked and with which key is ours to say, not the environment's.
func TestChatEnvironment(t *testing.T) {
	elsewhere := serve(t)
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, "not-this")
	}
	t.Setenv("OPENAI_BASE_URL", elsewhere.URL+"/v1")
	var sent http.Header
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header
		say(w, delta("x"), stop, "[DONE]")
	})
	m := model.NewChat(model.ChatOptions{Endpoint: model.Endpoint{BaseURL: e.URL + "/v1"}, Model: "m"})
	if h := ask(t.Context(), m, request(hello)); h.err != nil {
		t.Fatal(h.err)
	}
	e.Close()
	if _, ok := sent["Authorization"]; ok || strings.Contains(fmt.Sprint(sent), "not-this") {
		t.Errorf("headers %v", sent)
	}
}

// A key that cannot be sent is not shown either.
func TestChatUnsendableKey(t *testing.T) {
	e := serve(t)
	m := model.NewChat(model.ChatOptions{Endpoint: model.Endpoint{BaseURL: e.URL + "/v1", Key: "sk-secret\nsk-2"}, Model: "m"})
	h := ask(t.Context(), m, request(hello))
	if h.err == nil || strings.Contains(h.err.Error(), "sk-") {
		t.Errorf("error %v", h.err)
	}
}

// The body is what JSON.stringify would write.
func TestChatBody(t *testing.T) {
	e := serve(t, says(delta("x"), stop, "[DONE]"))
	h := ask(t.Context(), e.chat(model.ChatOptions{}), request(
		`{"role":"user","content":[{"type":"text","text":"<snapshot> \ud800"},{"type":"text","text":"\n\n## My request:\n"},{"type":"text","text":"a\u2028"},{"type":"text","text":"b"}]}`,
		`{"role":"assistant","content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"ok"}],"provenance":{"provider":"p","model":"m"}}`,
		`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","mimeType":"image/png","data":"aGk="}]}`,
		`{"role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[]}]}`,
		`{"role":"user","content":[]}`,
	))
	if h.err != nil {
		t.Fatal(h.err)
	}
	want := `{"model":"m","messages":[` +
		`{"role":"user","content":"<snapshot> \ud800\n\n## My request:\na` + "\u2028" + `\nb"},` +
		`{"role":"assistant","content":"ok"},` +
		`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]},` +
		`{"role":"user","content":""}` +
		`],"stream":true}`
	if e.bodies[0] != want {
		t.Errorf("body\n%s\nwant\n%s", e.bodies[0], want)
	}
}

func TestChatFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  handler
		deltas string
		want   []string
	}{
		{"401", refuses(401, `{"error":{"message":"bad key sk-secret","type":"auth"}}`), "[]", []string{`401 Unauthorized: "bad key (the key)"`}},
		{"an endless page", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			for _, err := io.WriteString(w, "{"); err == nil; _, err = io.WriteString(w, strings.Repeat(" ", 1<<16)) {
			}
		}, "[]", []string{"502 Bad Gateway"}},
		{"400 without JSON", refuses(400, "<html>nope</html>"), "[]", []string{"400 Bad Request"}},
		{"cut off in the middle", hangsUp(delta("Hel")), `["Hel"]`, []string{"the answer broke off", "EOF"}},
		{"ended in the middle", says(delta("Hel")), `["Hel"]`, []string{"the answer broke off"}},
		{"malformed event", says(delta("Hel"), `{"choices":`), `["Hel"]`, []string{`no JSON object: "{\"choices\":"`}},
		{"not an object", says(`7`), "[]", []string{"no JSON object"}},
		{"error event", says(delta("Hel"), `{"error":{"message":"overloaded"}}`), `["Hel"]`, []string{`failed while answering: "overloaded"`}},
		{"filtered", says(delta("Hel"), `{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`), `["Hel"]`, []string{"content_filter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := serve(t, c.first)
			h := ask(t.Context(), e.chat(model.ChatOptions{Retries: -1}), request(hello))
			if h.err == nil {
				t.Fatalf("answer %q", h.answer.Text)
			}
			for _, want := range append(c.want, e.URL) {
				if !strings.Contains(h.err.Error(), want) {
					t.Errorf("error %q has no %q", h.err, want)
				}
			}
			if strings.Contains(h.err.Error(), "sk-secret") {
				t.Errorf("the key is in %q", h.err)
			}
			if got := fmt.Sprintf("%q", h.deltas); got != c.deltas {
				t.Errorf("deltas %s, want %s", got, c.deltas)
			}
		})
	}
}

func TestChatRetries(t *testing.T) {
	ok := says(delta("ok"), stop, "[DONE]")
	for _, c := range []struct {
		name     string
		handlers []handler
		requests int
		err      string
	}{
		{"429", []handler{refuses(429, "{}"), refuses(429, "{}"), ok}, 3, ""},
		{"500", []handler{refuses(500, "oops"), ok}, 2, ""},
		{"503", []handler{refuses(503, ""), ok}, 2, ""},
		{"network", []handler{hangsUpAtOnce, ok}, 2, ""},
		{"broken off before any text", []handler{hangsUp(), ok}, 2, ""},
		{"429 for ever", []handler{refuses(429, "{}"), refuses(429, "{}"), refuses(429, `{"error":{"message":"slow down"}}`)}, 3, `429 Too Many Requests: "slow down"`},
		{"401 is not retried", []handler{refuses(401, "{}")}, 1, "401"},
		{"400 is not retried", []handler{refuses(400, "{}")}, 1, "400"},
		{"text is not repeated", []handler{hangsUp(delta("ok"))}, 1, "broke off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, c.handlers...)
			h := ask(t.Context(), e.chat(model.ChatOptions{Retries: 2}), request(hello))
			if c.err == "" && (h.err != nil || h.answer.Text != "ok" || len(h.deltas) != 1) {
				t.Errorf("answer %q, deltas %q, error %v", h.answer.Text, h.deltas, h.err)
			}
			if c.err != "" && (h.err == nil || !strings.Contains(h.err.Error(), c.err)) {
				t.Errorf("error %v, want %s", h.err, c.err)
			}
			if e.requests() != c.requests {
				t.Errorf("%d requests, want %d", e.requests(), c.requests)
			}
			for _, b := range e.bodies {
				if b != e.bodies[0] {
					t.Errorf("a retry sent another body: %s", b)
				}
			}
		})
	}
}

func TestChatWaits(t *testing.T) {
	for _, c := range []struct {
		again int
		code  int
		after string
		want  time.Duration
	}{
		{0, 500, "", 500 * time.Millisecond},
		{2, 500, "", 2 * time.Second},
		{9, 500, "", 8 * time.Second},
		{0, 429, "3", 3 * time.Second},
		{0, 503, "3", 3 * time.Second},
		{0, 429, "0", 0},
		{0, 429, "Thu, 01 Jan 1970 00:00:00 GMT", 0},
		{0, 429, "Fri, 31 Dec 9999 23:59:59 GMT", time.Minute},
		{0, 429, "86400", time.Minute},
		{0, 429, "9999999999", time.Minute}, // of seconds: more nanoseconds than 64 bits hold
		{0, 429, "9223372036854775807", time.Minute},
		{0, 429, "99999999999999999999", 500 * time.Millisecond},
		{0, 429, "-1", 500 * time.Millisecond},
		{1, 429, "soon", time.Second},
	} {
		res := &http.Response{StatusCode: c.code, Header: http.Header{"Retry-After": {c.after}}}
		if got := model.Wait(c.again, res); got != c.want {
			t.Errorf("try %d, %d with Retry-After %q: %v, want %v", c.again, c.code, c.after, got, c.want)
		}
	}
}

func hangsUpAtOnce(w http.ResponseWriter, _ *http.Request) {
	if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
		c.Close()
	}
}

func TestChatNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	m := model.NewChat(model.ChatOptions{Endpoint: model.Endpoint{BaseURL: url}, Model: "m", Retries: -1})
	h := ask(t.Context(), m, request(hello))
	if h.err == nil || !strings.Contains(h.err.Error(), "connection refused") || !strings.Contains(h.err.Error(), url) {
		t.Errorf("error %v", h.err)
	}
}

func TestChatCancel(t *testing.T) {
	stalls := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, c := range []struct {
		name  string
		first handler
	}{
		{"before the answer", stalls},
		{"inside the answer", func(w http.ResponseWriter, r *http.Request) {
			say(w, delta("Hel"))
			stalls(w, r)
		}},
		{"inside a refusal", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			w.(http.Flusher).Flush()
			stalls(w, r)
		}},
		{"inside a refusal that is to be tried again", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			w.(http.Flusher).Flush()
			stalls(w, r)
		}},
		{"between two tries", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "50")
			w.WriteHeader(http.StatusTooManyRequests)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, c.first)
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(150*time.Millisecond, func() { cancel(why) })
			start := time.Now()
			h := ask(ctx, e.chat(model.ChatOptions{}), request(hello))
			if !errors.Is(h.err, why) {
				t.Errorf("error %v, want %v", h.err, why)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("took %v", took)
			}
			if e.requests() != 1 {
				t.Errorf("%d requests", e.requests())
			}
		})
	}
}

// An endpoint that says nothing is given up, before its answer and inside it.
func TestChatStall(t *testing.T) {
	for _, events := range [][]string{nil, {delta("Hel")}} {
		e := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if events != nil {
				say(w, events...)
			}
			<-r.Context().Done()
		})
		h := ask(t.Context(), e.chat(model.ChatOptions{Retries: -1, Stall: 100 * time.Millisecond}), request(hello))
		if h.err == nil || !strings.Contains(h.err.Error(), "said nothing for 100ms") || len(h.deltas) != len(events) {
			t.Errorf("deltas %q, error %v", h.deltas, h.err)
		}
	}
}

// A server that does not hang up after its answer does not hold it up.
func TestChatLingers(t *testing.T) {
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		say(w, delta("ok"), stop)
		<-r.Context().Done()
	})
	h := ask(t.Context(), e.chat(model.ChatOptions{}), request(hello))
	if h.err != nil || h.answer.Text != "ok" {
		t.Errorf("answer %q, %v", h.answer.Text, h.err)
	}
}

func TestFindEndpoint(t *testing.T) {
	for _, c := range []struct {
		name, model, base, deepSeek, openAI string
		want                                model.Endpoint
		err                                 string
	}{
		{name: "DeepSeek", model: "deepseek-chat", deepSeek: "d", openAI: "o", want: model.Endpoint{BaseURL: "https://api.deepseek.com/v1", Key: "d", Provider: "deepseek"}},
		{name: "OpenAI", model: "gpt-x", deepSeek: "d", openAI: "o", want: model.Endpoint{BaseURL: "https://api.openai.com/v1", Key: "o", Provider: "openai"}},
		{name: "the only key", model: "other", deepSeek: "d", want: model.Endpoint{BaseURL: "https://api.deepseek.com/v1", Key: "d", Provider: "deepseek"}},
		{name: "no key", model: "gpt-x", err: `no key for model "gpt-x"`},
		{name: "the wrong key", model: "deepseek-chat", openAI: "o", err: "no key"},
		{name: "local without a key", model: "m", base: "http://localhost:8080/v1", want: model.Endpoint{BaseURL: "http://localhost:8080/v1", Provider: "localhost"}},
		{name: "local with a key", model: "m", base: "http://localhost:8080/v1", openAI: "o", deepSeek: "d", want: model.Endpoint{BaseURL: "http://localhost:8080/v1", Key: "o", Provider: "localhost"}},
		{name: "local with the other key", model: "m", base: "http://localhost/v1", deepSeek: "d", want: model.Endpoint{BaseURL: "http://localhost/v1", Key: "d", Provider: "localhost"}},
		{name: "DeepSeek by URL", model: "m", base: "https://api.deepseek.com", openAI: "o", want: model.Endpoint{BaseURL: "https://api.deepseek.com", Provider: "deepseek"}},
		{name: "not DeepSeek", model: "m", base: "https://notdeepseek.com", openAI: "o", deepSeek: "d", want: model.Endpoint{BaseURL: "https://notdeepseek.com", Key: "o", Provider: "notdeepseek.com"}},
		{name: "OpenAI is not sent the other key", model: "m", base: "https://api.openai.com/v1", deepSeek: "d", want: model.Endpoint{BaseURL: "https://api.openai.com/v1", Provider: "openai"}},
		{name: "no URL", model: "m", base: "localhost:8080", err: "not an http or https URL"},
		{name: "no scheme", model: "m", base: "//x", err: "not an http or https URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{"DEEPSEEK_API_KEY": c.deepSeek, "OPENAI_API_KEY": c.openAI}
			got, err := model.FindEndpoint(c.model, c.base, func(k string) string { return env[k] })
			if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %+v, %v, want %+v, %s", got, err, c.want, c.err)
			}
		})
	}
}

func TestPrompt(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"one", `[{"type":"text","text":"a"}]`, "a"},
		{"several", `[{"type":"text","text":"a"},{"type":"text","text":"b\n"},{"type":"text","text":"c"}]`, "a\nb\n\nc"},
		{"baked", `[{"type":"text","text":"S"},{"type":"text","text":"\n\n## My request:\n"},{"type":"text","text":"a"},{"type":"text","text":"b"}]`, "S\n\n## My request:\na\nb"},
		{"other blocks", `[{"type":"image"},{"type":"text","text":"a"},{"type":"x","text":"y"}]`, "a"},
		{"empty texts", `[{"type":"text","text":""},{"type":"text","text":""}]`, "\n"},
		{"none", `[]`, ""},
		{"halves that meet", `[{"type":"text","text":"\ud83d"}]`, "\xed\xa0\xbd"},
	} {
		if got := model.Prompt(jstext.MustParse(c.content)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
