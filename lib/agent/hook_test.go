package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/model/modeltest"
	"github.com/dsh-toolkit/dsh/lib/session"
)

func contexts(c ...string) jstext.Value { return jstext.MustParse("[" + strings.Join(c, ",") + "]") }

func pass(ctx context.Context, _ agent.Prompt, next agent.Next) (agent.Decision, error) {
	return next(ctx)
}

func TestWaterfall(t *testing.T) {
	upper := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		d, err := next(ctx)
		d.Content = session.TextContent("UPPER")
		return d, err
	}
	add := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		d, err := next(ctx)
		var all []string
		for c := range d.AdditionalContexts.Elements() {
			all = append(all, c.Raw())
		}
		d.AdditionalContexts = contexts(append(all, note)...)
		return d, err
	}
	drop := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		return agent.Decision{}, nil
	}
	lower := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		d, err := next(ctx)
		d.Content = session.TextContent("lower")
		return d, err
	}
	block := func(context.Context, agent.Prompt, agent.Next) (agent.Decision, error) {
		return agent.Decision{Block: true, Reason: "not on Fridays"}, nil
	}
	allow := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		d, err := next(ctx)
		d.Block = false
		return d, err
	}
	for _, c := range []struct {
		name  string
		hooks []agent.Hook
		want  string
	}{
		{"none", nil, `user/message "<snapshot>" "\n\n## My request:\n" "Hello"`},
		{"preserved", []agent.Hook{pass, pass}, `user/message "<snapshot>" "\n\n## My request:\n" "Hello"`},
		{"rewrite reaches both views", []agent.Hook{upper}, `user/message "<snapshot>" "\n\n## My request:\n" "UPPER"`},
		{"the outermost wins", []agent.Hook{upper, lower}, `user/message "<snapshot>" "\n\n## My request:\n" "UPPER"`},
		{"the outermost may leave it", []agent.Hook{pass, lower}, `user/message "<snapshot>" "\n\n## My request:\n" "lower"`},
		{"added context", []agent.Hook{add}, `user/message "<snapshot>" "\n\n## My request:\n" "Hello"` + "\n" +
			`dsh-toolkit/delivery {"turn":1,"meta":{"n":1}}` + "\n" + `user/message "a note"`},
		{"contexts not handed on", []agent.Hook{drop}, `user/message "Hello"`},
		{"block overruled", []agent.Hook{allow, block}, `user/message "Hello"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, agent.Options{Hooks: c.hooks}, modeltest.Text("x"))
			r.send(withContexts("Hello", snapshot))
			r.settle()
			if got := strings.Join(r.lines(), "\n"); !strings.Contains(got, c.want+"\nsession/title") {
				t.Errorf("log\n%s\nwant in it\n%s", got, c.want)
			}
			for _, n := range r.Surface().Events {
				if d := n.Data.Get("envelope", "displayContent"); c.name == "rewrite reaches both views" && d.Exists() && d.Raw() != session.TextContent("UPPER").Raw() {
					t.Errorf("display content %s", d.Raw())
				}
			}
			r.wantRebuilt()
		})
	}
}

// A blocked prompt leaves neither the message nor its contexts, and asks nothing.
func TestBlock(t *testing.T) {
	inner := 0
	block := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		if p.Content.Raw() != session.TextContent("bad").Raw() {
			return next(ctx)
		}
		return agent.Decision{Block: true, Reason: "no \xed\xa0\x80 <here>"}, nil
	}
	count := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		inner++
		return next(ctx)
	}
	r := start(t, agent.Options{Hooks: []agent.Hook{block, count}}, modeltest.Text("x"))
	r.send(withContexts("bad", snapshot, note))
	r.send(text("good"))
	r.settle()
	r.wantLines(
		`turn 1 start "message"`,
		`prompt/blocked {"turn":1,"reason":"no \ud800 <here>"}`,
		`turn 1 end {"kind":"rejected"}`,
		`turn 2 start "message"`,
		`user/message "good"`,
		`session/title {"title":"good","messageSeqs":[4],"source":{"kind":"fallback"}}`,
		`step/start 2.1`,
		`assistant/message "x"`,
		`step/end 2.1`,
		`turn 2 end {"kind":"completed"}`,
	)
	r.wantRebuilt()
	if inner != 1 {
		t.Errorf("the inner listener ran %d times", inner)
	}
	told := r.events()
	var blocked []string
	for _, e := range told {
		if b, ok := e.(agent.Blocked); ok {
			blocked = append(blocked, b.Reason)
		}
	}
	if len(blocked) != 1 || blocked[0] != "no \xed\xa0\x80 <here>" {
		t.Errorf("told blocked %q", blocked)
	}
}

func TestHookFails(t *testing.T) {
	for _, c := range []struct {
		name string
		hook agent.Hook
		want string
	}{
		{"error", func(context.Context, agent.Prompt, agent.Next) (agent.Decision, error) {
			return agent.Decision{}, errors.New("crashed")
		}, `"crashed"`},
		{"malformed content", func(context.Context, agent.Prompt, agent.Next) (agent.Decision, error) {
			return agent.Decision{Content: jstext.MustParse(`{}`)}, nil
		}, `"content: not an array of blocks"`},
		{"malformed contexts", func(context.Context, agent.Prompt, agent.Next) (agent.Decision, error) {
			return agent.Decision{AdditionalContexts: jstext.MustParse(`[1]`)}, nil
		}, `"contexts[0]: not a context`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, agent.Options{Hooks: []agent.Hook{pass, c.hook}})
			r.send(withContexts("A", snapshot))
			r.settle()
			lines := r.lines()
			if len(lines) != 2 || !strings.HasPrefix(lines[1], `turn 1 end {"kind":"error"`) || !strings.Contains(lines[1], c.want) {
				t.Errorf("log %q, want an error %s and nothing else", lines, c.want)
			}
			if n := len(r.model.Asked()); n != 0 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestCancelDuringHook(t *testing.T) {
	entered := make(chan struct{})
	slow := func(ctx context.Context, _ agent.Prompt, _ agent.Next) (agent.Decision, error) {
		close(entered)
		<-ctx.Done()
		return agent.Decision{}, context.Cause(ctx)
	}
	r := start(t, agent.Options{Hooks: []agent.Hook{slow}})
	r.send(withContexts("A", snapshot))
	<-entered
	if err := r.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.settle()
	r.wantLines(`turn 1 start "message"`, `turn 1 end {"kind":"aborted","reason":{"kind":"user"}}`)
}

// What a listener is shown is the message before any baking.
func TestHookSees(t *testing.T) {
	var seen agent.Prompt
	look := func(ctx context.Context, p agent.Prompt, next agent.Next) (agent.Decision, error) {
		seen = p
		return next(ctx)
	}
	r := start(t, agent.Options{Hooks: []agent.Hook{look}}, modeltest.Text("x"))
	r.send(withContexts("A", snapshot, note))
	r.settle()
	if seen.SessionID != sessionID || seen.Turn != 1 || seen.Content.Raw() != session.TextContent("A").Raw() ||
		seen.Source.Raw() != `{"kind":"user"}` || seen.Contexts.Raw() != "["+snapshot+","+note+"]" {
		t.Errorf("saw %+v", seen)
	}
}
