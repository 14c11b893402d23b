package codex

// history is what is left of the ops after compactions and rollbacks.
type history struct {
	base        *op  // the compaction whose list it begins with, or nil
	promptsOnly bool // of which only the prompts are left: it was compacted again, without a list
	summary     *op  // the compaction without a list, or nil
	rest        []op
	dropped     int64 // ends of conversation that rollbacks took back
	crossed     bool  // one of them went back over a compaction
}

// settle applies rollbacks, then compactions.
//
// A rollback of N turns cuts the log at the Nth turn boundary from the end: a
// person's messages, steering included, and those of other agents. A compaction
// behind the cut never happened. Where the log itself begins with a compaction's
// list, the list's messages are counted on, its summary too.
func settle(ops []op) history {
	var h history
	live := ops[:0:0]
	fresh := false          // something was said since the last rollback, which so leaves an end behind
	var bounds, lists []int // where in live a turn begins, and where a list stands
	for _, o := range ops {
		if o.kind != rollback {
			if o.kind.begins() {
				bounds = append(bounds, len(live))
			}
			switch o.kind {
			case compact:
				lists = append(lists, len(live))
				fresh = fresh || len(live) == 0
			case prompt, edge, answer, handover:
				fresh = true
			}
			live = append(live, o)
			continue
		}
		cut := len(live)
		n := min(o.n, int64(len(bounds)))
		if n > 0 {
			cut = bounds[int64(len(bounds))-n]
			bounds = bounds[:int64(len(bounds))-n]
		}
		for _, gone := range live[cut:] {
			h.crossed = h.crossed || gone.kind == compact || gone.kind == compress
		}
		took := cut < len(live)
		live = live[:cut]
		for len(lists) > 0 && lists[len(lists)-1] >= cut {
			lists = lists[:len(lists)-1]
		}
		if more := o.n - n; more > 0 && len(lists) > 0 {
			took = rollInto(&live[lists[len(lists)-1]], more) || took
		}
		if took && fresh {
			h.dropped++
			fresh = false
		}
	}
	h.fold(live)
	return h
}

// rollInto takes n more turns off the list of the last compaction, behind which no
// turn is left. It reports whether there was one.
func rollInto(list *op, n int64) bool {
	was := list.cut
	list.cut = min(list.cut+n, list.n)
	return list.cut > was
}

func (h *history) fold(live []op) {
	prompts := 0 // h.rest[:prompts] holds prompts only
	for i, o := range live {
		switch o.kind {
		case compact:
			h.base, h.summary, h.promptsOnly = &live[i], nil, false
			h.rest, prompts = nil, 0
		case compress, handover:
			h.summary, h.promptsOnly = &live[i], true
			kept := h.rest[:prompts]
			for _, r := range h.rest[prompts:] {
				if r.kind == prompt {
					kept = append(kept, r)
				}
			}
			h.rest, prompts = kept, len(kept)
		case prompt, answer:
			h.rest = append(h.rest, o)
		}
	}
}
