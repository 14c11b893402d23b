package codex

import (
	"testing"
	"time"
)

// Logs that are shaped to cost more than their size. What cost the square of n would
// take minutes.
func TestHostileLogs(t *testing.T) {
	const n = 500_000
	pick := func(kinds ...opKind) func(i int) opKind {
		return func(i int) opKind { return kinds[i%len(kinds)] }
	}
	for name, kind := range map[string]func(i int) opKind{
		"rollbacks of nothing":    func(i int) opKind { return []opKind{answer, rollback}[i/(n/2)] },
		"each turn taken back":    pick(prompt, answer, rollback),
		"compacted over and over": pick(prompt, compress),
		"handed over and over":    pick(prompt, handover),
		"prompts, then compacted": func(i int) opKind { return []opKind{prompt, compress}[i/(n/2)] },
		"lists over and over":     pick(compact, rollback),
		"into one list":           func(i int) opKind { return []opKind{compact, rollback}[min(i, 1)] },
	} {
		ops := make([]op, n)
		for i := range ops {
			ops[i] = op{kind: kind(i), n: 2}
		}
		start := time.Now()
		settle(ops)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}
