package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/model/modeltest"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/vectors"
)

// restart gives the log of an earlier agent to a new one, as the next process
// would open it.
func (r *rig) restart(o agent.Options, replies ...modeltest.Reply) *rig {
	r.t.Helper()
	dir := strings.TrimSuffix(r.log.Path(), "/--home-dev-api--/target/session.jsonl")
	if err := r.log.Close(); err != nil {
		r.t.Fatal(err)
	}
	next := &rig{t: r.t, log: openLog(r.t, dir), model: modeltest.New(replies...)}
	next.begin(o)
	r.t.Cleanup(func() { next.log.Close() })
	return next
}

// cutLog loses what comes after n appends, as a crash would.
type cutLog struct {
	*logwriter.Log
	n int
}

func (c *cutLog) Append(batch ...logwriter.Entry) ([]session.Event, error) {
	if c.n == 0 {
		return nil, errFull
	}
	c.n--
	return c.Log.Append(batch...)
}

// A crash after any batch of a turn: when the record comes again, a turn that had
// ended is not run again, and any other is, once, beside at most one that shows as
// interrupted.
func TestCrashAfterEachBatch(t *testing.T) {
	for n := range 4 {
		t.Run(string(rune('0'+n)), func(t *testing.T) {
			r := &rig{t: t, log: openLog(t, t.TempDir()+"/root"), model: modeltest.New(modeltest.Text("first"))}
			r.begin(agent.Options{Log: &cutLog{r.log, n}})
			rec := r.send(agent.Message{ID: "record-1", Content: session.TextContent("A")})
			_ = r.WhenIdle(t.Context())
			_ = r.Dispose()

			again := r.restart(agent.Options{}, modeltest.Text("second"))
			again.send(agent.Message{ID: rec.ID, Content: rec.Content})
			again.settle()
			log := strings.Join(again.lines(), "\n")
			done := strings.Count(log, `end {"kind":"completed"}`)
			interrupted := strings.Count(log, `end {"kind":"interrupted"}`)
			wantInterrupted := 1
			if n == 0 || n == 3 {
				wantInterrupted = 0
			}
			if done != 1 || interrupted != wantInterrupted {
				t.Errorf("%d completed, %d interrupted, want 1, %d:\n%s", done, interrupted, wantInterrupted, log)
			}
			if asked := len(again.model.Asked()); (asked == 0) != (n == 3) {
				t.Errorf("asked %d times after batch %d", asked, n)
			}
		})
	}
}

// A record that steered, or was injected, is in the log by itself.
func TestSettledBySteeringAndInjection(t *testing.T) {
	held := modeltest.Held("a")
	r := start(t, agent.Options{}, held, modeltest.Text("b"))
	r.send(agent.Message{ID: "send", Content: session.TextContent("A")})
	<-held.Asked
	if _, err := r.Steer(t.Context(), agent.Message{ID: "steer", Content: session.TextContent("S")}); err != nil {
		t.Fatal(err)
	}
	close(held.Until)
	r.settle()
	if _, err := r.Inject(t.Context(), agent.Message{ID: "inject", Content: session.TextContent("I")}); err != nil {
		t.Fatal(err)
	}
	r.settle()
	before := r.lines()
	if err := r.Dispose(); err != nil {
		t.Fatal(err)
	}
	again := r.restart(agent.Options{})
	for _, id := range []string{"send", "steer", "inject"} {
		again.send(agent.Message{ID: id, Content: session.TextContent("X")})
	}
	again.settle()
	if got := again.lines(); !slices.Equal(got, before) {
		t.Errorf("log\n%s", strings.Join(got[len(before):], "\n"))
	}
}

// Turns go on counting where the log ends.
func TestTurnsGoOn(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Text("x"))
	r.send(text("A"))
	r.settle()
	if err := r.Dispose(); err != nil {
		t.Fatal(err)
	}
	again := r.restart(agent.Options{}, modeltest.Text("y"))
	again.send(text("B"))
	again.settle()
	lines := again.lines()
	if got := lines[len(lines)-1]; got != `turn 2 end {"kind":"completed"}` {
		t.Errorf("last line %s", got)
	}
	asked := again.model.Asked()
	if len(asked) != 1 || len(asked[0].Messages) != 3 {
		t.Errorf("the second process asked %v", asked)
	}
	wantSameRequests(t, again.log.Events(), append(r.model.Asked(), asked...))
}

// Requests gives, for any log, what vectors/derive.json says of its surface.
func TestRequestsVectors(t *testing.T) {
	vectors.Each(t, "derive.json", func(t *testing.T, c jstext.Value) {
		step := session.ParseEvent(stepStart(int64(c.Get("events").Len())))
		events := func(yield func(session.Event, error) bool) {
			for e := range c.Get("events").Elements() {
				if !yield(session.ParseEvent(e), nil) {
					return
				}
			}
			yield(step, nil)
		}
		var last agent.Request
		for q, err := range agent.Requests("x", events) {
			if err != nil {
				t.Fatal(err)
			}
			last = q
		}
		if got, want := array(last.Messages), c.Get("messages").Raw(); got != want {
			t.Errorf("messages\n%s\nwant\n%s", got, want)
		}
	})
}

func stepStart(seq int64) jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	w.Key("type")
	w.Text("step/start")
	w.Key("seq")
	w.Int(seq)
	w.Key("data")
	w.Raw(jstext.MustParse(`{"turn":1,"step":1}`))
	w.EndObject()
	return w.Value()
}

func TestRequestsBreakOff(t *testing.T) {
	r := start(t, agent.Options{}, modeltest.Text("x"), modeltest.Text("y"))
	r.send(text("A"))
	r.send(text("B"))
	r.settle()
	for range agent.Requests(sessionID, r.log.Events()) {
		break // the sequence must stop asking for more
	}
}

func TestWhenIdleIsCancelled(t *testing.T) {
	held := modeltest.Held()
	r := start(t, agent.Options{}, held)
	r.send(text("A"))
	<-held.Asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.WhenIdle(ctx); err == nil {
		t.Error("WhenIdle did not mind its context")
	}
}

// A crash between any two events, for a record that steered and one that was
// injected with what its message cannot hold: when both records come again, each
// message is in the log once.
func TestCrashBetweenDeliveryAndMessage(t *testing.T) {
	steer := agent.Message{ID: "steer", Content: session.TextContent("S")}
	inject := agent.Message{ID: "inject", Content: session.TextContent("I"), Meta: jstext.MustParse(`{"at":1}`)}
	held := modeltest.Held("a")
	r := start(t, agent.Options{}, held, modeltest.Text("b"))
	r.send(agent.Message{ID: "send", Content: session.TextContent("A")})
	<-held.Asked
	if _, err := r.Steer(t.Context(), steer); err != nil {
		t.Fatal(err)
	}
	close(held.Until)
	r.settle()
	if _, err := r.Inject(t.Context(), inject); err != nil {
		t.Fatal(err)
	}
	r.settle()
	whole, err := os.ReadFile(r.log.Path())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(whole), "\n"), "\n")
	for n := 1; n <= len(lines); n++ {
		path := filepath.Join(t.TempDir(), "root", "--home-dev-api--", sessionID, filepath.Base(r.log.Path()))
		dir := filepath.Dir(filepath.Dir(filepath.Dir(path)))
		openLog(t, dir).Close() // the directories
		if err := os.WriteFile(path, []byte(strings.TrimSuffix(strings.Join(lines[:n], ""), "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		again := &rig{t: t, log: openLog(t, dir), model: modeltest.New(modeltest.Text("x"), modeltest.Text("y"), modeltest.Text("z"))}
		again.begin(agent.Options{})
		again.send(steer) // a new process finds it waiting, and has no turn that it could join
		if _, err := again.Inject(t.Context(), inject); err != nil {
			t.Fatal(err)
		}
		again.settle()
		all := strings.Join(again.lines(), "\n")
		again.log.Close()
		for _, text := range []string{`message "S"`, `message "I"`} {
			if got := strings.Count(all, text); got != 1 {
				t.Errorf("cut after %d lines: %s stands %d times:\n%s", n, text, got, all)
			}
		}
	}
}
