package claude

// mend gives entries whose chain of parents breaks off the nearest earlier entry of the
// main chain instead. A parent that is not in the file is common. One that is a
// subagent's leads nowhere unless the subagent's own chain leads back. A steering
// message without a parent is no root.
func (x *index) mend() {
	x.prev = filled(len(x.nodes))
	back := x.leadsBack()
	last := none
	for _, n := range x.order {
		x.prev[n] = last
		if !x.main(n) {
			continue
		}
		last = n
		e := &x.nodes[n]
		switch {
		case e.parent == none && e.kind == attachment && e.flags&prompt != 0:
			e.parent = x.prev[n]
		case e.parent != none && !x.main(e.parent) && !back[e.parent]:
			e.parent = x.prev[n]
			e.flags |= mended
		}
	}
}

// leadsBack says of each entry that is not of the main chain whether its parents
// lead to one that is.
func (x *index) leadsBack() []bool {
	back := make([]bool, len(x.nodes))
	done := make([]bool, len(x.nodes))
	var path []int32
	for _, n := range x.order {
		path = path[:0]
		u := n
		for ; x.seen(u) && !x.main(u) && !done[u]; u = x.nodes[u].parent {
			done[u] = true
			path = append(path, u)
		}
		leads := u != none && (x.main(u) || back[u])
		for _, u := range path {
			back[u] = leads
		}
	}
	return back
}

// uncircle takes circles of parents apart, so that nothing that was said is lost: each
// entry on one, and each that names a later entry, follows the nearest earlier entry of
// the main chain instead. It returns how many of the main chain do. Without a circle a
// forward link stays: an entry may have been written again.
func (x *index) uncircle() (links int) {
	onCircle := x.circles()
	if onCircle == nil {
		return 0
	}
	for _, n := range x.order {
		e := &x.nodes[n]
		if x.seen(e.parent) && (onCircle[n] || x.nodes[e.parent].first >= e.first) {
			e.parent = x.prev[n]
			if x.main(n) {
				links++
			}
		}
	}
	return links
}

// circles marks the entries that are their own ancestors, of those that the main chain
// leads to; nil where there is none.
func (x *index) circles() (onCircle []bool) {
	walk := make([]int32, len(x.nodes)) // by node: the walk that came by, 0 for none
	for i, n := range x.order {
		mine := int32(i + 1)
		if !x.main(n) {
			continue
		}
		u := n
		for ; x.seen(u) && walk[u] == 0; u = x.nodes[u].parent {
			walk[u] = mine
		}
		if !x.seen(u) || walk[u] != mine {
			continue
		}
		if onCircle == nil {
			onCircle = make([]bool, len(x.nodes))
		}
		for ; !onCircle[u]; u = x.nodes[u].parent {
			onCircle[u] = true
		}
	}
	return onCircle
}

// relinked puts what compactions preserved behind their summaries, unless what they
// say of it makes a circle: then it reports false, and the links are as they were.
func (x *index) relinked() bool {
	if len(x.compactions) == 0 {
		return true
	}
	before := make([]int32, len(x.nodes))
	for i := range x.nodes {
		before[i] = x.nodes[i].parent
	}
	if x.relink(); x.circles() == nil {
		return true
	}
	for i := range x.nodes {
		x.nodes[i].parent = before[i]
	}
	return false
}
