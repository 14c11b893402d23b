package record

import (
	"fmt"
	"math"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// MaxVersion is the newest format that this toolkit reads.
const MaxVersion = 4

// ParseHeader reads the first line of a log, as far as a scan needs it. A header
// that it takes may still be one that no log can have: see CheckHeader. Version is
// -1 where it is not an integer.
//
// Errors are *fault.Error, Damaged, with the rule header-json or header-shape.
func ParseHeader(line []byte) (session.Header, error) {
	var m headerMembers
	_, err := jstext.ParseMembers(jstext.Decode(line), m.take)
	if err != nil {
		return session.Header{}, headerFault("header-json", "the first line is not JSON", err)
	}
	id, isText := m.at[keyID].Text()
	depth := m.at[keyDepth]
	switch {
	case !m.typ.Is("session"):
		return session.Header{}, headerFault("header-shape", "the first line is not a session header", nil)
	case m.at[keyVersion].Kind() != jstext.Number, !isText, m.at[keyCreatedAt].Kind() != jstext.Number,
		!isCount(depth) || depth.IsNegativeZero():
		return session.Header{}, headerFault("header-shape",
			"the session header lacks version, id, createdAt or delegationDepth, or has another type of them", nil)
	}
	h := session.Header{Version: -1, ID: id}
	if n, ok := m.at[keyVersion].Int(); ok {
		h.Version = int(min(n, math.MaxInt32))
	}
	h.CreatedAt, _ = m.at[keyCreatedAt].Int()
	if cwd, ok := m.at[keyCwd].Text(); ok {
		h.Cwd = &cwd
	}
	h.JSON = m.printed(h.Version)
	return h, nil
}

// headerKeys are the keys of a header that are known, in the order in which they
// are printed.
var headerKeys = [...]string{
	keyVersion: "version", keyID: "id", keyCreatedAt: "createdAt", keyCwd: "cwd", keyParent: "parentSession",
	keySeedLength: "seedLength", keySeeded: "isSeeded", keyOrigin: "origin", keyDepth: "delegationDepth",
}

const (
	keyVersion = iota
	keyID
	keyCreatedAt
	keyCwd
	keyParent
	keySeedLength
	keySeeded
	keyOrigin
	keyDepth
	keyCount
)

// headerMembers are the known members of a header.
type headerMembers struct {
	typ jstext.Value
	at  [keyCount]jstext.Value
}

func (m *headerMembers) take(key string, v jstext.Value) {
	if key == "type" {
		m.typ = v
		return
	}
	for i, k := range headerKeys {
		if key == k {
			m.at[i] = v
		}
	}
}

// printed is the header with the known keys only, of seedLength and isSeeded the one
// that the format has.
func (m *headerMembers) printed(version int) jstext.Value {
	foreign := keySeeded
	if version >= 2 {
		foreign = keySeedLength
	}
	var w jstext.Writer
	w.BeginObject()
	for i, key := range headerKeys {
		if i != foreign && m.at[i].Exists() {
			w.Key(key)
			w.Raw(m.at[i])
		}
	}
	w.EndObject()
	return w.Value()
}

// isCount reports whether v is a non-negative safe integer.
func isCount(v jstext.Value) bool {
	n, ok := v.Int()
	return ok && n >= 0
}

// CheckHeader holds a header against what a log of its format can have.
//
// A version that is newer than MaxVersion is a *fault.Error of kind Unsupported,
// with the rule newer-version; every other fault is Damaged, with the rule
// header-value.
func CheckHeader(h session.Header) error {
	v := h.JSON
	version := v.Get("version")
	if n, ok := version.Float(); ok && n > MaxVersion && n == math.Trunc(n) {
		return Newer(version.JSON())
	}
	optional := func(key string, ok func(jstext.Value) bool) bool {
		m := v.Get(key)
		return !m.Exists() || ok(m)
	}
	isText := func(v jstext.Value) bool { return v.Kind() == jstext.String }
	switch {
	case h.Version < 0:
		return headerFault("header-value", "version "+version.JSON()+" is no format", nil)
	case h.ID == "":
		return headerFault("header-value", "the id is empty", nil)
	case !isCount(v.Get("createdAt")):
		return headerFault("header-value", "createdAt is not a non-negative safe integer", nil)
	case v.Get("cwd").Exists() && (h.Cwd == nil || !session.IsAbs(*h.Cwd)):
		return headerFault("header-value", "cwd is not an absolute path", nil)
	case !optional("parentSession", isText):
		return headerFault("header-value", "parentSession is not a string", nil)
	case !optional("seedLength", isCount):
		return headerFault("header-value", "seedLength is not a non-negative safe integer", nil)
	case !optional("isSeeded", func(v jstext.Value) bool { return v.Kind() == jstext.Bool }):
		return headerFault("header-value", "isSeeded is not a boolean", nil)
	}
	return nil
}

// Newer is the error for a log of a format that is newer than MaxVersion. It promises
// no newer release: several programs write formats of their own under the number 5.
func Newer(version string) error {
	return &fault.Error{
		Kind: fault.Unsupported, Code: fault.ReadFailed, Rule: "newer-version",
		Message: fmt.Sprintf("session format %s is newer than this tool reads (%d)", version, MaxVersion),
		Hint:    "a generation below beside it, such as session.v4.jsonl, can be read by its path",
	}
}

func headerFault(rule, message string, err error) error {
	return &fault.Error{Kind: fault.Damaged, Code: fault.ReadFailed, Rule: rule, Message: message, Err: err}
}
