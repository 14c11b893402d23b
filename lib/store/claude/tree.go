package claude

import (
	"cmp"
	"slices"
)

// branch is what of a tree is the conversation now.
type branch struct {
	line     []int32 // its entries, oldest first, from the last boundary on
	repaired int     // links to parents that are not in the file
	circled  int     // links that led back to where they came from
	moved    bool    // what compactions preserved stands where they say
	dropped  int64   // other branches with something said on them
}

// current chooses the current branch.
func (x *index) current() branch {
	if !x.linked {
		return x.inFileOrder()
	}
	x.mend()
	b := branch{circled: x.uncircle()}
	b.moved = x.relinked()
	t := newTree(x)
	leaf := t.leaf()
	if leaf == none {
		return b
	}
	b.line, b.repaired = t.walk(leaf)
	b.line = t.withSiblings(b.line)
	b.dropped = t.dropped(b.line)
	return b
}

// inFileOrder is the branch of a file in which no entry names a parent.
func (x *index) inFileOrder() branch {
	b := branch{moved: true}
	for _, n := range x.order {
		if !x.main(n) {
			continue
		}
		if x.nodes[n].flags&boundary != 0 {
			b.line = b.line[:0]
		}
		b.line = append(b.line, n)
	}
	return b
}

// tree is an index with its links turned round. Entries of sidechains are not in
// it.
type tree struct {
	*index
	child   []int32 // by node: its first child, in the order of the file
	sibling []int32 // by node: its parent's next child
	onLine  []bool
}

func newTree(x *index) *tree {
	t := &tree{index: x, child: filled(len(x.nodes)), sibling: filled(len(x.nodes)), onLine: make([]bool, len(x.nodes))}
	for _, n := range slices.Backward(x.order) {
		if p := x.nodes[n].parent; x.main(n) && p != none {
			t.sibling[n] = t.child[p]
			t.child[p] = n
		}
	}
	return t
}

func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = none
	}
	return s
}

// terminals calls f for each entry of the main chain that nobody names as parent,
// the last in the file first.
func (t *tree) terminals(f func(n int32)) {
	for _, n := range slices.Backward(t.order) {
		if t.main(n) && t.child[n] == none {
			f(n)
		}
	}
}

// leaf is the terminal whose nearest user or assistant entry is the latest in the
// file. Meta entries do not count as such; what lies between that entry and its
// terminal, steering perhaps, belongs to the branch. Without any, it is the last
// terminal.
func (t *tree) leaf() int32 {
	best, bestAt := none, int64(-1)
	fallback := none
	visited := make([]bool, len(t.nodes))
	t.terminals(func(n int32) {
		if fallback == none {
			fallback = n
		}
		for u := n; t.seen(u) && !visited[u]; u = t.nodes[u].parent {
			visited[u] = true
			if e := &t.nodes[u]; (e.kind == user || e.kind == assistant) && e.flags&meta == 0 {
				if e.last > bestAt {
					best, bestAt = n, e.last
				}
				return
			}
		}
	})
	if best == none {
		return fallback
	}
	return best
}

// walk follows the parents of leaf to a root or to a boundary, and counts the links
// that were mended.
func (t *tree) walk(leaf int32) (line []int32, repaired int) {
	for n := leaf; t.seen(n) && !t.onLine[n]; n = t.nodes[n].parent {
		t.onLine[n] = true
		line = append(line, n)
		if t.nodes[n].flags&boundary != 0 {
			break
		}
		if t.nodes[n].flags&mended != 0 && t.nodes[n].parent != none {
			repaired++
		}
	}
	slices.Reverse(line)
	return line, repaired
}

// withSiblings adds answers that hang beside the line: where a stop hook's record
// and a delivered answer share a parent, the next turn hangs off the record. An
// answer counts when the line goes on with something that is no message, later in
// the file, and nobody spoke behind it.
func (t *tree) withSiblings(line []int32) []int32 {
	var out []int32
	for i, n := range line {
		out = append(out, n)
		if i+1 == len(line) {
			break
		}
		next := &t.nodes[line[i+1]]
		if next.kind == user || next.kind == assistant {
			continue
		}
		var beside []int32
		for s := t.child[n]; s != none; s = t.sibling[s] {
			if e := &t.nodes[s]; !t.onLine[s] && e.kind == assistant && e.first < next.first {
				beside = append(beside, t.quietSubtree(s)...)
			}
		}
		slices.SortFunc(beside, func(a, b int32) int { return cmp.Compare(t.nodes[a].first, t.nodes[b].first) })
		out = append(out, beside...)
	}
	for _, n := range out {
		t.onLine[n] = true
	}
	return out
}

// quietSubtree lists n and all below it, or nothing where a person or a compaction
// is among them: that is a branch of its own.
func (t *tree) quietSubtree(n int32) []int32 {
	out := []int32{n}
	for i := 0; i < len(out) && len(out) <= len(t.nodes); i++ {
		if t.nodes[out[i]].flags&(prompt|slash|boundary|summary) != 0 || t.onLine[out[i]] {
			return nil
		}
		for c := t.child[out[i]]; c != none; c = t.sibling[c] {
			out = append(out, c)
		}
	}
	return out
}

// dropped counts the terminals that lead away from the line with something said on
// the way. What compactions on the line replaced is no such branch.
func (t *tree) dropped(line []int32) (n int64) {
	done := make([]bool, len(t.nodes))
	messages := make(map[int32]bool)
	for _, m := range line {
		done[m] = true
		if mid := t.nodes[m].message; mid != none {
			messages[mid] = true
		}
	}
	for _, m := range t.order {
		// Lines of one answer lie on several branches when its tools ran in parallel.
		if messages[t.nodes[m].message] {
			done[m] = true
		}
	}
	if len(line) > 0 {
		t.markCompacted(line[0], done)
	}
	t.terminals(func(m int32) {
		said := false
		for ; t.seen(m) && !done[m]; m = t.nodes[m].parent {
			done[m] = true
			e := &t.nodes[m]
			if e.flags&(prompt|slash) != 0 && !t.loose(m) || e.flags&(says|failed) == says && !t.gone[m] {
				said = true
			}
		}
		if said {
			n++
		}
	})
	return n
}

// markCompacted marks what the boundary at n replaced, and what earlier boundaries
// did. It follows the links as they were first written: preserved messages have
// been moved.
func (t *tree) markCompacted(n int32, done []bool) {
	if t.nodes[n].flags&boundary == 0 {
		return
	}
	been := make([]bool, len(t.nodes))
	for n != none && !been[n] {
		been[n], done[n] = true, true
		p := t.nodes[n].written
		if t.nodes[n].flags&boundary != 0 {
			p = t.nodes[n].logical
		}
		if !t.seen(p) && (p != none || t.nodes[n].flags&boundary != 0) {
			p = t.prev[n]
		}
		n = p
	}
}
