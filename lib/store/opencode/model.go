package opencode

import (
	"cmp"
	"hash"
	"regexp"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// Kind is the store's kind and the prefix of its ids.
const Kind = "opencode"

// generation is a way of keeping sessions; the higher one is preferred.
type generation int

const (
	genOldFiles generation = iota
	genFiles
	genSQL1
	genSQL2
)

func (g generation) String() string {
	return [...]string{"opencode json (2025)", "opencode json", "opencode sqlite v1", "opencode sqlite v2"}[g]
}

// record is a session's own record: what a listing needs.
type record struct {
	id      string
	child   bool   // a subagent's session
	put     bool   // archived
	fork    string // the session whose messages were copied, as far as the record says
	title   *string
	cwd     *string
	created int64 // ms
	updated int64 // ms
	gen     generation
	path    string // the database, or the record's file
	// What a pending revert begins to hide; empty: none.
	revertMessage, revertPart string
}

func (r *record) setRevert(v jstext.Value) {
	r.revertMessage, r.revertPart = text(v.Get("messageID")), text(v.Get("partID"))
}

// complete fills in one time for the other where that is missing.
func (r record) complete() record {
	r.updated = max(r.updated, r.created)
	if r.created == 0 {
		r.created = r.updated
	}
	return r
}

// compare orders records of one session, the preferred one first.
func (r record) compare(s record) int {
	return cmp.Or(cmp.Compare(s.gen, r.gen), cmp.Compare(s.updated, r.updated))
}

// newerThan reports whether the session was written here after the files of s were
// left behind. Only files are left behind by another time: tables of one database are
// upgraded in place.
func (r record) newerThan(s record) bool {
	return isRecordFile(s.path) && !isRecordFile(r.path) && r.updated > s.updated
}

// defaultTitle is what OpenCode takes for no title. The title of a fork of such a
// session is none of these: OpenCode shows it, and never makes a better one.
var defaultTitle = regexp.MustCompile(`^(New|Child) session - \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// titleOf is the title as OpenCode shows it, nil for none: an empty one, or the
// placeholder that a session has until a model has named it.
func titleOf(s string) *string {
	if s = strings.TrimSpace(s); s == "" || defaultTitle.MatchString(s) {
		return nil
	}
	return &s
}

// optional is nil for an empty string.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// reading is a session as it is read.
type reading struct {
	transcript.Builder
	record   record
	last     int64 // the highest seq, -1 for none
	compact  bool  // what is shown comes after a compaction
	sealed   bool  // whose summary is empty
	reverted bool  // a pending revert hides something
	lineage  string
	notes    []string
	// broken are the records of messages and parts that could not be read, by
	// messageKey or partKey; true: each counts as damage, false: it was found elsewhere.
	broken map[string]bool
	tally
}

func messageKey(id string) string { return "message " + id }
func partKey(id string) string    { return "part " + id }

// lose counts a record that could not be read, once however often it is met, and
// reports whether it is the first time.
func (t *reading) lose(key string) (first bool) {
	if _, known := t.broken[key]; known {
		return false
	}
	if t.broken == nil {
		t.broken = make(map[string]bool)
	}
	t.broken[key] = true
	t.damaged++
	return true
}

// restore takes back that a record is lost.
func (t *reading) restore(key string) {
	if t.broken[key] {
		t.broken[key] = false
		t.damaged--
	}
}

func (t *reading) checkpoint(seq, time int64, text string) {
	t.compact = true
	t.sealed = !t.Checkpoint(seq, time, text)
}

// tally counts what was read.
type tally struct {
	bytes   int64
	damaged int64
	named   int64     // damaged ones that have a note of their own
	hash    hash.Hash // nil: not asked for
}

// add counts the bytes of one record.
func (t *tally) add(data []byte) {
	t.bytes += int64(len(data))
	if t.hash != nil {
		t.hash.Write(data)
	}
}

// parse reads one record's JSON text and counts it; a damaged one is not ok, and is
// counted as such.
func (t *tally) parse(data []byte) (v jstext.Value, ok bool) {
	if v, ok = t.look(data); !ok {
		t.damaged++
	}
	return v, ok
}

// look is parse for who counts damage in another way.
func (t *tally) look(data []byte) (v jstext.Value, ok bool) {
	t.add(data)
	v, err := jstext.Parse(jstext.Decode(data))
	if err != nil || v.Kind() != jstext.Object {
		return jstext.Value{}, false
	}
	return v, true
}
