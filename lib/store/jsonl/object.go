package jsonl

import (
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Object is a record's members by name, for readers that ask for many of them. A
// member of the wrong type is as if it were absent.
type Object map[string]jstext.Value

// Members makes an Object of a value; one that is no object has none. Of duplicate
// keys the last wins.
func Members(v jstext.Value) Object {
	o := make(Object, 16)
	o.Set(v)
	return o
}

// Set makes o the members of v, so that one Object serves a whole file.
func (o Object) Set(v jstext.Value) {
	clear(o)
	for key, m := range v.Members() {
		o[key] = m
	}
}

// Text is a member's string, empty where it has none.
func (o Object) Text(key string) string {
	s, _ := o[key].Text()
	return s
}

// True reports whether a member is the literal true.
func (o Object) True(key string) bool { return o[key].True() }

// Object is a member's members.
func (o Object) Object(key string) Object { return Members(o[key]) }

// Millis is the time that a member tells as RFC 3339 text, in ms since the epoch,
// 0 where it tells none or one before it.
func (o Object) Millis(key string) int64 {
	t, err := time.Parse(time.RFC3339Nano, o.Text(key))
	if err != nil {
		return 0
	}
	return max(t.UnixMilli(), 0)
}

// Optional is a member's string, nil where it has none.
func (o Object) Optional(key string) *string {
	s, ok := o[key].Text()
	if !ok {
		return nil
	}
	s = strings.Clone(s) // it must not hold the record's text
	return &s
}

// IsUUID reports whether s is a UUID in its usual form, of which agents make ids
// and file names.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHex(s[i]) {
			return false
		}
	}
	return true
}
