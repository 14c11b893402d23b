package jstext

import (
	"iter"
	"math"
	"strconv"
	"strings"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. Absent is JavaScript's undefined: the zero Value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value inside a text that Parse has accepted. It shares the
// text's memory and copies nothing until it is asked for a string. The zero Value
// is Absent; asking it, or a value of another kind, for a member is not an error
// but Absent again, so that a path can be walked without checks in between.
type Value struct{ raw string }

// Parse reads one JSON text, white space around it allowed. Errors are
// *SyntaxError. The text must be WTF-8 or UTF-8; see Decode for bytes.
func Parse(text string) (Value, error) {
	start := skipSpace(text, 0)
	end, err := scanValue(text, start, 0)
	if err != nil {
		return Value{}, err
	}
	if rest := skipSpace(text, end); rest != len(text) {
		return Value{}, &SyntaxError{rest, "text after the JSON value"}
	}
	return Value{text[start:end]}, nil
}

// ParseMembers is Parse that hands out the members of an object on the way, as
// Members would afterwards, in one pass over the text. What has been handed out is
// sound even if the text turns out not to be: then there is an error. A text that is
// no object hands out nothing.
func ParseMembers(text string, member func(key string, value Value)) (Value, error) {
	start := skipSpace(text, 0)
	if start == len(text) || text[start] != '{' {
		return Parse(text)
	}
	end, err := scanObject(text, start, 1, member)
	if err != nil {
		return Value{}, err
	}
	if rest := skipSpace(text, end); rest != len(text) {
		return Value{}, &SyntaxError{rest, "text after the JSON value"}
	}
	return Value{text[start:end]}, nil
}

// MustParse is Parse for texts that the program itself has written.
func MustParse(text string) Value {
	v, err := Parse(text)
	if err != nil {
		panic("jstext: " + err.Error())
	}
	return v
}

// FromString is the JSON value of a JavaScript string.
func FromString(s string) Value { return Value{Quote(s)} }

// Raw is the value's own text, exactly as it was read.
func (v Value) Raw() string { return v.raw }

// Kind is the value's type.
func (v Value) Kind() Kind {
	if v.raw == "" {
		return Absent
	}
	switch v.raw[0] {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Exists reports whether the value is not Absent.
func (v Value) Exists() bool { return v.raw != "" }

// Members yields an object's members in the order of the text, duplicates
// included; keys are decoded. Other kinds yield nothing.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		s := v.raw
		for i := skipSpace(s, 1); s[i] != '}'; {
			end := closeQuote(s, i)
			key := unquote(s[i:end])
			i = skipSpace(s, skipSpace(s, end)+1)
			end = next(s, i)
			if !yield(key, Value{s[i:end]}) {
				return
			}
			if i = skipSpace(s, end); s[i] == ',' {
				i = skipSpace(s, i+1)
			}
		}
	}
}

// Elements yields an array's elements. Other kinds yield nothing.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		s := v.raw
		for i := skipSpace(s, 1); s[i] != ']'; {
			end := next(s, i)
			if !yield(Value{s[i:end]}) {
				return
			}
			if i = skipSpace(s, end); s[i] == ',' {
				i = skipSpace(s, i+1)
			}
		}
	}
}

// Len is the number of elements or members, duplicates included; 0 for others.
func (v Value) Len() int {
	n := 0
	for range v.Elements() {
		n++
	}
	for range v.Members() {
		n++
	}
	return n
}

// Get follows keys from v. Of duplicate keys the last wins, as in JSON.parse.
func (v Value) Get(keys ...string) Value {
	for _, key := range keys {
		var found Value
		for k, m := range v.Members() {
			if k == key {
				found = m
			}
		}
		v = found
	}
	return v
}

// Text is the value's string, and whether it is one.
func (v Value) Text() (string, bool) {
	if v.Kind() != String {
		return "", false
	}
	return unquote(v.raw), true
}

// Is reports whether v is the string s.
func (v Value) Is(s string) bool {
	t, ok := v.Text()
	return ok && t == s
}

// True reports whether v is the literal true.
func (v Value) True() bool { return v.raw == "true" }

// Float is the value's number as a double, as JSON.parse would give it.
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// MaxSafeInt is JavaScript's Number.MAX_SAFE_INTEGER.
const MaxSafeInt = 1<<53 - 1

// Int is the value's number where Number.isSafeInteger holds for it: 1e1 and 5.0
// are integers, 2^53 is not. As in JavaScript, digits beyond double precision are
// lost before the question is asked. -0 is 0.
func (v Value) Int() (int64, bool) {
	if n := len(v.raw); n > 0 && n < 16 {
		if i, err := strconv.ParseInt(v.raw, 10, 64); err == nil {
			return i, true
		}
	}
	f, ok := v.Float()
	if !ok || f != math.Trunc(f) || math.Abs(f) > MaxSafeInt {
		return 0, false
	}
	return int64(f), true
}

// IsNegativeZero reports whether JSON.parse would give -0, which is not the
// same as 0 to a validator that asks (scan-log vectors, bad-header-negative-zero).
func (v Value) IsNegativeZero() bool {
	if !strings.HasPrefix(v.raw, "-") {
		return false
	}
	f, ok := v.Float()
	return ok && f == 0
}
