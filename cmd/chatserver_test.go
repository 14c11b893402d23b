package cmd_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func init() {
	scriptCommands["chatserver"] = chatServer
	scriptCommands["dshserver"] = dshServer
}

// chatserver SCRIPT REQUESTS answers chat completion requests below $CHAT_URL from
// a JSON array, one member a request, and appends each request's body to the file
// REQUESTS. Replies that nobody has asked for fail the script. A reply is
//
//	{"pieces":["…"]}                       the text, piece by piece
//	{"pieces":["…"],"until":"FILE"}        the same, ended when FILE is there
//	{"pieces":["…"],"cut":true}            broken off after the pieces
//	{"status":429,"body":"…"}              refused; a retry is wanted at once
func chatServer(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "chatserver script requests")
	script, err := jstext.Parse(ts.ReadFile(args[0]))
	ts.Check(err)
	var replies []jstext.Value
	for r := range script.Elements() {
		replies = append(replies, r)
	}
	s := &chat{replies: replies, requests: ts.MkAbs(args[1]), resolve: ts.MkAbs}
	serveScript(ts, "CHAT_URL", s)
	ts.Defer(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.replies) > 0 {
			complain(ts, "chatserver: nobody asked for %d replies", len(s.replies))
		}
		for _, p := range s.problems {
			complain(ts, "chatserver: %s", p)
		}
	})
}

// serveScript serves until the script has ended and puts the URL into env.
func serveScript(ts *testscript.TestScript, env string, h http.Handler) {
	server := httptest.NewServer(h)
	ts.Setenv(env, server.URL)
	ts.Defer(func() {
		server.CloseClientConnections()
		server.Close()
	})
}

type chat struct {
	requests string
	resolve  func(string) string

	mu       sync.Mutex
	replies  []jstext.Value
	problems []string
}

func (s *chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reply, ok := s.next(r)
	if !ok {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if code, ok := reply.Get("status").Int(); ok {
		body, _ := reply.Get("body").Text()
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(int(code))
		fmt.Fprint(w, body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(event string) {
		fmt.Fprintf(w, "data: %s\n\n", event)
		w.(http.Flusher).Flush()
	}
	for p := range reply.Get("pieces").Elements() {
		say(`{"choices":[{"index":0,"delta":{"reasoning_content":"hm","content":` + p.Raw() + `}}]}`)
	}
	if file, ok := reply.Get("until").Text(); ok {
		waitForFile(r, s.resolve(file))
	}
	if reply.Get("cut").True() {
		panic(http.ErrAbortHandler)
	}
	say(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	say("[DONE]")
}

// next notes a request and takes its reply.
func (s *chat) next(r *http.Request) (jstext.Value, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = appendLine(s.requests, string(body))
	}
	if err != nil {
		s.problems = append(s.problems, err.Error())
	}
	if r.URL.Path != "/chat/completions" || len(s.replies) == 0 {
		s.problems = append(s.problems, fmt.Sprintf("unexpected request: %s %s", r.Method, r.URL.Path))
		return jstext.Value{}, false
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	return reply, true
}

func waitForFile(r *http.Request, path string) {
	for r.Context().Err() == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line + "\n")
	return err
}

// dshserver ROOT REQUESTS is a running dsh at $DSH_WEB_URL: what is sent to a
// session whose log is below ROOT is accepted and logged as queued, and appended to
// the file REQUESTS. A session that has none is refused as not found.
func dshServer(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "dshserver root requests")
	root, requests := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	var mu sync.Mutex
	serveScript(ts, "DSH_WEB_URL", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		v, err := jstext.Parse(string(body))
		if err != nil || r.URL.Path != "/api/session.prompt" || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		id, _ := v.Get("payload", "sessionId").Text()
		result := `{"ok":true,"value":{"accepted":true}}`
		if err := logPrompt(root, id, v); err != nil {
			result = `{"ok":false,"error":{"code":"session-not-found"}}`
		} else {
			_ = appendLine(requests, string(body))
		}
		fmt.Fprintf(w, `{"type":"server-response","rpcId":%s,"result":%s}`, v.Get("rpcId").Raw(), result)
	}))
}

// logPrompt logs a prompt as dsh does when it queues one.
func logPrompt(root, id string, request jstext.Value) error {
	logs, err := filepath.Glob(filepath.Join(root, "*", id, "session.jsonl"))
	if err != nil || len(logs) != 1 {
		return fmt.Errorf("session %q: %d logs", id, len(logs))
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		return err
	}
	return appendLine(logs[0], fmt.Sprintf(
		`{"type":"agent/inbox/spliced","seq":%d,"time":1,"data":{"target":"next-turn","start":0,"inserted":[{"content":%s,"source":{"kind":"user","rpcId":%s},"role":"user","id":"x"}]}}`,
		strings.Count(string(text), "\n")-1, request.Get("payload", "content").Raw(), request.Get("rpcId").Raw()))
}
