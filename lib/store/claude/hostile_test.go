package claude

import (
	"testing"
	"time"
)

// Trees that are shaped to cost more than their size. They are made in memory,
// because to read their lines would take most of the time; what cost the square
// of n would take minutes.
func TestHostileTrees(t *testing.T) {
	const n = 60_000
	type shape struct {
		node       func(i int) node
		compaction func(i int) compaction
		trace      string // the text of the queued_command beside each trace
	}
	entry := func(parent int, k kind, f flags) node {
		return node{parent: int32(max(parent, -1)), kind: k, flags: f, message: none}
	}
	turns := func(i int) node { return entry(i-1, []kind{user, assistant}[i%2], []flags{prompt, says}[i%2]) }
	for name, s := range map[string]shape{
		"one deep chain":           {node: func(i int) node { return entry(i-1, user, prompt) }},
		"each its own parent":      {node: func(i int) node { return entry(i, user, prompt) }},
		"circles of two":           {node: func(i int) node { return entry(i^1, user, prompt) }},
		"links forward":            {node: func(i int) node { return entry(i+1, user, prompt) }},
		"steering without parents": {node: func(i int) node { return entry(-1, attachment, prompt) }},
		"a circle":                 {node: func(i int) node { return entry((i+1)%n, user, prompt) }},
		"all children of one":      {node: func(i int) node { return entry(min(i-1, 0), user, prompt) }},
		"a comb of notes":          {node: func(i int) node { return entry(i/2-1, system, 0) }},
		"two chains of notes":      {node: func(i int) node { return entry(i-2, system, 0) }},
		"answers beside notes":     {node: func(i int) node { return entry((i/2-1)*2, []kind{system, assistant}[i%2], says) }},
		"no parent is there":       {node: func(i int) node { return entry(n+i, user, prompt) }},
		"every second is lost":     {node: func(i int) node { return entry([]int{i - 1, n + i}[i%2], user, prompt) }},
		"one message on all lines": {node: func(i int) node { m := entry(i-1, assistant, says); m.message = 0; return m }},
		"commands without end":     {node: func(i int) node { return entry(i-1, user, []flags{slash, meta}[min(i%1000, 1)]) }},
		"summaries":                {node: func(i int) node { return entry(i-1, user, summary) }},
		"boundaries":               {node: func(i int) node { b := entry(-1, system, boundary); b.logical = int32(i - 1); return b }},
		"boundaries over one anchor": {
			node:       func(i int) node { return entry(i-1, user, prompt) },
			compaction: func(i int) compaction { return compaction{at: int32(i), anchor: 0, preserved: []int32{int32(i)}} },
		},
		"segments over everything": {
			node:       func(i int) node { return entry(i-1, user, prompt) },
			compaction: func(i int) compaction { return compaction{at: int32(i), anchor: 0, head: 1, tail: n - 1} },
		},
		"absorbed from the queue":      {node: turns, trace: "x"},
		"absorbed, and others told":    {node: turns, trace: "y"},
		"a subagent between each two":  {node: func(i int) node { return entry(i-1, user, []flags{prompt, aside}[i%2]) }},
		"a subagent that nobody began": {node: func(i int) node { return entry(n+i, user, aside) }},
	} {
		x := newIndex()
		x.linked = true
		for i := range n {
			e := s.node(i)
			e.first, e.last, e.written = int64(i), int64(i), e.parent
			x.nodes = append(x.nodes, e)
			x.order = append(x.order, int32(i))
			if s.compaction != nil {
				x.compactions = append(x.compactions, s.compaction(i))
			}
			if s.trace != "" {
				x.traces = append(x.traces, trace{how: absorbed, at: int64(i), text: "x", node: none})
				x.commands = append(x.commands, said{int64(i), s.trace})
			}
		}
		for range n { // named as parents, and not there
			x.newNode()
		}
		start := time.Now()
		b := x.current()
		x.items(b.line)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}
