package reference_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
)

var words = strings.Fields(`the retry loop holds its lock while backing off so a second writer waits until the deadline passes 重试 循环 在 退避 时 持有 锁 emoji 🚀 \u003ctag\u003e \\path\\to \"quoted\" naïve café`)

// chat is the surface of a chat that was never compacted, as a log has it: a short
// question and a long answer a turn, results of tools between them.
func chat(messages int) *session.Surface {
	rng := rand.New(rand.NewPCG(1, 7))
	text := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteByte(' ')
		}
		return `[{"type":"text","text":"` + b.String() + `"}]`
	}
	var events []session.Event
	add := func(typ, data string) {
		line := fmt.Sprintf(`{"type":%q,"seq":%d,"time":1780000000000,"data":%s,"surfaceOp":"append"}`, typ, len(events), data)
		events = append(events, session.ParseEvent(jstext.MustParse(line)))
	}
	for turn := range messages / 2 {
		add("user/message", `{"content":`+text(120)+`,"source":{"kind":"user"}}`)
		if turn%3 == 0 {
			add("tool/result", fmt.Sprintf(`{"turn":%d,"step":1,"callId":"c","content":%s,"isError":false}`, turn, text(800)))
		}
		add("assistant/message", fmt.Sprintf(`{"turn":%d,"step":1,"content":%s,"provenance":{"provider":"p","model":"m"}}`, turn, text(2700)))
	}
	last := int64(len(events) - 1)
	return &session.Surface{Header: session.NewHeader("chat", 1, nil), CapturedThroughSeq: &last, Events: events}
}

// heldBy is a reader of one session.
func heldBy(s *session.Surface) reference.Reader {
	return readerFunc(func(context.Context, string) (*session.Surface, error) { return s, nil })
}

// BenchmarkPrepare prepares from uncompacted chats of 8 and of 80 MB; the second
// should take ten times as long as the first.
func BenchmarkPrepare(b *testing.B) {
	for _, messages := range []int{5_000, 50_000} {
		s := chat(messages)
		size := 0
		for _, ev := range s.Events {
			size += len(ev.JSON.Raw())
		}
		b.Run(fmt.Sprintf("%dMB", size/1_000_000), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := reference.Prepare(b.Context(), heldBy(s), reference.Request{Content: hello, References: refs("chat")}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCut cuts one text of 8 MB down to the budget.
func BenchmarkCut(b *testing.B) {
	s := oneMessage("long", strings.Repeat("日本<\\\" 🚀", 400_000))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := reference.Retain(s, "", reference.DefaultMaxReferenceBytes); !ok {
			b.Fatal("does not fit")
		}
	}
}

// TestPrepareLongChat holds the line that the benchmark watches: where weighing
// anything again for each dropped message would take minutes, this is well under a
// second, also on a slow machine.
func TestPrepareLongChat(t *testing.T) {
	s := chat(5_000)
	start := time.Now()
	p, err := reference.Prepare(t.Context(), heldBy(s), reference.Request{Content: hello, References: refs("chat")})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
	if n := len(p.BlockText()); n < 60_000 || n > 67_000 {
		t.Errorf("the block has %d bytes", n)
	}
}

// TestManyCheckpoints cuts more texts than any real session holds checkpoints.
func TestManyCheckpoints(t *testing.T) {
	var b session.Builder
	for i := range int64(20_000) {
		b.Checkpoint(i, 1, strings.Repeat("<x>", 100+int(i%50)))
	}
	s := b.Surface(session.NewHeader("x", 1, nil), nil, nil)
	start := time.Now()
	snap, _, ok := reference.Retain(s, "", 1_000_000)
	if !ok || len(snap.JSON) > 1_000_000 || snap.Stats.RetainedMessages != 20_000 {
		t.Fatalf("fits %v, %d bytes, %+v", ok, len(snap.JSON), snap.Stats)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}
