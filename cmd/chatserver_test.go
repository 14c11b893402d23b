package cmd_test

import (
	"errors"
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
func serveScript(ts *testscript.TestScript, env string, h http.Handler) *httptest.Server {
	server := httptest.NewServer(h)
	ts.Setenv(env, server.URL)
	ts.Defer(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
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

// dshserver ROOT REQUESTS is a running dsh at $DSH_WEB_URL. What is sent to a session
// whose log is below ROOT is accepted, logged as dsh 0.1.0-rc.8 was seen to log it, and
// appended to the file REQUESTS. A session that has no log is refused as not found,
// except that of one called new the log is made 300 ms later. A text that says
//
//	FAIL  ends its turn with an error before it is a message
//	GONE  stays in the queue, and the server goes away
func dshServer(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "dshserver root requests")
	root, requests := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	var mu sync.Mutex
	gone := make(chan bool, 1)
	server := serveScript(ts, "DSH_WEB_URL", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			return
		}
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
		path, err := sessionLog(root, id)
		if err != nil {
			result = `{"ok":false,"error":{"code":"session-not-found"}}`
		} else {
			time.AfterFunc(map[string]time.Duration{"new": 300 * time.Millisecond}[id], func() {
				mu.Lock()
				defer mu.Unlock()
				if err := logPrompt(path, v); err != nil {
					complain(ts, "dshserver: %v", err)
				}
			})
			_ = appendLine(requests, string(body))
		}
		fmt.Fprintf(w, `{"type":"server-response","rpcId":%s,"result":%s}`, v.Get("rpcId").Raw(), result)
		if strings.Contains(string(body), "GONE") {
			gone <- true
		}
	}))
	go func() {
		<-gone
		server.Close()
	}()
	ts.Defer(func() { gone <- true })
}

// sessionLog is where the log of a session is, or is to be.
func sessionLog(root, id string) (string, error) {
	if id == "new" {
		return filepath.Join(root, "--p--", id, "session.jsonl"), nil
	}
	logs, err := filepath.Glob(filepath.Join(root, "*", id, "session.jsonl"))
	if err != nil || len(logs) != 1 {
		return "", fmt.Errorf("session %q: %d logs", id, len(logs))
	}
	return logs[0], nil
}

// logPrompt logs a prompt: queued, taken, written down, answered by nobody.
func logPrompt(path string, request jstext.Value) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		text = []byte(`{"type":"session","version":0,"id":"new","createdAt":1,"cwd":"/p","delegationDepth":0}` + "\n")
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
	}
	if err != nil {
		return err
	}
	content := request.Get("payload", "content").Raw()
	message := fmt.Sprintf(`"content":%s,"source":{"kind":"user","rpcId":%s},"role":"user","id":"x"`, content, request.Get("rpcId").Raw())
	target := "next-turn"
	if request.Get("payload", "mode").Is("steer") {
		target = "next-step"
	}
	events := [][2]string{{"agent/inbox/spliced", fmt.Sprintf(`{"target":"%s","start":0,"inserted":[{%s}]}`, target, message)}}
	if !strings.Contains(content, "GONE") {
		events = append(events, [2]string{"turn/start", `{"turn":1}`}, [2]string{"agent/inbox/spliced", `{"target":"` + target + `","start":0,"removedCount":1,"inserted":[]}`})
		if strings.Contains(content, "FAIL") {
			events = append(events, [2]string{"turn/end", `{"turn":1,"reason":{"kind":"error","error":{"message":"failed to read referenced session: not found","code":"UNKNOWN"}}}`})
		} else {
			events = append(events, [2]string{"user/message", "{" + message + "}"}, [2]string{"turn/end", `{"turn":1,"reason":{"kind":"completed"}}`})
		}
	}
	seq := strings.Count(string(text), "\n") - 1
	for i, e := range events {
		surface := ""
		if e[0] == "user/message" {
			surface = `,"surfaceOp":"append"`
		}
		if err := appendLine(path, fmt.Sprintf(`{"type":"%s","seq":%d,"time":1,"data":%s%s}`, e[0], seq+i, e[1], surface)); err != nil {
			return err
		}
	}
	return nil
}
