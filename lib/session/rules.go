package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

const (
	userMessage      = "user/message"
	assistantMessage = "assistant/message"
	toolResult       = "tool/result"
	contextMessage   = "context/message"
	steeringMessage  = "steering/message"
	systemMessage    = "system/message"
	developerMessage = "developer/message"
)

// SurfaceType reports whether events of a type are on the surface of a log of the
// given format (the record table of FORMATS-dsh).
func SurfaceType(version int, typ string) bool {
	switch typ {
	case userMessage, assistantMessage, toolResult:
		return true
	case contextMessage, steeringMessage:
		return version == 0
	case systemMessage:
		return version >= 3
	case developerMessage:
		return version >= 4
	}
	return false
}

// broken says which rule an event breaks. What the log says in its own words goes
// into the arguments of %.80q: a hostile type is long.
func broken(ev Event, rule, format string, args ...any) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: rule,
		Message: fmt.Sprintf("seq %d: %s (%s)", ev.Seq, fmt.Sprintf(format, args...), rule),
	}
}

func (f *Fold) gap(ev Event) error {
	got := fmt.Sprint(ev.Seq)
	if ev.Seq < 0 {
		got = "none"
		if v := ev.JSON.Get("seq"); v.Kind() == jstext.Number && len(v.Raw()) <= 40 {
			got = v.Raw()
		}
	}
	const rule = "seq-not-contiguous"
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: rule,
		Message: fmt.Sprintf("seq gap, expected %d got %s (%s)", f.next, got, rule),
	}
}

// surfaceOp is a parsed surfaceOp: an append, or a replace of start through end.
type surfaceOp struct {
	replace    bool
	start, end int64
}

// parseOp reads the surfaceOp of an event that must have one.
func parseOp(version int, ev Event) (surfaceOp, error) {
	v := ev.SurfaceOp
	switch {
	case !v.Exists():
		return surfaceOp{}, broken(ev, "surface-op-missing", "an event of type %.80q carries no surfaceOp", ev.Type)
	case v.Is("append"):
		return surfaceOp{}, nil
	case v.Kind() != jstext.Object:
		return surfaceOp{}, broken(ev, "surface-op-invalid", "surfaceOp is neither \"append\" nor a replace")
	}
	startKey, endKey := "start", "end"
	if version >= 3 {
		startKey, endKey = "startSeq", "endSeq"
	}
	fields := membersOf(v)
	start, okStart := seqOf(fields[startKey])
	end, okEnd := seqOf(fields[endKey])
	if len(fields) != 3 || !fields["op"].Is("replace") || !okStart || !okEnd {
		return surfaceOp{}, broken(ev, "replace-op-invalid", "surfaceOp is not exactly {op:\"replace\",%s,%s}", startKey, endKey)
	}
	if version >= 3 && ev.Type == assistantMessage {
		return surfaceOp{}, broken(ev, "assistant-replaces", "an assistant message replaces others, which format %d does not allow", version)
	}
	return surfaceOp{true, start, end}, nil
}

// seqOf is a value that can be a seq: a safe integer of at least 0.
func seqOf(v jstext.Value) (int64, bool) {
	n, ok := v.Int()
	return n, ok && n >= 0
}

// membersOf is an object's members, of duplicate keys the last.
func membersOf(v jstext.Value) map[string]jstext.Value {
	return maps.Collect(v.Members())
}

// span is the seqs a through b, both included.
type span struct{ a, b int64 }

// checkSources checks sourceEventSeqs and leaves what it names in f.cited, in
// rising order. The whole list passes one rule before the next is asked
// (vectors/fold.json, tags err-precedence-*).
func (f *Fold) checkSources(ev Event) error {
	f.cited = f.cited[:0]
	v := ev.SourceEventSeqs
	if !v.Exists() {
		return nil
	}
	if f.version >= 3 && ev.Type == assistantMessage {
		return broken(ev, "assistant-with-sources", "an assistant message carries sourceEventSeqs, which format %d does not allow", f.version)
	}
	if v.Kind() != jstext.Array {
		return broken(ev, "sources-not-an-array", "sourceEventSeqs is not an array")
	}
	for e := range v.Elements() {
		s, ok := parseSpan(f.version, e)
		if !ok {
			return broken(ev, "source-not-a-seq", "sourceEventSeqs holds something that is no seq")
		}
		f.cited = append(f.cited, s)
	}
	// An assistant message of these formats names the chunks it was made of; one
	// that came without any names none.
	if len(f.cited) == 0 && ev.Type != assistantMessage {
		return broken(ev, "sources-empty", "sourceEventSeqs is empty")
	}
	return f.checkCited(ev)
}

func (f *Fold) checkCited(ev Event) error {
	byStart := func(x, y span) int { return cmp.Compare(x.a, y.a) }
	if !slices.IsSortedFunc(f.cited, byStart) {
		slices.SortFunc(f.cited, byStart)
	}
	for i := 1; i < len(f.cited); i++ {
		if f.cited[i].a <= f.cited[i-1].b {
			return broken(ev, "sources-duplicate", "sourceEventSeqs names %d twice", f.cited[i].a)
		}
	}
	if n := len(f.cited); n > 0 && f.cited[n-1].b >= ev.Seq {
		return broken(ev, "source-not-earlier", "sourceEventSeqs names %d, which is not earlier", f.cited[n-1].b)
	}
	return nil
}

// parseSpan reads one element of sourceEventSeqs: a seq, or from format 1 on also
// [a,b] for a through b. A range is never written out here, so that a short
// record cannot claim much memory.
func parseSpan(version int, v jstext.Value) (span, bool) {
	if n, ok := seqOf(v); ok {
		return span{n, n}, true
	}
	if version < 1 || v.Kind() != jstext.Array {
		return span{}, false
	}
	var ends []int64
	for e := range v.Elements() {
		n, ok := seqOf(e)
		if !ok || len(ends) == 2 {
			return span{}, false
		}
		ends = append(ends, n)
	}
	if len(ends) != 2 || ends[0] > ends[1] {
		return span{}, false
	}
	return span{ends[0], ends[1]}, true
}

// cites reports whether seq is in one of the spans, which rise.
func cites(spans []span, seq int64) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].b >= seq })
	return i < len(spans) && spans[i].a <= seq
}

// checkToolRewrite checks a tool/result that replaces: exactly one tool/result,
// and nothing but its content differs.
func checkToolRewrite(ev, old Event, shadowed int) error {
	switch {
	case shadowed != 1:
		return broken(ev, "tool-result-one-node", "a tool/result replaces %d nodes, not one", shadowed)
	case old.Type != toolResult:
		return broken(ev, "tool-result-target", "a tool/result replaces %d, a %.80q", old.Seq, old.Type)
	case !sameToolResult(ev.Data, old.Data):
		return broken(ev, "tool-result-more-than-content", "a tool/result changes more of %d than its content", old.Seq)
	}
	return nil
}

// sameToolResult reports whether two results differ in their content at most.
// Early format 0 has the content in data; later formats have it in data.message,
// and until format 3 one level deeper, in its tool-result block.
func sameToolResult(a, b jstext.Value) bool {
	am, bm := a.Get("message"), b.Get("message")
	if am.Kind() != jstext.Object || bm.Kind() != jstext.Object {
		return equalExcept(a, b, "content")
	}
	return equalExcept(a, b, "message") && equalExcept(am, bm, "content") &&
		sameToolBlocks(am.Get("content"), bm.Get("content"))
}

// sameToolBlocks compares tool-result blocks, each but for its own content. Where
// neither side has one, the content may be anything.
func sameToolBlocks(a, b jstext.Value) bool {
	x, y := slices.Collect(a.Elements()), slices.Collect(b.Elements())
	isBlock := func(v jstext.Value) bool { return v.Get("type").Is("tool-result") }
	if !slices.ContainsFunc(x, isBlock) && !slices.ContainsFunc(y, isBlock) {
		return true
	}
	return slices.EqualFunc(x, y, func(p, q jstext.Value) bool { return equalExcept(p, q, "content") })
}

// equalExcept compares two objects without one of their members.
func equalExcept(a, b jstext.Value, key string) bool {
	if a.Kind() != jstext.Object || b.Kind() != jstext.Object {
		return jstext.Equal(a, b)
	}
	x, y := membersOf(a), membersOf(b)
	delete(x, key)
	delete(y, key)
	return maps.EqualFunc(x, y, jstext.Equal)
}
