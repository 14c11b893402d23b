package claude_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Trees that are shaped to cost more than their size: each must be read in time
// that is about linear.
func TestHostileTrees(t *testing.T) {
	const n = 10_000
	id := func(i int) string { return fmt.Sprint("e", i) }
	for name, line := range map[string]func(i int) string{
		"one deep chain":        func(i int) string { return usr(id(i), id(i-1), "x") },
		"a circle":              func(i int) string { return usr(id(i), id((i+1)%n), "x") },
		"all are roots but one": func(i int) string { return usr(id(i), map[bool]string{true: "e0"}[i == n-1], "x") },
		"all children of one":   func(i int) string { return usr(id(i), "e0", "x") },
		"a comb of notes":       func(i int) string { return sys(id(i), id(i/2), "x") },
		"answers beside notes": func(i int) string {
			return []string{sys(id(i), id(max(0, i-2)), "x"), ans(id(i), id(max(0, i-2)), "m", "x")}[i%2]
		},
		"no parent is there":       func(i int) string { return usr(id(i), fmt.Sprint("lost", i), "x") },
		"every second is lost":     func(i int) string { return usr(id(i), []string{id(i - 1), fmt.Sprint("lost", i)}[i%2], "x") },
		"one message on all lines": func(i int) string { return ans(id(i), id(i-1), "m", "x") },
		"commands without end":     func(i int) string { return usr(id(i), id(i-1), "<command-name>/x</command-name>") },
		"meta behind commands": func(i int) string {
			return usr(id(i), id(i-1), "<command-name>/x</command-name>", []string{`"isMeta":true`, `"isMeta":false`}[min(i%1000, 1)])
		},
		"boundaries": func(i int) string {
			return sys(id(i), id(i-1), "compact_boundary", `"logicalParentUuid":"`+id(i-1)+`"`)
		},
		"boundaries over one anchor": func(i int) string { return hostileBoundary(i, id(max(0, i-1)), "e0", "e1") },
		"segments over everything": func(i int) string {
			if i < n/2 {
				return usr(id(i), id(i-1), "x")
			}
			return hostileBoundary(i, id(i-1), "e1", id(n/2-1))
		},
		"queued and removed": func(i int) string {
			if i%2 == 0 {
				return usr(id(i), id(i-2), "x")
			}
			return `{"type":"queue-operation","operation":"remove","content":"x"}`
		},
		"the same again": func(i int) string { return usr("e1", "e0", "x") },
	} {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		start := time.Now()
		readText(t, b.String())
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}

func hostileBoundary(i int, parent, head, tail string) string {
	return sys(fmt.Sprint("e", i), parent, "compact_boundary",
		fmt.Sprintf(`"compactMetadata":{"preservedSegment":{"headUuid":"%s","anchorUuid":"e0","tailUuid":"%s"}}`, head, tail))
}
