package session

// Fold makes the current surface of a log, event by event (SPEC 4). It keeps the
// events of the surface and nothing else: an event that is shadowed is let go.
//
// An append costs the same however long the surface is, and so does a replace for
// each node that it shadows: a node is found by its seq in a map, and two nodes
// are ordered by ranks that a replacing node takes over from the first one it
// replaces.
type Fold struct {
	// OnReplace, if set, is called for every replace that was folded. The fold
	// does not keep them, because they grow with the log.
	OnReplace func(Replacement)

	version int
	next    int64 // the seq that must come next
	ranks   int64 // appended nodes so far: the next one's rank
	at      map[int64]*node
	ends    node // next is the first node, prev the last
	title   *string
	cwd     *string // where the log says that the session has moved to; nil: nowhere
	cited   []span  // scratch
	shadow  []int64
}

type node struct {
	ev         Event
	rank       int64
	prev, next *node
}

// Replacement is one folded replace: the event that replaced, the ends of the
// range as it names them, and what was shadowed, in surface order.
type Replacement struct {
	Seq, Start, End int64
	Shadowed        []int64
}

// NewFold begins the fold of a log of the given format (0 to 4), which decides
// what types the surface has and how a replace is written.
func NewFold(version int) *Fold {
	f := &Fold{version: version, at: make(map[int64]*node)}
	f.ends.prev, f.ends.next = &f.ends, &f.ends
	return f
}

// Next is the seq that the next event must have.
func (f *Fold) Next() int64 { return f.next }

// CapturedThroughSeq is the highest seq so far; nil before the first event.
func (f *Fold) CapturedThroughSeq() *int64 {
	if f.next == 0 {
		return nil
	}
	last := f.next - 1
	return &last
}

// Skip passes over n seqs of log-only events that the caller has not parsed. They
// must carry no surfaceOp and no sourceEventSeqs, and be none that Folds names.
func (f *Fold) Skip(n int64) { f.next += n }

// Len is the number of nodes on the surface.
func (f *Fold) Len() int { return len(f.at) }

// Nodes returns the events of the current surface in order. The slice is the
// caller's.
func (f *Fold) Nodes() []Event {
	out := make([]Event, 0, len(f.at))
	for n := f.ends.next; n != &f.ends; n = n.next {
		out = append(out, n.ev)
	}
	return out
}

func (f *Fold) node(seq int64) (Event, bool) {
	if n := f.at[seq]; n != nil {
		return n.ev, true
	}
	return Event{}, false
}

// Title is the latest title so far, nil if there was none. It is as listings show
// it: LatestTitle has the record itself.
func (f *Fold) Title() *string { return f.title }

// Cwd is the directory that the session has moved to so far, nil if it stays in its
// header's.
func (f *Fold) Cwd() *string { return f.cwd }

// Surface is what has been folded so far as the surface of one session. The header
// is in the directory that the session has moved to.
func (f *Fold) Surface(h Header) *Surface {
	if f.cwd != nil {
		h = h.movedTo(*f.cwd)
	}
	return &Surface{Header: h, CapturedThroughSeq: f.CapturedThroughSeq(), Events: f.Nodes(), Title: f.title}
}

// Add folds the next event. The error is a *fault.Error of kind Damaged that names
// the seq and, in Rule, the broken rule (the names in vectors/fold.json). An event
// that breaks a rule is not added, and the fold stays as it was before it.
func (f *Fold) Add(ev Event) error {
	if ev.Seq != f.next {
		return f.gap(ev)
	}
	if !SurfaceType(f.version, ev.Type) {
		return f.logOnly(ev)
	}
	op, err := parseOp(f.version, ev)
	if err != nil {
		return err
	}
	if !op.replace {
		if err := f.checkSources(ev); err != nil {
			return err
		}
		f.insert(&node{ev: ev, rank: f.ranks}, f.ends.prev)
		f.ranks++
		f.next++
		return nil
	}
	return f.replace(ev, op)
}

func (f *Fold) logOnly(ev Event) error {
	switch {
	case ev.SurfaceOp.Exists():
		return broken(ev, "log-only-with-surface-op", "an event of type %.80q cannot be on the surface of format %d", ev.Type, f.version)
	case ev.SourceEventSeqs.Exists():
		return broken(ev, "log-only-with-sources", "an event of type %.80q carries sourceEventSeqs", ev.Type)
	}
	switch {
	case ev.Type == titleType:
		f.title = shownTitle(ev, f.node)
	case moves(f.version, ev.Type):
		if cwd, ok := ev.Data.Get("cwd").Text(); ok && IsAbs(cwd) {
			f.cwd = &cwd
		}
	}
	f.next++
	return nil
}

// replace swaps a range of nodes for one. All is checked before anything changes.
func (f *Fold) replace(ev Event, op surfaceOp) error {
	first, last := f.at[op.start], f.at[op.end]
	switch {
	case first == nil:
		return broken(ev, "start-not-on-surface", "replaces from %d, which is not on the surface", op.start)
	case last == nil:
		return broken(ev, "end-not-on-surface", "replaces through %d, which is not on the surface", op.end)
	case first.rank > last.rank:
		return broken(ev, "range-reversed", "replaces from %d through %d, which stands before it", op.start, op.end)
	}
	if err := f.checkSources(ev); err != nil {
		return err
	}
	f.shadow = f.shadow[:0]
	for n := first; ; n = n.next {
		if !cites(f.cited, n.ev.Seq) {
			return broken(ev, "shadowed-not-cited", "replaces %d without naming it in sourceEventSeqs", n.ev.Seq)
		}
		f.shadow = append(f.shadow, n.ev.Seq)
		if n == last {
			break
		}
	}
	if ev.Type == toolResult {
		if err := checkToolRewrite(ev, first.ev, len(f.shadow)); err != nil {
			return err
		}
	}
	for _, seq := range f.shadow {
		delete(f.at, seq)
	}
	before := first.prev
	before.next, last.next.prev = last.next, before
	f.insert(&node{ev: ev, rank: first.rank}, before)
	f.next++
	if f.OnReplace != nil {
		f.OnReplace(Replacement{ev.Seq, op.start, op.end, append([]int64(nil), f.shadow...)})
	}
	return nil
}

func (f *Fold) insert(n, after *node) {
	n.prev, n.next = after, after.next
	n.prev.next, n.next.prev = n, n
	f.at[n.ev.Seq] = n
}
