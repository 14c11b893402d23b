package scan

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
)

const (
	// maxDamage is how many places are kept of one piece, maxUnknown how many types.
	maxDamage  = 64
	maxUnknown = 8
)

// run is what a piece's whole lines hold. Their seqs follow each other; whether the
// first follows what was before the piece is not known here.
type run struct {
	lines  int64 // all of them
	first  int64 // the first record's seq; -1 if nothing counts
	next   int64 // the seq that must follow what counts; -1 as first
	good   int   // where what counts ends
	events []session.Event
	// dropped is how many lines stand at and behind the first damage.
	dropped int64
	damage  []Damage
	// ends says that there is a turn/end, lastEnd where the last one begins.
	ends    bool
	lastEnd int
	unknown []string
	// tail is the seq that follows the last record of all, damaged or not; -1 if that
	// is not known.
	tail int64
}

// reader looks through lines. It is not safe for concurrent use.
type reader struct {
	record.Reader
	// all looks for further damage behind the first.
	all bool
}

// read looks through buf, which ends in a line feed or is empty.
func (r *reader) read(buf []byte) run {
	rn := run{first: -1, next: -1, tail: -1}
	enough := 1
	if r.all {
		enough = maxDamage
	}
	for at := 0; at < len(buf); {
		if len(rn.damage) >= enough {
			r.skim(&rn, buf, at)
			break
		}
		n, next := r.Pass(buf[at:], rn.tail)
		if n > 0 {
			rn.passed(at+n, next)
			at += n
			continue
		}
		end := at + bytes.IndexByte(buf[at:], '\n')
		rec, err := r.Read(buf[at:end])
		rn.line(at, end+1, rec, err)
		at = end + 1
	}
	return rn
}

// skim goes over lines that do not count and are not worth a message, from at on:
// all that matters is whether a turn/end is among them.
func (r *reader) skim(rn *run, buf []byte, at int) {
	n := int64(bytes.Count(buf[at:], []byte{'\n'}))
	rn.lines += n
	rn.dropped += n
	rn.tail = -1
	for at < len(buf) {
		// Its type is spelled in full, or with an escape.
		i := bytes.Index(buf[at:], []byte(endType))
		if j := bytes.IndexByte(buf[at:], '\\'); i < 0 || j >= 0 && j < i {
			i = j
		}
		if i < 0 {
			return
		}
		begin := at + bytes.LastIndexByte(buf[at:at+i], '\n') + 1
		end := at + i + bytes.IndexByte(buf[at+i:], '\n')
		if rec, err := r.Read(buf[begin:end]); err == nil && rec.End {
			rn.ends, rn.lastEnd = true, begin
		}
		at = end + 1
	}
}

const endType = "turn/end"

// passed counts lines that Pass went over: good records all.
func (rn *run) passed(end int, next int64) {
	n := next - rn.tail
	rn.lines += n
	rn.tail = next
	if len(rn.damage) > 0 {
		rn.dropped += n
		return
	}
	rn.next, rn.good = next, end
}

// line counts one line that was read.
func (rn *run) line(at, end int, rec record.Record, err error) {
	rn.lines++
	if err == nil && rec.End {
		rn.ends, rn.lastEnd = true, at
	}
	switch {
	case err != nil:
		rn.broken(Damage{Rule: ruleUnparsable, Offset: int64(at), Expected: rn.tail, Err: err})
		rn.tail = -1
	case rec.Seq < 0:
		rule := ruleGap
		if rec.Null {
			rule = ruleNull
		}
		rn.broken(Damage{Rule: rule, Offset: int64(at), Expected: rn.tail, Got: rec.Got})
		rn.tail = -1
	default:
		if rn.tail >= 0 && rec.Seq != rn.tail {
			rn.broken(Damage{Rule: ruleGap, Offset: int64(at), Expected: rn.tail, Got: fmt.Sprint(rec.Seq)})
		}
		rn.tail = rec.Seq + rec.Len
		rn.record(end, rec)
	}
	if len(rn.damage) > 0 {
		rn.dropped++
	}
}

func (rn *run) broken(d Damage) {
	if len(rn.damage) < maxDamage {
		rn.damage = append(rn.damage, d)
	}
}

// record takes what counts of a record, if nothing before it is damaged.
func (rn *run) record(end int, rec record.Record) {
	if len(rn.damage) > 0 {
		return
	}
	if rn.first < 0 {
		rn.first = rec.Seq
	}
	rn.next, rn.good = rn.tail, end
	if rec.Fold {
		rn.events = append(rn.events, rec.Event)
	}
	rn.unknown = addUnknown(rn.unknown, rec.Unknown)
}

// addUnknown adds a type to a list of the first unknown ones.
func addUnknown(list []string, typ string) []string {
	if typ == "" || len(list) >= maxUnknown || slices.Contains(list, typ) {
		return list
	}
	return append(list, typ)
}
