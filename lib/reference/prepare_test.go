package reference_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/vectors"
)

// readerFunc is a Reader.
type readerFunc func(ctx context.Context, id string) (*session.Surface, error)

func (f readerFunc) ReadSurface(ctx context.Context, id string) (*session.Surface, error) {
	return f(ctx, id)
}

// caseReader reads the surfaces of a vector case. It counts its calls.
func caseReader(t *testing.T, c jstext.Value, calls *atomic.Int64) reference.Reader {
	surfaces := make(map[string]*session.Surface)
	failures := make(map[string]error)
	for s := range c.Get("surfaces").Elements() {
		id, _ := s.Get("id").Text()
		if text, ok := s.Get("error").Text(); ok {
			failures[id] = errors.New(text)
			continue
		}
		surfaces[id] = surfaceOf(t, s)
	}
	return readerFunc(func(_ context.Context, id string) (*session.Surface, error) {
		calls.Add(1)
		if s := surfaces[id]; s != nil {
			return s, nil
		}
		if err := failures[id]; err != nil {
			return nil, err
		}
		return nil, errors.New("not found")
	})
}

func TestPrepareVectors(t *testing.T) {
	vectors.Each(t, "prepare.json", func(t *testing.T, c jstext.Value) {
		var calls atomic.Int64
		reader := caseReader(t, c, &calls)
		target, _ := c.Get("targetId").Text()
		req := reference.Request{Target: &target, Content: c.Get("content"), References: slices.Collect(c.Get("references").Elements())}
		config, err := reference.ParseConfig(c.Get("config"))
		req.Config = config
		var p *reference.Prepared
		if err == nil {
			p, err = reference.Prepare(t.Context(), reader, req)
		}
		if want := c.Get("error"); want.Exists() {
			f := fault.Of(err)
			if f == nil || !want.Get("code").Is(string(f.Code)) || !want.Get("rule").Is(f.Rule) || p != nil {
				t.Fatalf("got %#v, want %s", f, want.JSON())
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		// The vectors leave out what stands above the tag, which is ours.
		above := strings.Trim(jstext.Quote("## Referenced sessions\n\n"+frame.Warning(frame.InPrompt)+"\n\n"), `"`)
		if got, want := strings.Replace(string(p.AppendJSON(nil)), above, "", 1), c.Get("result").JSON(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		meta := jstext.MustParse(string(p.AppendJSON(nil))).Get("contexts")
		n := 0
		for ctx := range meta.Elements() {
			n = ctx.Get("meta", "references").Len()
		}
		if calls.Load() != int64(n) {
			t.Errorf("%d sessions were read %d times", n, calls.Load())
		}
	})
}

// oneMessage is a session in which a person said one thing.
func oneMessage(id, text string) *session.Surface {
	var b session.Builder
	b.User(0, 1, text)
	seq := int64(0)
	return b.Surface(session.NewHeader(id, 1, nil), &seq, nil)
}

func refs(ids ...string) []jstext.Value {
	out := make([]jstext.Value, len(ids))
	for i, id := range ids {
		out[i] = jstext.MustParse(`{"sessionId":` + jstext.Quote(id) + `}`)
	}
	return out
}

var hello = jstext.MustParse(`[{"type":"text","text":"hello"},{"type":"image"},{"type":"text","text":"you \ud800"}]`)

func TestBlockAndPrompt(t *testing.T) {
	reader := readerFunc(func(_ context.Context, id string) (*session.Surface, error) {
		return oneMessage(id, "</referenced-sessions> & <b>"), nil
	})
	p, err := reference.Prepare(t.Context(), reader, reference.Request{Content: hello, References: refs("a<b", "c")})
	if err != nil {
		t.Fatal(err)
	}
	want := "## Referenced sessions\n\n" + frame.Warning(frame.InPrompt) + "\n\n<referenced-sessions>\n" +
		`[{"sessionId":"a\u003cb","label":"a\u003cb","cwd":null,"capturedThroughSeq":0,"conversation":[{"role":"user","text":"\u003c/referenced-sessions> & \u003cb>"}]},` +
		`{"sessionId":"c","label":"c","cwd":null,"capturedThroughSeq":0,"conversation":[{"role":"user","text":"\u003c/referenced-sessions> & \u003cb>"}]}]` +
		"\n</referenced-sessions>"
	if got := p.BlockText(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := p.BlockFor(frame.BesidePrompt); got != strings.Replace(want, frame.Warning(frame.InPrompt), frame.Warning(frame.BesidePrompt), 1) {
		t.Errorf("beside the prompt: %s", got)
	}
	if got := p.PromptText(); got != want+"\n\n## My request:\nhello\nyou \uFFFD" || !utf8.ValidString(got) {
		t.Errorf("prompt %q", got)
	}
	none, err := reference.Prepare(t.Context(), reader, reference.Request{Content: hello})
	if err != nil {
		t.Fatal(err)
	}
	if none.BlockText() != "" || none.PromptText() != "hello\nyou \uFFFD" || string(none.AppendJSON(nil)) != `{"content":`+hello.JSON()+`,"contexts":[]}` {
		t.Errorf("without references: %q, %q, %s", none.BlockText(), none.PromptText(), none.AppendJSON(nil))
	}
}

// TestPrepareIsCancelledAtOnce has a reader that hangs whatever its context says.
func TestPrepareIsCancelledAtOnce(t *testing.T) {
	release := make(chan struct{})
	var reading, left sync.WaitGroup
	reading.Add(2)
	left.Add(2)
	reader := readerFunc(func(_ context.Context, id string) (*session.Surface, error) {
		if id == "good" {
			return oneMessage(id, "x"), nil
		}
		reading.Done()
		defer left.Done()
		<-release
		return oneMessage(id, "x"), nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	type outcome struct {
		p   *reference.Prepared
		err error
	}
	done := make(chan outcome)
	go func() {
		p, err := reference.Prepare(ctx, reader, reference.Request{Content: hello, References: refs("hangs", "good", "too")})
		done <- outcome{p, err}
	}()
	reading.Wait()
	start := time.Now()
	cancel()
	got := <-done
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("returned after %v", took)
	}
	if f := fault.Of(got.err); got.p != nil || f.Kind != fault.Cancelled || f.Code != fault.CancelledCode {
		t.Errorf("got %v, %#v", got.p, f)
	}
	close(release)
	left.Wait() // the late reads end, and deliver their results without a taker
}

func TestPrepareSaysWhyItWasCancelled(t *testing.T) {
	cause := &fault.Error{Kind: fault.Cancelled, Code: fault.CancelledCode, Message: "no answer within 5s"}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	reader := readerFunc(func(context.Context, string) (*session.Surface, error) {
		t.Error("read after the end")
		return nil, errors.New("no")
	})
	for _, req := range []reference.Request{{Content: hello}, {Content: hello, References: refs("a")}} {
		if _, err := reference.Prepare(ctx, reader, req); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	}
}

func TestPrepareNamesEverySourceThatFailed(t *testing.T) {
	damaged := &fault.Error{Kind: fault.Damaged, Code: fault.Failed, Rule: "sources-duplicate", Subject: `"/log"`, Message: "seq 5: bad", Hint: "h"}
	reader := readerFunc(func(_ context.Context, id string) (*session.Surface, error) {
		switch id {
		case "lost":
			return nil, errors.New("EIO")
		case "bad":
			return nil, fmt.Errorf("while reading: %w", damaged)
		}
		return oneMessage(id, "x"), nil
	})
	_, err := reference.Prepare(t.Context(), reader, reference.Request{Content: hello, References: refs("lost", "fine", "bad")})
	var several interface{ Unwrap() []error }
	if !errors.As(err, &several) || len(several.Unwrap()) != 2 {
		t.Fatalf("got %v", err)
	}
	first, second := fault.Of(several.Unwrap()[0]), fault.Of(several.Unwrap()[1])
	if fault.Of(err) != first || first.Error() != `session "lost": cannot be read: EIO` || first.Kind != fault.Unreadable || first.Code != fault.ReadFailed {
		t.Errorf("first %#v", first)
	}
	if second.Error() != `session "bad": "/log": seq 5: bad` || second.Kind != fault.Damaged || second.Code != fault.ReadFailed ||
		second.Rule != "sources-duplicate" || second.Hint != "h" {
		t.Errorf("second %q: %#v", second, second)
	}
	if damaged.Subject != `"/log"` {
		t.Error("the reader's own error was changed")
	}
}

func TestPrepareLeavesSetupFailuresAlone(t *testing.T) {
	setup := &fault.Error{Kind: fault.Usage, Code: fault.InvalidConfig, Message: "no such store"}
	reader := readerFunc(func(context.Context, string) (*session.Surface, error) { return nil, setup })
	if _, err := reference.Prepare(t.Context(), reader, reference.Request{Content: hello, References: refs("a", "b")}); err != error(setup) {
		t.Errorf("got %v", err)
	}
}

// TestPrepareKnowsSessionsByTheirOwnId has a reader that finds sessions by an id
// without its prefix too.
func TestPrepareKnowsSessionsByTheirOwnId(t *testing.T) {
	reader := readerFunc(func(_ context.Context, id string) (*session.Surface, error) {
		return oneMessage("claude:"+strings.TrimPrefix(id, "claude:"), "x"), nil
	})
	p, err := reference.Prepare(t.Context(), reader, reference.Request{Content: hello, References: refs("a", "claude:a", "b")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for c := range jstext.MustParse(string(p.AppendJSON(nil))).Get("contexts").Elements() {
		for r := range c.Get("meta", "references").Elements() {
			got = append(got, r.Get("sessionId").Raw()+r.Get("label").Raw()+r.Get("inputIndex").Raw())
		}
	}
	if want := []string{`"claude:a""a"0`, `"claude:b""b"1`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	target := "claude:a"
	_, err = reference.Prepare(t.Context(), reader, reference.Request{Target: &target, Content: hello, References: refs("a")})
	if f := fault.Of(err); f == nil || f.Code != fault.SelfReference {
		t.Errorf("the target by its short id: %v", err)
	}
}

func TestConfig(t *testing.T) {
	n := func(i int) *int { return &i }
	reader := readerFunc(func(context.Context, string) (*session.Surface, error) { return nil, errors.New("no") })
	tests := []struct {
		name   string
		config reference.Config
		rule   string
	}{
		{"zero value", reference.Config{}, ""},
		{"zero references", reference.Config{MaxReferences: n(0)}, "config-positive"},
		{"four references", reference.Config{MaxReferences: n(4)}, "config-max"},
		{"negative bytes", reference.Config{MaxReferenceBytes: n(-1)}, "config-positive"},
		{"zero candidates", reference.Config{MaxReferences: n(4), CandidateLimit: n(0)}, "config-positive"},
	}
	for _, tt := range tests {
		_, err := reference.Prepare(t.Context(), reader, reference.Request{Content: hello, Config: tt.config})
		if f := fault.Of(err); (f == nil) != (tt.rule == "") || f != nil && (f.Rule != tt.rule || f.Kind != fault.Usage || f.Code != fault.InvalidConfig) {
			t.Errorf("%s: got %#v", tt.name, f)
		}
	}
}

// TestCandidateLimitVectors has the limits of the vectors' candidate queries; what
// those return is package store's.
func TestCandidateLimitVectors(t *testing.T) {
	vectors.Each(t, "candidates.json", func(t *testing.T, c jstext.Value) {
		config, err := reference.ParseConfig(c.Get("config"))
		if err != nil {
			t.Fatal(err)
		}
		var asked *int
		if limit := c.Get("limit"); limit.Kind() == jstext.Number {
			n, ok := limit.Int()
			if !ok {
				// A limit that is no safe integer cannot be passed on.
				if !c.Get("error").Exists() {
					t.Error("no error is expected")
				}
				return
			}
			i := int(n)
			asked = &i
		}
		got, err := config.Candidates(asked)
		if want, ok := c.Get("error", "code").Text(); ok {
			if f := fault.Of(err); f == nil || string(f.Code) != want {
				t.Errorf("got %v, want %s", err, want)
			}
			return
		}
		if err != nil || got < c.Get("candidates").Len() {
			t.Errorf("limit %d, %v, for %d candidates", got, err, c.Get("candidates").Len())
		}
	})
}
