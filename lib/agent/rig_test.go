package agent_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/model/modeltest"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// rig is an agent on a real log, with everything it told.
type rig struct {
	*agent.Agent
	t     *testing.T
	log   *logwriter.Log
	model *modeltest.Scripted

	mu   sync.Mutex
	told []agent.Event
}

const sessionID = "target"

func openLog(t *testing.T, dir string) *logwriter.Log {
	t.Helper()
	root, err := logwriter.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	cwd := "/home/dev/api"
	log, err := root.Open(logwriter.Options{ID: sessionID, Cwd: &cwd, Now: func() time.Time { return time.UnixMilli(1_800_000_000_000) }})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func start(t *testing.T, o agent.Options, replies ...modeltest.Reply) *rig {
	t.Helper()
	r := &rig{t: t, log: openLog(t, t.TempDir()+"/root"), model: modeltest.New(replies...)}
	r.begin(o)
	t.Cleanup(func() { r.log.Close() })
	return r
}

func (r *rig) begin(o agent.Options) {
	r.t.Helper()
	o.SessionID = sessionID
	if o.Log == nil {
		o.Log = r.log
	}
	if o.Model == nil {
		o.Model = r.model
	}
	on := o.On
	o.On = func(e agent.Event) {
		if on != nil {
			on(e)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.told = append(r.told, e)
	}
	a, err := agent.New(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Agent = a
	r.t.Cleanup(func() { a.Dispose() })
}

func (r *rig) send(m agent.Message) agent.Record {
	r.t.Helper()
	rec, err := r.Send(r.t.Context(), m)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}

func (r *rig) settle() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	if err := r.WhenIdle(ctx); err != nil {
		r.t.Fatalf("not idle: %v", err)
	}
}

// log lines: what a person would write down of each event.
func (r *rig) lines() []string {
	r.t.Helper()
	var out []string
	for ev, err := range r.log.Events() {
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, describe(ev))
	}
	return out
}

func describe(ev session.Event) string {
	m := session.MessageOf(ev)
	switch ev.Type {
	case "turn/start":
		return fmt.Sprintf("turn %s start %s", ev.Data.Get("turn").Raw(), ev.Data.Get("trigger", "kind").Raw())
	case "turn/end":
		return fmt.Sprintf("turn %s end %s", ev.Data.Get("turn").Raw(), ev.Data.Get("reason").Raw())
	case "step/start", "step/end":
		return fmt.Sprintf("%s %s.%s", ev.Type, ev.Data.Get("turn").Raw(), ev.Data.Get("step").Raw())
	case "prompt/blocked", "session/title", "dsh-toolkit/delivery":
		return ev.Type + " " + ev.Data.Raw()
	case "assistant/chunk":
		return ev.Type + " " + ev.Data.Get("chunk").Raw()
	}
	var texts []string
	for b := range m.Content.Elements() {
		texts = append(texts, b.Get("text").Raw())
	}
	return ev.Type + " " + strings.Join(texts, " ")
}

func (r *rig) wantLines(want ...string) {
	r.t.Helper()
	if got := strings.Join(r.lines(), "\n"); got != strings.Join(want, "\n") {
		r.t.Errorf("log\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// wantRebuilt checks that the log alone gives back what the model was asked.
func (r *rig) wantRebuilt() {
	r.t.Helper()
	wantSameRequests(r.t, r.log.Events(), r.model.Asked())
}

func wantSameRequests(t *testing.T, events iter.Seq2[session.Event, error], asked []agent.Request) {
	t.Helper()
	var rebuilt []string
	for q, err := range agent.Requests(sessionID, events) {
		if err != nil {
			t.Fatal(err)
		}
		rebuilt = append(rebuilt, showRequest(q))
	}
	var want []string
	for _, q := range asked {
		want = append(want, showRequest(q))
	}
	if got, want := strings.Join(rebuilt, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("rebuilt\n%s\nasked\n%s", got, want)
	}
}

func showRequest(q agent.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %d.%d fresh %d", q.SessionID, q.Turn, q.Step, q.Fresh)
	for _, m := range q.Messages {
		b.WriteString("\n  " + m.JSON())
	}
	return b.String()
}

func (r *rig) events() []agent.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]agent.Event(nil), r.told...)
}

func (r *rig) wantTold(want ...string) {
	r.t.Helper()
	var got []string
	for _, e := range r.events() {
		got = append(got, tell(e))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		r.t.Errorf("told\n%s\nwant\n%s", g, w)
	}
}

func tell(e agent.Event) string {
	switch e := e.(type) {
	case agent.Queued:
		return fmt.Sprintf("queued %s %s steering=%v", e.Record.Kind, e.Record.Content.Raw(), e.Record.Kind == inbox.Steer)
	case agent.Dropped:
		return fmt.Sprintf("dropped %d", len(e.Records))
	case agent.TurnStarted:
		return fmt.Sprintf("turn %d", e.Turn)
	case agent.Blocked:
		return fmt.Sprintf("blocked %d %q", e.Turn, e.Reason)
	case agent.Appended:
		return "appended " + describe(e.Event)
	case agent.StepStarted:
		return fmt.Sprintf("step %d.%d", e.Turn, e.Step)
	case agent.TextDelta:
		return fmt.Sprintf("delta %d.%d %q", e.Turn, e.Step, e.Text)
	case agent.StepEnded:
		return fmt.Sprintf("step end %d.%d", e.Turn, e.Step)
	case agent.TurnEnded:
		return fmt.Sprintf("turn end %d %s %v", e.Turn, e.Reason, e.Err)
	case agent.Idle:
		return "idle"
	case agent.Stopped:
		return fmt.Sprintf("stopped %v", e.Err)
	}
	return fmt.Sprintf("%T", e)
}

func text(s string) agent.Message { return agent.Message{Content: session.TextContent(s)} }

const snapshot = `{"content":[{"type":"text","text":"<snapshot>"}],"source":{"kind":"plugin","plugin":"session-reference"},"placement":"prompt-prefix","meta":{"kind":"session-reference","version":1}}`

const note = `{"content":[{"type":"text","text":"a note"}],"source":{"kind":"plugin","plugin":"watcher"},"meta":{"n":1}}`

func withContexts(s string, contexts ...string) agent.Message {
	return agent.Message{Content: session.TextContent(s), Contexts: jstext.MustParse("[" + strings.Join(contexts, ",") + "]")}
}
