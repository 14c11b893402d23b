package jstext

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// AppendJSON appends v as JSON.stringify(JSON.parse(text)) would write it: no
// white space, strings in their one form, of duplicate keys the last value in the
// first one's place, integer-like keys first in rising order. A number that no
// double holds exactly keeps its digits, and -0 its sign: reading is lossless
// (SPEC 2), where JavaScript would round. Absent appends nothing.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.Kind() {
	case String:
		if !strings.Contains(v.raw, `\`) {
			return append(dst, v.raw...)
		}
		return AppendQuote(dst, unquote(v.raw))
	case Number:
		return appendNumber(dst, v.raw)
	case Array:
		dst = append(dst, '[')
		first := true
		for e := range v.Elements() {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = e.AppendJSON(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range v.ordered() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendQuote(dst, m.key), ':')
			dst = m.value.AppendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, v.raw...)
}

// JSON is AppendJSON as a string.
func (v Value) JSON() string { return string(v.AppendJSON(make([]byte, 0, len(v.raw)))) }

type member struct {
	key   string
	value Value
}

// ordered is an object's members as JavaScript would enumerate them.
func (v Value) ordered() []member {
	var out []member
	var at map[string]int // made only once an object is large enough to need it
	indexed := false
	for k, m := range v.Members() {
		i := -1
		if at != nil {
			if j, ok := at[k]; ok {
				i = j
			}
		} else {
			i = slices.IndexFunc(out, func(m member) bool { return m.key == k })
		}
		if i >= 0 {
			out[i].value = m
			continue
		}
		if at == nil && len(out) == 16 {
			at = make(map[string]int)
			for j, o := range out {
				at[o.key] = j
			}
		}
		if at != nil {
			at[k] = len(out)
		}
		if _, ok := arrayIndex(k); ok {
			indexed = true
		}
		out = append(out, member{k, m})
	}
	if indexed {
		slices.SortStableFunc(out, func(a, b member) int {
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
		})
	}
	return out
}

// arrayIndex is the key's value where ECMA-262 calls it an array index: a
// canonical decimal below 2^32-1.
func arrayIndex(k string) (uint32, bool) {
	if k == "" || len(k) > 10 || k[0] == '0' && len(k) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(k, 10, 32)
	return uint32(n), err == nil && n < math.MaxUint32 && k[0] != '+'
}

// appendNumber writes a number literal as JavaScript would, or keeps it where
// that would change its value.
func appendNumber(dst []byte, lit string) []byte {
	if len(lit) < 16 && isPlainInt(lit) {
		return append(dst, lit...)
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil || f == 0 && lit[0] == '-' || !sameValue(lit, f) {
		return append(dst, lit...)
	}
	return AppendFloat(dst, f)
}

func isPlainInt(lit string) bool {
	for i := range len(lit) {
		if c := lit[i]; c < '0' || c > '9' {
			return i == 0 && c == '-' && len(lit) > 1 && lit[1] != '0' && isPlainInt(lit[1:])
		}
	}
	return true
}

// sameValue reports whether JavaScript's shortest form of f reads back as the
// value the literal spells, as far as a double can tell apart. A literal with
// more digits than a double carries (2^53+1, a 19-digit id) does not.
func sameValue(lit string, f float64) bool {
	if len(lit) < 16 && f != 0 {
		return true // at most 15 digits: a double is enough, unless it ran out below
	}
	mantissa, exp, found := strings.Cut(strings.ToLower(lit), "e")
	if e, err := strconv.Atoi(exp); found && (err != nil || e > 400 || e < -400) || len(mantissa) > 800 {
		return false // not worth big arithmetic: keep the literal
	}
	want, ok := new(big.Rat).SetString(lit)
	if !ok {
		return false
	}
	short, ok := new(big.Rat).SetString(string(AppendFloat(nil, f)))
	return ok && want.Cmp(short) == 0
}

// AppendFloat appends a finite double as Number.prototype.toString does.
func AppendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if a := math.Abs(f); a < 1e-6 || a >= 1e21 {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		// Go pads the exponent to two digits, JavaScript does not.
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// Equal reports whether two values are the same to a deep comparison in
// JavaScript: key order and spelling do not matter, array order does. Absent
// equals only Absent.
func Equal(a, b Value) bool {
	if a.raw == b.raw {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case String:
		return unquote(a.raw) == unquote(b.raw)
	case Number:
		return string(appendNumber(nil, a.raw)) == string(appendNumber(nil, b.raw))
	case Array:
		x, y := slices.Collect(a.Elements()), slices.Collect(b.Elements())
		return slices.EqualFunc(x, y, Equal)
	case Object:
		x, y := a.ordered(), b.ordered()
		byKey := func(p, q member) int { return strings.Compare(p.key, q.key) }
		slices.SortFunc(x, byKey)
		slices.SortFunc(y, byKey)
		return slices.EqualFunc(x, y, func(p, q member) bool { return p.key == q.key && Equal(p.value, q.value) })
	}
	return false
}
