package model_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/model"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// Whatever an endpoint says, what was heard is what the answer is, and is a string.
func FuzzChatEvents(f *testing.F) {
	for _, s := range [][2]string{
		{delta("Hel"), delta("lo")},
		{stop, "[DONE]"},
		{`{"choices":[{"delta":{"content":"\ud83d"}}]}`, `{"choices":[{"delta":{"content":"\ude00"}}]}`},
		{`{"error":{"message":"x"}}`, ""},
		{`{"choices":7,"usage":[]}`, `{"usage":{"prompt_tokens":1e99}}`},
		{"\xff", "{}"},
		{`{"choices":[{"index":1e400,"delta":null,"finish_reason":{}}]}`, `{"choices":[{"finish_reason":"content_filter"}]}`},
	} {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		emitted, text := model.FeedEvents(a, b)
		if emitted != text || !jstext.Valid(text) {
			t.Errorf("%q, %q: heard %q, answer %q", a, b, emitted, text)
		}
	})
}

// The log alone gives back, byte for byte, every request that went over the wire.
func TestRebuiltFromTheLog(t *testing.T) {
	const half = `{"choices":[{"index":0,"delta":{"content":"half \ud800"}}]}`
	steered := make(chan struct{})
	e := serve(t,
		says(delta("one"), stop, "[DONE]"),
		func(w http.ResponseWriter, r *http.Request) {
			say(w, half)
			<-steered
			say(w, stop, "[DONE]")
		},
		says(delta("three"), stop, "[DONE]"),
		says(delta("broken")),
		says(stop, "[DONE]"),
		says(delta("six"), stop, "[DONE]"),
	)
	root, err := logwriter.OpenRoot(filepath.Join(t.TempDir(), "root"))
	if err != nil {
		t.Fatal(err)
	}
	options := logwriter.Options{ID: "s", Now: time.Now}
	log, err := root.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Options{SessionID: "s", Log: log, Model: e.chat(model.ChatOptions{Retries: -1})})
	if err != nil {
		t.Fatal(err)
	}
	context := jstext.MustParse(`[{"content":[{"type":"text","text":"<snapshot> \udfff"}],"source":{"kind":"plugin","plugin":"x"},"placement":"prompt-prefix"},{"content":[{"type":"text","text":"beside"}],"source":{"kind":"plugin","plugin":"y"}}]`)
	do := func(f func() (agent.Record, error)) {
		t.Helper()
		if _, err := f(); err != nil {
			t.Fatal(err)
		}
	}
	send := func(m agent.Message) {
		t.Helper()
		do(func() (agent.Record, error) { return a.Send(t.Context(), m) })
	}
	settle := func() {
		t.Helper()
		if err := a.WhenIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	send(agent.Message{Content: session.TextContent("first"), Contexts: context})
	settle()
	send(agent.Message{Content: session.TextContent("second")})
	for e.requests() < 2 {
		time.Sleep(time.Millisecond)
	}
	do(func() (agent.Record, error) {
		return a.Steer(t.Context(), agent.Message{Content: session.TextContent("steer"), Contexts: context})
	})
	close(steered)
	settle()
	do(func() (agent.Record, error) {
		return a.Inject(t.Context(), agent.Message{Content: session.TextContent("injected")})
	})
	send(agent.Message{Content: session.TextContent("third, which breaks off")})
	send(agent.Message{Content: session.TextContent("fourth, with an empty answer")})
	send(agent.Message{Content: session.TextContent("fifth")})
	settle()
	if err := a.Dispose(); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}

	again, err := root.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	n := 0
	for q, err := range agent.Requests("s", again.Events()) {
		if err != nil {
			t.Fatal(err)
		}
		if n >= len(e.bodies) {
			t.Fatalf("rebuilt a request %d.%d that was never sent", q.Turn, q.Step)
		}
		if got := model.ChatBody("m", q.Messages); got != e.bodies[n] {
			t.Errorf("request %d.%d rebuilt\n%s\nsent\n%s", q.Turn, q.Step, got, e.bodies[n])
		}
		n++
	}
	if n != 6 || len(e.bodies) != 6 {
		t.Errorf("rebuilt %d requests, %d were sent, want 6", n, len(e.bodies))
	}
}
