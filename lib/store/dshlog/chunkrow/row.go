package chunkrow

import (
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// kind is what differs between the three types of row.
type kind struct {
	row     string // the row's type
	delta   string // the type of the chunk that a member stands for
	members string // the row's key for the members' payloads
	payload string // the chunk's key for one payload
	call    bool   // the chunk belongs to a tool call: id, and perhaps name
}

var kinds = [...]kind{
	{"text-chunks", "text-delta", "texts", "text", false},
	{"reasoning-chunks", "reasoning-delta", "texts", "text", false},
	{"tool-call-chunks", "tool-call-delta", "args", "argumentsDelta", true},
}

func kindOf(t jstext.Value) *kind {
	for i := range kinds {
		if t.Is(kinds[i].row) {
			return &kinds[i]
		}
	}
	return nil
}

// Is reports whether a record's type is that of a packed row.
func Is(record jstext.Value) bool { return kindOf(record.Get("type")) != nil }

// Row is one packed row that keeps all rules.
type Row struct {
	Seq0 int64 // the first member's seq
	Len  int64 // members, at least 1; member k has the seq Seq0+k

	kind              *kind
	time0             int64
	turn, step, index jstext.Value
	dt, members       jstext.Value
	id, name          jstext.Value
}

// Parse checks a record for which Is holds. It allocates nothing for a row that
// keeps the rules. Errors are *fault.Error, Damaged, with one of the rules
// envelope-keys, seq0, time0, data-object, data-keys, position, members, dt,
// dt-length, call-identity, member-seqs and member-times.
func Parse(record jstext.Value) (Row, error) {
	r := Row{kind: kindOf(record.Get("type"))}
	if r.kind == nil {
		return Row{}, broken("envelope-keys", "not a packed row")
	}
	var seq0, time0, data jstext.Value
	for k, v := range record.Members() {
		switch k {
		case "type":
		case "seq0":
			seq0 = v
		case "time0":
			time0 = v
		case "data":
			data = v
		default:
			return Row{}, broken("envelope-keys", "a key that no packed row has")
		}
	}
	if !seq0.Exists() || !time0.Exists() || !data.Exists() {
		return Row{}, broken("envelope-keys", "seq0, time0 or data is missing")
	}
	var ok bool
	if r.Seq0, ok = seq0.Int(); !ok || r.Seq0 < 0 {
		return Row{}, broken("seq0", "seq0 is not a non-negative safe integer")
	}
	if r.time0, ok = time0.Int(); !ok {
		return Row{}, broken("time0", "time0 is not a safe integer")
	}
	if err := r.takeData(data); err != nil {
		return Row{}, err
	}
	if err := r.checkMembers(); err != nil {
		return Row{}, err
	}
	return r, nil
}

func (r *Row) takeData(data jstext.Value) error {
	if k := data.Kind(); k != jstext.Object && k != jstext.Array {
		return broken("data-object", "data is not an object")
	}
	for k, v := range data.Members() {
		switch {
		case k == "turn":
			r.turn = v
		case k == "step":
			r.step = v
		case k == "index":
			r.index = v
		case k == "dt":
			r.dt = v
		case k == r.kind.members:
			r.members = v
		case k == "id" && r.kind.call:
			r.id = v
		case k == "name" && r.kind.call:
			r.name = v
		default:
			return broken("data-keys", "a key that the data of no such row has")
		}
	}
	if !r.turn.Exists() || !r.step.Exists() || !r.index.Exists() || !r.dt.Exists() ||
		!r.members.Exists() || r.kind.call && !r.id.Exists() {
		return broken("data-keys", "a key of data is missing")
	}
	if r.turn.Kind() != jstext.Number || r.step.Kind() != jstext.Number || r.index.Kind() != jstext.Number {
		return broken("position", "turn, step or index is not a number")
	}
	return nil
}

func (r *Row) checkMembers() error {
	if r.members.Kind() != jstext.Array {
		return broken("members", "the members are not an array")
	}
	for m := range r.members.Elements() {
		if m.Kind() != jstext.String {
			return broken("members", "a member is not a string")
		}
		r.Len++
	}
	if r.Len == 0 {
		return broken("members", "no member")
	}
	if r.dt.Kind() != jstext.Array {
		return broken("dt", "dt is not an array")
	}
	gaps, sumOK := int64(0), true
	at := r.time0
	for d := range r.dt.Elements() {
		gap, ok := d.Int()
		if !ok {
			return broken("dt", "a gap of dt is not a safe integer")
		}
		gaps++
		if at += gap; at > jstext.MaxSafeInt || at < -jstext.MaxSafeInt {
			sumOK, at = false, 0 // an error already; no sum may overflow
		}
	}
	if gaps != r.Len-1 {
		return broken("dt-length", "dt does not hold one gap less than there are members")
	}
	if r.kind.call && (r.id.Kind() != jstext.String || r.name.Exists() && r.name.Kind() != jstext.String) {
		return broken("call-identity", "the call's id or name is not a string")
	}
	// The sum is made in doubles, as the reference makes it: a row that ends on
	// 2^53 itself is taken (vectors/chunk-rows, row-bounds). No log that counts
	// from 0 gets there.
	if last := float64(r.Seq0) + float64(r.Len) - 1; last > jstext.MaxSafeInt {
		return broken("member-seqs", "the last member's seq is not a safe integer")
	}
	if !sumOK {
		return broken("member-times", "a member's time is not a safe integer")
	}
	return nil
}

func broken(rule, message string) error {
	return &fault.Error{Kind: fault.Damaged, Code: fault.ReadFailed, Rule: rule, Message: "packed row: " + message}
}
