package jstext

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// AppendJSON appends v as JSON.stringify(JSON.parse(text)) would write it: no
// white space, strings in their one form, of duplicate keys the last value in the
// first one's place, integer-like keys first in rising order. A number that no
// double holds exactly keeps its digits, and -0 its sign: reading is lossless
// (SPEC 2), where JavaScript would round. Absent appends nothing.
func (v Value) AppendJSON(dst []byte) []byte { return v.append(dst, false) }

// JSON is AppendJSON as a string.
func (v Value) JSON() string { return string(v.AppendJSON(make([]byte, 0, len(v.raw)))) }

// Equal reports whether two values are the same to a deep comparison in
// JavaScript: key order and spelling do not matter, array order does. Absent
// equals only Absent.
func Equal(a, b Value) bool {
	if a.raw == b.raw {
		return true
	}
	return a.Kind() == b.Kind() && string(a.append(nil, true)) == string(b.append(nil, true))
}

func (v Value) append(dst []byte, sorted bool) []byte {
	if v.raw == "" {
		return dst
	}
	w := stringifier{s: v.raw, sorted: sorted}
	if k := v.Kind(); k == Object || k == Array {
		w.brackets, w.members = outline(v.raw), make([]member, 0, 16)
	}
	dst, _ = w.value(dst, cursor{})
	return dst
}

// stringifier rewrites one checked text. It knows beforehand where every bracket
// closes, so that no text inside nested values is read once for each level.
type stringifier struct {
	s        string
	brackets []bracket
	members  []member // those of all open objects, the innermost last
	sorted   bool     // by key, instead of JavaScript's order
}

// cursor is a place in the text: an index, and the number of brackets that open
// before it.
type cursor struct{ at, bracket int }

type member struct {
	key   string
	value cursor
}

// value appends the value at c and returns the place behind it.
func (w *stringifier) value(dst []byte, c cursor) ([]byte, cursor) {
	switch w.s[c.at] {
	case '{':
		return w.object(dst, c), w.skip(c)
	case '[':
		return w.array(dst, c), w.skip(c)
	}
	end := w.skip(c)
	lit := w.s[c.at:end.at]
	switch {
	case lit[0] == '"' && stringified(lit):
		dst = append(dst, lit...)
	case lit[0] == '"':
		dst = AppendQuote(dst, unquote(lit))
	case lit[0] <= '9': // a digit or the minus sign
		dst = appendNumber(dst, lit)
	default:
		dst = append(dst, lit...)
	}
	return dst, end
}

func (w *stringifier) array(dst []byte, c cursor) []byte {
	dst = append(dst, '[')
	c = cursor{skipSpace(w.s, c.at+1), c.bracket + 1}
	for first := true; w.s[c.at] != ']'; first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst, c = w.value(dst, c)
		c = w.comma(c)
	}
	return append(dst, ']')
}

func (w *stringifier) object(dst []byte, c cursor) []byte {
	base := len(w.members)
	w.collect(c)
	dst = append(dst, '{')
	for i := base; i < len(w.members); i++ { // w.members moves when it grows
		if i > base {
			dst = append(dst, ',')
		}
		m := w.members[i]
		dst = append(AppendQuote(dst, m.key), ':')
		dst, _ = w.value(dst, m.value)
	}
	w.members = w.members[:base]
	return append(dst, '}')
}

// collect pushes the members of the object at c, in the order and with the
// values that they will be written in.
func (w *stringifier) collect(c cursor) {
	base, indexed := len(w.members), false
	var seen map[string]int // made only once an object is large enough to need it
	find := func(key string) int {
		if seen != nil {
			if i, ok := seen[key]; ok {
				return i
			}
			return -1
		}
		return slices.IndexFunc(w.members[base:], func(m member) bool { return m.key == key })
	}
	c = cursor{skipSpace(w.s, c.at+1), c.bracket + 1}
	for w.s[c.at] != '}' {
		end := closeQuote(w.s, c.at)
		key := unquote(w.s[c.at:end])
		c.at = skipSpace(w.s, skipSpace(w.s, end)+1)
		if i := find(key); i >= 0 {
			w.members[base+i].value = c
		} else {
			n := len(w.members) - base
			if seen == nil && n == 16 {
				seen = make(map[string]int)
				for i, m := range w.members[base:] {
					seen[m.key] = i
				}
			}
			if seen != nil {
				seen[key] = n
			}
			_, isIndex := arrayIndex(key)
			indexed = indexed || isIndex
			w.members = append(w.members, member{key, c})
		}
		c = w.comma(w.skip(c))
	}
	switch {
	case w.sorted:
		slices.SortFunc(w.members[base:], func(a, b member) int { return strings.Compare(a.key, b.key) })
	case indexed:
		slices.SortStableFunc(w.members[base:], enumerationOrder)
	}
}

// skip returns the place behind the value at c.
func (w *stringifier) skip(c cursor) cursor {
	switch w.s[c.at] {
	case '{', '[':
		b := w.brackets[c.bracket]
		return cursor{b.end, b.next}
	}
	return cursor{next(w.s, c.at), c.bracket}
}

// comma returns the place behind white space and a comma.
func (w *stringifier) comma(c cursor) cursor {
	if c.at = skipSpace(w.s, c.at); w.s[c.at] == ',' {
		c.at = skipSpace(w.s, c.at+1)
	}
	return c
}

// enumerationOrder is the order of an object's keys in JavaScript: those that are
// array indexes by number, then the others as they came.
func enumerationOrder(a, b member) int {
	x, okx := arrayIndex(a.key)
	y, oky := arrayIndex(b.key)
	switch {
	case okx && oky:
		return cmp.Compare(x, y)
	case okx:
		return -1
	case oky:
		return 1
	}
	return 0
}

// arrayIndex is the key's value where ECMA-262 calls it an array index: a
// canonical decimal below 2^32-1.
func arrayIndex(k string) (uint32, bool) {
	if k == "" || len(k) > 10 || k[0] < '0' || k[0] > '9' || k[0] == '0' && len(k) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(k, 10, 32)
	return uint32(n), err == nil && n < math.MaxUint32
}
