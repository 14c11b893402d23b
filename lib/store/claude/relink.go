package claude

// relink puts the messages that compactions preserved behind the summaries. On
// disk they lie before the boundary and the next turn names the last of them as
// its parent, so a walk would miss the boundary. What is current is: summary, the
// preserved messages in their order, then the rest.
func (x *index) relink() {
	if len(x.compactions) == 0 {
		return
	}
	summaries := make(map[int32]int32) // by boundary
	for _, n := range x.order {
		if e := &x.nodes[n]; e.flags&summary != 0 && e.parent != none {
			summaries[e.parent] = n
		}
	}
	placed := make(map[int32]bool)   // preserved messages, which have their parent
	tails := make(map[int32]int32)   // by anchor
	budget := 8 * (len(x.nodes) + 8) // steps for all segments together: a hostile file may name one N times
	for _, c := range x.compactions {
		kept := x.keptBy(c, &budget)
		if len(kept) == 0 {
			continue
		}
		anchor := c.anchor
		if !x.seen(anchor) {
			var ok bool
			if anchor, ok = summaries[c.at]; !ok {
				anchor = c.at
			}
		}
		at := anchor
		for _, n := range kept {
			x.nodes[n].parent = at
			placed[n] = true
			at = n
		}
		tails[anchor] = at
	}
	for _, n := range x.order {
		if e := &x.nodes[n]; !placed[n] && e.parent != none {
			if tail, ok := tails[e.parent]; ok {
				e.parent = tail
			}
		}
	}
}

// keptBy lists the messages that a compaction preserved, oldest first: those it
// names, or those between its head and its tail by the parents that were first
// written, since the tail may have been written again behind the summary.
func (x *index) keptBy(c compaction, budget *int) []int32 {
	var kept []int32
	for _, n := range c.preserved {
		if x.main(n) && n != c.anchor && n != c.at {
			kept = append(kept, n)
		}
	}
	if len(kept) > 0 || !x.seen(c.head) || !x.seen(c.tail) {
		return kept
	}
	for n := c.tail; x.main(n) && *budget > 0; n = x.nodes[n].written {
		*budget--
		kept = append(kept, n)
		if n == c.head {
			for i, j := 0, len(kept)-1; i < j; i, j = i+1, j-1 {
				kept[i], kept[j] = kept[j], kept[i]
			}
			return kept
		}
	}
	return nil
}
