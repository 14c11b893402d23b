package codex_test

import (
	"strings"
	"testing"
	"time"
)

// Logs that are shaped to cost more than their size: each must be read in time that
// is about linear.
func TestHostileLogs(t *testing.T) {
	const n = 20_000
	pick := func(lines ...string) func(i int) string {
		return func(i int) string { return lines[i%len(lines)] }
	}
	for name, of := range map[string]func(i int) string{
		"rollbacks of nothing": func(i int) string {
			if i < n/2 {
				return ans("x")
			}
			return back(1)
		},
		"each turn taken back":    pick(usr("x"), ans("x"), back(1)),
		"compacted over and over": pick(usr("x"), compactedOld("s")),
		"handed over and over":    pick(usr("x"), usr(fixed+"s")),
		"lists over and over":     pick(usr("x"), compacted("s", item("user", "a"), item("user", "b")), back(2)),
		"into one list": func(i int) string {
			if i == 0 {
				return compacted("s", item("user", strings.Repeat("a", 10)), item("user", "b"))
			}
			return back(1)
		},
	} {
		var b strings.Builder
		b.WriteString(meta + "\n")
		for i := range n {
			b.WriteString(of(i) + "\n")
		}
		start := time.Now()
		readText(t, b.String())
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}
