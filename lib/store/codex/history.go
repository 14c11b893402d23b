package codex

// history is what is left of the ops after compactions and rollbacks.
type history struct {
	base        *op  // the compaction whose list it begins with, or nil
	promptsOnly bool // of which only the prompts are left: it was compacted again, without a list
	summary     *op  // the compaction without a list, or nil
	rest        []op
	dropped     int64 // rollbacks that took something back
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
	var bounds []int // where in live a turn begins
	for _, o := range ops {
		if o.kind != rollback {
			if o.kind.begins() {
				bounds = append(bounds, len(live))
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
		if cut < len(live) {
			h.dropped++
		}
		live = live[:cut]
		if more := o.n - n; more > 0 && len(live) > 0 {
			h.rollInto(live, more)
		}
	}
	h.fold(live)
	return h
}

// rollInto takes n more turns off the list of the last compaction in live, which
// holds no turn of its own any more.
func (h *history) rollInto(live []op, n int64) {
	for i := len(live) - 1; i >= 0; i-- {
		if live[i].kind == compact {
			if live[i].cut < live[i].n {
				h.dropped++
			}
			live[i].cut = min(live[i].cut+n, live[i].n)
			return
		}
	}
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
