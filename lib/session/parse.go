package session

import (
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// NewestVersion is the highest log format this toolkit reads.
const NewestVersion = 4

// NewerVersion is the failure for a log of a higher format: it is not damage, and
// has an exit status of its own.
func NewerVersion(version int64) error {
	return &fault.Error{
		Kind: fault.Unsupported, Code: fault.ReadFailed, Rule: "newer-format",
		Message: fmt.Sprintf("session format %d is newer than this tool reads (%d)", version, NewestVersion),
		Hint:    "print the surface of an older generation of the log, such as session.v4.jsonl",
	}
}

// ParseSurface reads back what Surface.AppendJSON printed. It checks the shape,
// not the log's rules: those held where the surface was made. Members it does not
// know are passed over. The error is a *fault.Error, Damaged or, for a newer
// format, Unsupported.
func ParseSurface(text string) (*Surface, error) {
	v, err := jstext.Parse(text)
	if err != nil {
		return nil, notSurface("not JSON: %v", err)
	}
	top := membersOf(v)
	h, err := parseHeader(top["session"])
	if err != nil {
		return nil, err
	}
	s := &Surface{Header: h}
	if seq := top["capturedThroughSeq"]; seq.Kind() != jstext.Null {
		n, ok := seqOf(seq)
		if !ok {
			return nil, notSurface("capturedThroughSeq is neither a seq nor null")
		}
		s.CapturedThroughSeq = &n
	}
	events := top["events"]
	if events.Kind() != jstext.Array {
		return nil, notSurface("events is not an array")
	}
	for e := range events.Elements() {
		ev := ParseEvent(e)
		switch i := len(s.Events); {
		case ev.Seq < 0:
			return nil, notSurface("events[%d] has no seq", i)
		case !SurfaceType(h.Version, ev.Type):
			return nil, notSurface("events[%d] is of type %.80q, which format %d does not have on the surface", i, ev.Type, h.Version)
		case ev.Data.Kind() != jstext.Object:
			return nil, notSurface("events[%d].data is not an object", i)
		}
		s.Events = append(s.Events, ev)
	}
	return s, nil
}

func parseHeader(v jstext.Value) (Header, error) {
	h := Header{JSON: v}
	if v.Kind() != jstext.Object {
		return h, notSurface("session is not an object")
	}
	version, ok := seqOf(v.Get("version"))
	if !ok {
		return h, notSurface("session.version is not a format number")
	}
	if version > NewestVersion {
		return h, NewerVersion(version)
	}
	h.Version = int(version)
	if h.ID, ok = v.Get("id").Text(); !ok {
		return h, notSurface("session.id is not a string")
	}
	if h.CreatedAt, ok = seqOf(v.Get("createdAt")); !ok {
		return h, notSurface("session.createdAt is not a time in milliseconds")
	}
	if cwd := v.Get("cwd"); cwd.Exists() {
		dir, ok := cwd.Text()
		if !ok {
			return h, notSurface("session.cwd is not a string")
		}
		h.Cwd = &dir
	}
	return h, nil
}

func notSurface(format string, args ...any) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "surface-shape",
		Message: "not a printed surface: " + fmt.Sprintf(format, args...),
	}
}
