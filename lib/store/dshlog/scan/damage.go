package scan

import (
	"fmt"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// Damage is one thing that is wrong with a log.
type Damage struct {
	// Rule is unparsable, seq-gap, null-record or frame.
	Rule string
	// Frame is the offset in the file of the zstd frame that the damage is or lies
	// in; 0 for a raw log.
	Frame int64
	// Offset is where the damaged line begins, in the decoded bytes; for a raw log
	// that is the offset in the file. For a frame it is where its lines would begin.
	Offset int64
	// Expected is the seq that should have come, -1 if that is not known; Got is
	// what came in its place.
	Expected int64
	Got      string
	// Err is why a line is no record or a frame does not decode.
	Err error
	// Committed says that a turn/end stands behind the damage.
	Committed bool
}

// The rules of damage.
const (
	ruleUnparsable = "unparsable"
	ruleGap        = "seq-gap"
	ruleNull       = "null-record"
	ruleFrame      = "frame"
)

func (d Damage) String() string {
	var what string
	switch d.Rule {
	case ruleGap, ruleNull:
		what = fmt.Sprintf("seq gap, expected %d got %s", d.Expected, d.Got)
	case ruleFrame:
		return fmt.Sprintf("zstd frame at byte %d: %v", d.Frame, d.Err)
	default:
		what = fmt.Sprintf("not a record: %v", d.Err)
	}
	if d.Frame > 0 {
		return fmt.Sprintf("line at decoded byte %d, in the zstd frame at byte %d: %s", d.Offset, d.Frame, what)
	}
	return fmt.Sprintf("line at byte %d: %s", d.Offset, what)
}

// Fault is the error that committed damage is.
func (d Damage) Fault() error {
	rule := "committed-" + d.Rule
	if d.Rule == ruleNull {
		rule = d.Rule // as the reference names it, committed or not
	}
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: rule,
		Message: d.String() + "; a later turn/end shows that this was written in full once",
	}
}

func windowFault(frame int64, err error) error {
	return &fault.Error{
		Kind: fault.Unsupported, Code: fault.ReadFailed, Rule: "window-size",
		Message: fmt.Sprintf("zstd frame at byte %d", frame), Err: err,
		Hint: "zstd -d, then zstd without --long or --ultra, makes a log that can be read",
	}
}

func bombFault(frame int64) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "decoded-size",
		Message: fmt.Sprintf("zstd frame at byte %d: the log decodes to more than %d times its size, which no real log does", frame, maxRatio),
	}
}

func lineFault(offset int64) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "line-size",
		Message: fmt.Sprintf("line at decoded byte %d: longer than the %d MiB that a compressed log may have", offset, maxZstdLine>>20),
	}
}
