package cmd_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func init() { scriptCommands["dshserver"] = dshServer }

// dshserver ROOT REQUESTS is a running dsh at $DSH_WEB_URL. What is sent to a session
// whose log is below ROOT is accepted, logged as dsh 0.1.0-rc.8 was seen to log it, and
// appended to the file REQUESTS. A session that has no log is refused as not found,
// except that of one called new the log is made 300 ms later. A text that says
//
//	FAIL  ends its turn with an error before it is a message
//	HOLD  stays in the queue until something steers
//	IDLE  stays in the queue, and no turn runs
//	DROP  stays in the queue until somebody drops it there
//	GONE  stays in the queue, and the server goes away
//	LOST  is accepted, and the server goes away before it is logged
func dshServer(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "dshserver root requests")
	d := &fakeDsh{ts: ts, root: ts.MkAbs(args[0]), requests: ts.MkAbs(args[1])}
	server := serveScript(ts, "DSH_WEB_URL", d)
	d.leave = sync.OnceFunc(func() { go server.Close() })
}

type fakeDsh struct {
	ts             *testscript.TestScript
	root, requests string
	leave          func()

	mu   sync.Mutex
	idle bool
	held string // the message that is held
}

func (d *fakeDsh) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	v, err := jstext.Parse(string(body))
	if err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	result := ""
	switch r.URL.Path {
	case "/api/session.prompt":
		result = d.prompt(v, string(body))
	case "/api/session.list":
		result = fmt.Sprintf(`{"ok":true,"value":{"items":[{"sessionId":"live","running":%v}]}}`, !d.idle)
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	fmt.Fprintf(w, `{"type":"server-response","rpcId":%s,"result":%s}`, v.Get("rpcId").Raw(), result)
}

func (d *fakeDsh) prompt(v jstext.Value, body string) (result string) {
	id, _ := v.Get("payload", "sessionId").Text()
	path, err := sessionLog(d.root, id)
	if err != nil {
		return `{"ok":false,"error":{"code":"session-not-found"}}`
	}
	_ = appendLine(d.requests, body)
	if strings.Contains(body, "GONE") || strings.Contains(body, "LOST") {
		d.leave()
	}
	if !strings.Contains(body, "LOST") {
		time.AfterFunc(map[string]time.Duration{"new": 300 * time.Millisecond}[id], func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if err := d.log(path, v); err != nil {
				complain(d.ts, "dshserver: %v", err)
			}
		})
	}
	return `{"ok":true,"value":{"accepted":true}}`
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

// log logs a prompt: queued, taken, written down, answered by nobody.
func (d *fakeDsh) log(path string, request jstext.Value) error {
	content := request.Get("payload", "content").Raw()
	message := fmt.Sprintf(`{"content":%s,"source":{"kind":"user","rpcId":%s},"role":"user","id":"x"}`, content, request.Get("rpcId").Raw())
	target := "next-turn"
	if request.Get("payload", "mode").Is("steer") {
		target = "next-step"
	}
	says := func(word string) bool { return strings.Contains(content, word) }
	d.idle = says("IDLE")
	l := eventLog{path: path}
	l.add("agent/inbox/spliced", `{"target":"`+target+`","start":0,"inserted":[`+message+`]}`)
	switch {
	case says("HOLD"):
		d.held = message
	case says("DROP"):
		l.add("agent/inbox/spliced", `{"target":"`+target+`","start":0,"removedCount":1,"inserted":[],"outcome":"canceled"}`)
	case says("IDLE"), says("GONE"):
	case says("FAIL"):
		l.turn(target, "", `{"kind":"error","error":{"message":"failed to read referenced session: not found","code":"UNKNOWN"}}`)
	default:
		l.turn(target, message, `{"kind":"completed"}`)
		if d.held != "" && target == "next-step" {
			l.turn("next-turn", d.held, `{"kind":"completed"}`)
			d.held = ""
		}
	}
	return l.err
}

// eventLog is a log that is added to.
type eventLog struct {
	path string
	err  error
}

// turn adds a turn that takes the first message of a queue, and writes it down unless
// it is empty.
func (l *eventLog) turn(target, message, reason string) {
	l.add("turn/start", `{"turn":1}`)
	l.add("agent/inbox/spliced", `{"target":"`+target+`","start":0,"removedCount":1,"inserted":[]}`)
	if message != "" {
		l.add("user/message", message)
	}
	l.add("turn/end", `{"turn":1,"reason":`+reason+`}`)
}

func (l *eventLog) add(typ, data string) {
	text, err := os.ReadFile(l.path)
	if errors.Is(err, os.ErrNotExist) {
		text = []byte(`{"type":"session","version":0,"id":"new","createdAt":1,"cwd":"/p","delegationDepth":0}` + "\n")
		if err = os.MkdirAll(filepath.Dir(l.path), 0o700); err == nil {
			err = os.WriteFile(l.path, text, 0o600)
		}
	}
	if err == nil {
		surface := ""
		if typ == "user/message" {
			surface = `,"surfaceOp":"append"`
		}
		err = appendLine(l.path, fmt.Sprintf(`{"type":"%s","seq":%d,"time":1,"data":%s%s}`, typ, strings.Count(string(text), "\n")-1, data, surface))
	}
	l.err = errors.Join(l.err, err)
}
