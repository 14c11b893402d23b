package cmd_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func init() {
	scriptCommands["chatserver"] = chatServer
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
