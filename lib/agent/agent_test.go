package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/model/modeltest"
	"github.com/dsh-toolkit/dsh/lib/session"
)

func TestTurn(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Reply{Pieces: []string{"It is ", "done."}}, modeltest.Text("Again."))
	r.settle()
	r.send(withContexts("Port the fix to this module, please", snapshot, note))
	r.settle()
	r.send(text("Once more"))
	r.settle()
	r.wantLines(
		`turn 1 start "message"`,
		`user/message "<snapshot>" "\n\n## My request:\n" "Port the fix to this module, please"`,
		`dsh-toolkit/delivery {"turn":1,"meta":{"n":1}}`,
		`user/message "a note"`,
		`session/title {"title":"Port the fix to this","messageSeqs":[1],"source":{"kind":"fallback"}}`,
		`step/start 1.1`,
		`assistant/message "It is done."`,
		`step/end 1.1`,
		`turn 1 end {"kind":"completed"}`,
		`turn 2 start "message"`,
		`user/message "Once more"`,
		`step/start 2.1`,
		`assistant/message "Again."`,
		`step/end 2.1`,
		`turn 2 end {"kind":"completed"}`,
	)
	r.wantRebuilt()
	asked := r.model.Asked()
	if got := showRequest(asked[0]); got != `"target" 1.1 fresh 2`+"\n"+
		`  {"role":"user","content":[{"type":"text","text":"<snapshot>"},{"type":"text","text":"\n\n## My request:\n"},{"type":"text","text":"Port the fix to this module, please"}]}`+"\n"+
		`  {"role":"user","content":[{"type":"text","text":"a note"}]}` {
		t.Errorf("asked %s", got)
	}
	if err := r.Dispose(); err != nil {
		t.Fatal(err)
	}
	r.wantTold(
		"idle",
		`queued send [{"type":"text","text":"Port the fix to this module, please"}] steering=false`,
		"turn 1",
		`appended user/message "<snapshot>" "\n\n## My request:\n" "Port the fix to this module, please"`,
		`appended user/message "a note"`,
		"step 1.1",
		`delta 1.1 "It is "`,
		`delta 1.1 "done."`,
		`appended assistant/message "It is done."`,
		"step end 1.1",
		"turn end 1 completed <nil>",
		"idle",
		`queued send [{"type":"text","text":"Once more"}] steering=false`,
		"turn 2",
		`appended user/message "Once more"`,
		"step 2.1",
		`delta 2.1 "Again."`,
		`appended assistant/message "Again."`,
		"step end 2.1",
		"turn end 2 completed <nil>",
		"idle",
		"stopped <nil>",
	)
}

// Whoever has waited for the agent comes behind its Idle, also where a host takes
// its time with that.
func TestIdleIsToldFirst(t *testing.T) {
	var idle atomic.Int32
	r := start(t, agent.Options{On: func(e agent.Event) {
		if _, ok := e.(agent.Idle); ok {
			time.Sleep(20 * time.Millisecond)
			idle.Add(1)
		}
	}}, modeltest.Text("1"), modeltest.Text("2"))
	for n := range int32(3) {
		if n > 0 {
			r.send(text("again"))
		}
		r.settle()
		if got := idle.Load(); got != n+1 {
			t.Fatalf("told Idle %d times, want %d", got, n+1)
		}
	}
}

// The envelope keeps what was typed apart from what was baked in.
func TestEnvelope(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Text("ok"))
	r.send(withContexts("Hello", snapshot))
	r.settle()
	nodes := r.Surface().Events
	if len(nodes) != 2 {
		t.Fatalf("%d nodes", len(nodes))
	}
	want := `{"content":[{"type":"text","text":"<snapshot>"},{"type":"text","text":"\n\n## My request:\n"},{"type":"text","text":"Hello"}],` +
		`"source":{"kind":"user"},"envelope":{"displayContent":[{"type":"text","text":"Hello"}],` +
		`"prefixContexts":[{"source":{"kind":"plugin","plugin":"session-reference"},"meta":{"kind":"session-reference","version":1}}]}}`
	if got := nodes[0].Data.Raw(); got != want {
		t.Errorf("data\n%s\nwant\n%s", got, want)
	}
}

func TestQueuedWait(t *testing.T) {
	first := modeltest.Held("one")
	r := start(t, agent.Options{}, first, modeltest.Text("two"), modeltest.Text("three"))
	r.send(text("A"))
	<-first.Asked
	r.send(text("B"))
	r.send(text("C"))
	close(first.Until)
	r.settle()
	r.wantRebuilt()
	var prompts []string
	for _, q := range r.model.Asked() {
		prompts = append(prompts, q.Messages[len(q.Messages)-1].Get("content").Raw())
	}
	want := `[{"type":"text","text":"A"}] [{"type":"text","text":"B"}] [{"type":"text","text":"C"}]`
	if got := strings.Join(prompts, " "); got != want {
		t.Errorf("order %s", got)
	}
}

func TestSteer(t *testing.T) {
	first, second := modeltest.Held("thinking"), modeltest.Held("more")
	r := start(t, agent.Options{}, first, second, modeltest.Text("done"), modeltest.Text("queued answer"))
	r.send(text("A"))
	<-first.Asked
	r.send(text("B")) // waits, though it came before what steers
	for i, m := range []agent.Message{withContexts("steer 1", snapshot, note), text("steer 2")} {
		m.ID = fmt.Sprint("s", i+1)
		if _, err := r.Steer(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	close(first.Until)
	<-second.Asked
	third := text("steer 3")
	third.ID = "s3"
	if _, err := r.Steer(t.Context(), third); err != nil {
		t.Fatal(err)
	}
	close(second.Until)
	r.settle()
	r.wantLines(
		`turn 1 start "message"`,
		`user/message "A"`,
		`session/title {"title":"A","messageSeqs":[1],"source":{"kind":"fallback"}}`,
		`step/start 1.1`,
		`assistant/message "thinking"`,
		`dsh-toolkit/delivery {"turn":1,"recordId":"s1"}`,
		`steering/message "<snapshot>" "\n\n## My request:\n" "steer 1"`,
		`dsh-toolkit/delivery {"turn":1,"meta":{"n":1}}`,
		`user/message "a note"`,
		`dsh-toolkit/delivery {"turn":1,"recordId":"s2"}`,
		`steering/message "steer 2"`,
		`step/end 1.1`,
		`step/start 1.2`,
		`assistant/message "more"`,
		`dsh-toolkit/delivery {"turn":1,"recordId":"s3"}`,
		`steering/message "steer 3"`,
		`step/end 1.2`,
		`step/start 1.3`,
		`assistant/message "done"`,
		`step/end 1.3`,
		`turn 1 end {"kind":"completed"}`,
		`turn 2 start "message"`,
		`user/message "B"`,
		`step/start 2.1`,
		`assistant/message "queued answer"`,
		`step/end 2.1`,
		`turn 2 end {"kind":"completed"}`,
	)
	r.wantRebuilt()
	if got := r.model.Asked()[1].Fresh; got != 3 {
		t.Errorf("fresh %d, want 3: two that steered and a context", got)
	}
}

// Steering bypasses the listeners; a message that is sent does not.
func TestSteerBypassesHooks(t *testing.T) {
	var seen []string
	hook := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		seen = append(seen, p.Content.Raw())
		return next(ctx)
	}
	first := modeltest.Held("x")
	r := start(t, agent.Options{Hooks: []agent.Hook{hook}}, first, modeltest.Text("y"))
	r.send(text("A"))
	<-first.Asked
	if _, err := r.Steer(t.Context(), text("S")); err != nil {
		t.Fatal(err)
	}
	close(first.Until)
	r.settle()
	if got := strings.Join(seen, " "); got != `[{"type":"text","text":"A"}]` {
		t.Errorf("the listener saw %s", got)
	}
}

func TestSteerWhileIdleIsASend(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Text("x"))
	r.settle()
	rec, err := r.Steer(t.Context(), text("A"))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Kind != inbox.Send {
		t.Errorf("kind %q", rec.Kind)
	}
	r.settle()
	if got := r.lines()[1]; got != `user/message "A"` {
		t.Errorf("logged %s", got)
	}
}

// What steers too late waits like any other message, the same record.
func TestSteerTooLate(t *testing.T) {
	failing := modeltest.Held("partial")
	failing.Err = errors.New("the line broke")
	r := start(t, agent.Options{}, failing, modeltest.Text("later"))
	r.send(text("A"))
	<-failing.Asked
	steer, err := r.Steer(t.Context(), withContexts("S", snapshot))
	if err != nil {
		t.Fatal(err)
	}
	close(failing.Until)
	r.settle()
	r.wantLines(
		`turn 1 start "message"`,
		`user/message "A"`,
		`session/title {"title":"A","messageSeqs":[1],"source":{"kind":"fallback"}}`,
		`step/start 1.1`,
		`assistant/chunk {"type":"text-delta","index":0,"text":"partial"}`,
		`step/end 1.1`,
		`turn 1 end {"kind":"error","error":{"code":"FAILED","message":"the line broke"}}`,
		`turn 2 start "message"`,
		`user/message "<snapshot>" "\n\n## My request:\n" "S"`,
		`step/start 2.1`,
		`assistant/message "later"`,
		`step/end 2.1`,
		`turn 2 end {"kind":"completed"}`,
	)
	r.wantRebuilt()
	for _, e := range r.events() {
		if s, ok := e.(agent.TurnStarted); ok && s.Turn == 2 && s.Record.ID != steer.ID {
			t.Errorf("turn 2 is of record %s, want %s", s.Record.ID, steer.ID)
		}
	}
}

func TestInject(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Text("x"))
	rec, err := r.Inject(t.Context(), agent.Message{
		Content: session.TextContent("the build broke"), Source: jstext.MustParse(`{"kind":"plugin","plugin":"watcher"}`), Meta: jstext.MustParse(`{"at":1}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.settle()
	r.send(text("Why?"))
	r.settle()
	r.wantLines(
		`turn 1 start "injection"`,
		`dsh-toolkit/delivery {"turn":1,"recordId":"`+rec.ID+`","meta":{"at":1}}`,
		`user/message "the build broke"`,
		`turn 1 end {"kind":"completed"}`,
		`turn 2 start "message"`,
		`user/message "Why?"`,
		`session/title {"title":"Why?","messageSeqs":[5],"source":{"kind":"fallback"}}`,
		`step/start 2.1`,
		`assistant/message "x"`,
		`step/end 2.1`,
		`turn 2 end {"kind":"completed"}`,
	)
	r.wantRebuilt()
	if got, want := r.Surface().Events[0].Data.Raw(), `{"content":[{"type":"text","text":"the build broke"}],"source":{"kind":"plugin","plugin":"watcher"}}`; got != want {
		t.Errorf("data %s, want %s", got, want)
	}
}

func TestCancel(t *testing.T) {
	held := modeltest.Held("so far")
	r := start(t, agent.Options{}, held, modeltest.Text("x"))
	r.send(text("A"))
	<-held.Asked
	r.send(withContexts("B", snapshot))
	if _, err := r.Steer(t.Context(), withContexts("S", snapshot)); err != nil {
		t.Fatal(err)
	}
	if err := r.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.settle()
	r.wantLines(
		`turn 1 start "message"`,
		`user/message "A"`,
		`session/title {"title":"A","messageSeqs":[1],"source":{"kind":"fallback"}}`,
		`step/start 1.1`,
		`assistant/chunk {"type":"text-delta","index":0,"text":"so far"}`,
		`step/end 1.1`,
		`turn 1 end {"kind":"aborted","reason":{"kind":"user"}}`,
	)
	r.send(text("C"))
	r.settle()
	r.wantRebuilt()
	var dropped []agent.Record
	for _, e := range r.events() {
		if d, ok := e.(agent.Dropped); ok {
			dropped = append(dropped, d.Records...)
		}
	}
	if len(dropped) != 2 || dropped[0].Contexts.Len() != 1 || dropped[1].Contexts.Len() != 1 {
		t.Errorf("dropped %v, want two with their contexts", dropped)
	}
}

func TestAbortLeavesTheQueue(t *testing.T) {
	held := modeltest.Held()
	r := start(t, agent.Options{}, held, modeltest.Text("x"))
	r.send(text("A"))
	<-held.Asked
	r.send(text("B"))
	r.Abort()
	r.settle()
	lines := strings.Join(r.lines(), "\n")
	for _, want := range []string{`turn 1 end {"kind":"aborted","reason":{"kind":"user"}}`, `user/message "B"`, `turn 2 end {"kind":"completed"}`} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %s in\n%s", want, lines)
		}
	}
	if strings.Contains(lines, "assistant/chunk") {
		t.Errorf("a chunk of nothing in\n%s", lines)
	}
}

func TestDispose(t *testing.T) {
	held := modeltest.Held()
	r := start(t, agent.Options{}, held)
	r.send(text("A"))
	<-held.Asked
	r.send(withContexts("B", snapshot))
	if err := r.Dispose(); err != nil {
		t.Fatal(err)
	}
	lines := r.lines()
	if got := lines[len(lines)-1]; got != `turn 1 end {"kind":"aborted","reason":{"kind":"dispose"}}` {
		t.Errorf("last line %s", got)
	}
	told := r.events()
	if got := tell(told[len(told)-2]) + ", " + tell(told[len(told)-1]); got != "dropped 1, stopped <nil>" {
		t.Errorf("told %s", got)
	}
	if _, err := r.Send(t.Context(), text("C")); err == nil {
		t.Error("a disposed agent took a message")
	}
	if err := r.WhenIdle(t.Context()); err == nil {
		t.Error("a disposed agent is idle")
	}
	if err := r.Dispose(); err != nil {
		t.Errorf("the second Dispose: %v", err)
	}
}

func TestErrorEndsTheTurn(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Reply{Err: errors.New("no such model")}, modeltest.Text("x"))
	r.send(text("A"))
	r.send(text("B"))
	r.settle()
	lines := strings.Join(r.lines(), "\n")
	if want := `turn 1 end {"kind":"error","error":{"code":"FAILED","message":"no such model"}}`; !strings.Contains(lines, want) {
		t.Errorf("no %s in\n%s", want, lines)
	}
	if !strings.HasSuffix(lines, `turn 2 end {"kind":"completed"}`) {
		t.Errorf("the next message did not get its turn:\n%s", lines)
	}
	r.wantRebuilt()
}

// failingLog fails at its nth append.
type failingLog struct {
	*logwriter.Log
	n int
}

var errFull = errors.New("no space left")

func (f *failingLog) Append(batch ...logwriter.Entry) ([]session.Event, error) {
	if f.n--; f.n == 0 {
		return nil, errFull
	}
	return f.Log.Append(batch...)
}

// An agent whose log fails stops, and lets go of what waits with its contexts.
func TestTerminalStop(t *testing.T) {
	held := modeltest.Held("x")
	r := &rig{t: t, log: openLog(t, t.TempDir()+"/root"), model: modeltest.New(held)}
	defer r.log.Close()
	r.begin(agent.Options{Log: &failingLog{r.log, 3}})
	r.send(text("A"))
	<-held.Asked
	r.send(withContexts("B", snapshot))
	close(held.Until)
	if err := r.WhenIdle(t.Context()); !errors.Is(err, errFull) {
		t.Errorf("WhenIdle: %v", err)
	}
	if _, err := r.Send(t.Context(), text("C")); !errors.Is(err, errFull) {
		t.Errorf("Send: %v", err)
	}
	if err := r.Dispose(); !errors.Is(err, errFull) {
		t.Errorf("Dispose: %v", err)
	}
	told := r.events()
	if got := tell(told[len(told)-2]) + ", " + tell(told[len(told)-1]); got != "dropped 1, stopped no space left" {
		t.Errorf("told %s", got)
	}
}

func TestMalformedIsNotVisible(t *testing.T) {
	r := start(t, agent.Options{})
	r.settle()
	parse := jstext.MustParse
	for name, m := range map[string]agent.Message{
		"no content":          {},
		"content a string":    {Content: parse(`"x"`)},
		"block without type":  {Content: parse(`[{"text":"x"}]`)},
		"text block no text":  {Content: parse(`[{"type":"text"}]`)},
		"source no kind":      {Content: session.TextContent("x"), Source: parse(`{}`)},
		"source a string":     {Content: session.TextContent("x"), Source: parse(`"user"`)},
		"contexts an object":  {Content: session.TextContent("x"), Contexts: parse(`{}`)},
		"context no content":  {Content: session.TextContent("x"), Contexts: parse(`[{"source":{"kind":"user"}}]`)},
		"context no source":   {Content: session.TextContent("x"), Contexts: parse(`[{"content":[]}]`)},
		"placement no string": {Content: session.TextContent("x"), Contexts: parse(`[{"content":[],"source":{"kind":"user"},"placement":1}]`)},
		"meta on a send":      {Content: session.TextContent("x"), Meta: parse(`1`)},
		"minus zero":          {Content: parse(`[{"type":"x","n":-0}]`)},
		"too many digits":     {Content: session.TextContent("x"), Source: parse(`{"kind":"user","n":9007199254740993}`)},
	} {
		if _, err := r.Send(t.Context(), m); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := r.Inject(t.Context(), withContexts("x", note)); err == nil {
		t.Error("an injected message with contexts was taken")
	}
	r.settle()
	r.wantTold("idle")
	if got := r.lines(); len(got) != 0 {
		t.Errorf("log %v", got)
	}
}

// A record is lossless: half surrogates, key order and large numbers included.
func TestLossless(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Text("\xed\xa0\xbd"), modeltest.Reply{Pieces: []string{"\xed\xa0\xbd", "\xed\xb8\x80"}})
	r.send(agent.Message{Content: jstext.MustParse(`[{"type":"text","text":"\ud800"},{"type":"custom","z":9007199254740991,"a":[null]}]`)})
	r.settle()
	r.send(text("again"))
	r.settle()
	r.wantRebuilt()
	nodes := r.Surface().Events
	if got, want := nodes[0].Data.Get("content").Raw(), `[{"type":"text","text":"\ud800"},{"type":"custom","z":9007199254740991,"a":[null]}]`; got != want {
		t.Errorf("content %s, want %s", got, want)
	}
	if got, want := nodes[1].Data.Get("content").Raw(), `[{"type":"text","text":"\ud83d"}]`; got != want {
		t.Errorf("answer %s, want %s", got, want)
	}
	if got, want := nodes[3].Data.Get("content").Raw(), `[{"type":"text","text":"😀"}]`; got != want {
		t.Errorf("answer %s, want %s", got, want)
	}
}

func TestEmptyAnswer(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Reply{}, modeltest.Text("x"))
	r.send(text("A"))
	r.send(text("B"))
	r.settle()
	r.wantRebuilt()
	if got := r.Surface().Events[1].Data.Get("content").Raw(); got != "[]" {
		t.Errorf("content %s", got)
	}
	if got := len(r.model.Asked()[1].Messages); got != 2 {
		t.Errorf("%d messages, want the two prompts: an empty answer is none", got)
	}
}

// Titles are made from what a person typed, once.
func TestTitles(t *testing.T) {
	for _, c := range []struct {
		name string
		msgs []agent.Message
		want string
	}{
		{"display content", []agent.Message{withContexts("Fix it now", snapshot)}, `"Fix it now"`},
		{"first with words", []agent.Message{text(" \n"), text("Then this"), text("Not this")}, `"Then this"`},
		{"not of a plugin", []agent.Message{{Content: session.TextContent("robot"), Source: jstext.MustParse(`{"kind":"plugin","plugin":"x"}`)}, text("Person")}, `"Person"`},
		{"of nobody", []agent.Message{{Content: jstext.MustParse("[]")}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, agent.Options{}, modeltest.Text("x"), modeltest.Text("x"), modeltest.Text("x"))
			for _, m := range c.msgs {
				r.send(m)
			}
			r.settle()
			var got []string
			for ev := range r.log.Events() {
				if ev.Type == "session/title" {
					got = append(got, ev.Data.Get("title").Raw())
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("titles %s, want %s", got, c.want)
			}
		})
	}
}

// Many senders at once: every message gets one turn, and the log is whole.
func TestManySenders(t *testing.T) {
	const senders, each = 8, 6
	replies := make([]modeltest.Reply, senders*each)
	for i := range replies {
		replies[i] = modeltest.Text("ok")
	}
	r := start(t, agent.Options{}, replies...)
	var wg sync.WaitGroup
	for s := range senders {
		wg.Go(func() {
			for i := range each {
				if _, err := r.Send(t.Context(), text(fmt.Sprintf("%d/%d", s, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	r.settle()
	next := make(map[string]int)
	n := 0
	for _, node := range r.Surface().Events {
		m := session.MessageOf(node)
		if m.Role != session.User {
			continue
		}
		sender, number, _ := strings.Cut(session.Text(m.Content), "/")
		if number != fmt.Sprint(next[sender]) {
			t.Errorf("sender %s: message %s, want %d", sender, number, next[sender])
		}
		next[sender]++
		n++
	}
	if n != senders*each {
		t.Errorf("%d messages", n)
	}
	r.wantRebuilt()
}
