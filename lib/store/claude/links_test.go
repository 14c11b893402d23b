package claude_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/claude"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

// Whatever the parents are, a log of prompts and answers shows something: each message
// once, and nothing that a subagent said.
func TestAnyLinks(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		n := 1 + rng.IntN(8)
		var lines []string
		said := false
		for i := range n {
			parent := fmt.Sprint("e", rng.IntN(n+1)) // one of them is in no log
			if rng.IntN(5) == 0 {
				parent = ""
			}
			id, text := fmt.Sprint("e", i), fmt.Sprintf("said %d.", i)
			switch rng.IntN(7) {
			case 0:
				lines = append(lines, usr(id, parent, "SECRET", aside))
			case 1:
				lines = append(lines, steer(id, parent, text))
			case 2:
				lines = append(lines, sys(id, parent, "turn_duration"))
			case 3, 4:
				lines = append(lines, usr(id, parent, text))
				said = true
			default:
				lines = append(lines, ans(id, parent, "m"+id, text))
				said = true
			}
		}
		log := strings.Join(lines, "\n") + "\n"
		r := conformance.ReadText(t, claude.Format, "session.jsonl", log)
		if said && len(r.Surface.Events) == 0 || conformance.Says(r, "SECRET") {
			t.Fatalf("seed %d: %d events (notes %q) of\n%s", seed, len(r.Surface.Events), r.Receipt.Notes, log)
		}
		for i := range n {
			if text := fmt.Sprintf("said %d.", i); count(r.Surface.Events, text) > 1 {
				t.Fatalf("seed %d: %q stands there twice in\n%s", seed, text, log)
			}
		}
		for _, note := range r.Receipt.Notes {
			if said && strings.Contains(note, "this is a subagent's log") {
				t.Fatalf("seed %d: %q", seed, note)
			}
		}
	}
}

// Logs that are made to cost more than their size. What cost the square of their
// entries would take minutes.
func TestHostileLogs(t *testing.T) {
	const n = 20_000
	id := func(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", i) }
	for name, c := range map[string]struct {
		line func(i int) string
		want int // events; -1: any number but none
	}{
		"one chain":              {func(i int) string { return usr(id(i), id(i-1), "x") }, n},
		"one circle":             {func(i int) string { return usr(id(i), id((i+1)%n), "x") }, n},
		"one entry, many copies": {func(i int) string { return usr(id(0), id(i%7), "x") }, 1},
		"commands without uuid": {func(i int) string {
			if i == 0 {
				return usr(id(0), "", "x")
			}
			return `{"type":"attachment","attachment":{"type":"queued_command","prompt":"steer"}}`
		}, n},
		"absorbed, each told elsewhere": {func(i int) string {
			if i == 0 {
				return usr(id(0), "", "x")
			}
			return []string{absorbed("go"), steer(id(i), id(0), "stop")}[i%2]
		}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range n {
				b.WriteString(c.line(i))
				b.WriteByte('\n')
			}
			start := time.Now()
			r := conformance.ReadText(t, claude.Format, "session.jsonl", b.String())
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			} else {
				t.Logf("%d MB in %v, %d events", b.Len()>>20, d, len(r.Surface.Events))
			}
			if got := len(r.Surface.Events); got != c.want && c.want >= 0 || got == 0 {
				t.Errorf("%d events, want %d", got, c.want)
			}
		})
	}
}

func count(events []session.Event, text string) (n int) {
	for _, ev := range events {
		if session.Text(session.MessageOf(ev).Content) == text {
			n++
		}
	}
	return n
}
