package jstext

import (
	"fmt"
	"strconv"
	"strings"
)

// NumberError names a number that JavaScript would change.
type NumberError struct {
	Path    string // where it stands below the value: [0].meta.n, ["odd key"]; empty for the value itself
	Literal string // as it was written
	Becomes string // what JSON.stringify(JSON.parse(Literal)) writes
}

func (e *NumberError) Error() string {
	lit := e.Literal
	if len(lit) > 40 {
		lit = lit[:40] + "…"
	}
	return fmt.Sprintf("number %s would become %s", lit, e.Becomes)
}

// Lossless reports whether a JavaScript host can hold v and write it again
// without changing what it says. Strings, literals and structure always survive;
// a number does not if it is -0, beyond the range of a double, or has digits that
// a double drops (2^53+1). Another spelling of the same number, 1.0 for 1, is no
// change. The error is a *NumberError about the first such number.
//
// It reads v once, whatever its nesting.
func Lossless(v Value) error {
	var path []step
	s := v.raw
	for i := 0; i < len(s); {
		top := len(path) - 1
		switch c := s[i]; {
		case c == '"':
			end := closeQuote(s, i)
			if top >= 0 && path[top].atKey {
				path[top].key, path[top].atKey = s[i:end], false
			}
			i = end
			continue
		case c == '{':
			path = append(path, step{object: true, atKey: true})
		case c == '[':
			path = append(path, step{})
		case c == '}' || c == ']':
			path = path[:top]
		case c == ',' && path[top].object:
			path[top].atKey = true
		case c == ',':
			path[top].index++
		case c == '-' || c >= '0' && c <= '9':
			end := numberEnd(s, i)
			if becomes, ok := survives(s[i:end]); !ok {
				return &NumberError{Path: pathText(path), Literal: s[i:end], Becomes: becomes}
			}
			i = end
			continue
		}
		i++
	}
	return nil
}

// step is one container on the way to a value: the member or element it is at.
type step struct {
	object, atKey bool
	key           string // its literal
	index         int
}

func pathText(path []step) string {
	var b strings.Builder
	for _, p := range path {
		key := ""
		if p.object {
			key = unquote(p.key)
		}
		switch {
		case !p.object:
			fmt.Fprintf(&b, "[%d]", p.index)
		case isName(key) && b.Len() == 0:
			b.WriteString(key)
		case isName(key):
			b.WriteString("." + key)
		default:
			b.WriteString("[" + Quote(key) + "]")
		}
	}
	return b.String()
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func numberEnd(s string, i int) int {
	for i < len(s) && strings.IndexByte("+-.eE0123456789", s[i]) >= 0 {
		i++
	}
	return i
}

// survives reports whether a double holds what the literal says, up to the digits
// that tell it from its neighbours; becomes is what JavaScript would write for it,
// or empty for an integer that it would write as it is.
func survives(lit string) (becomes string, ok bool) {
	if len(lit) < 16 && isPlainInt(lit) {
		return "", true
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil {
		return "null", false // Infinity, which JSON cannot write
	}
	var buf [32]byte
	short := AppendFloat(buf[:0], f)
	if string(short) == lit { // JavaScript wrote it
		return lit, true
	}
	becomes = string(short)
	return becomes, decimalOf(lit) == decimalOf(becomes)
}

// decimal is a number in its one form: no zeros at either end of the digits.
// Zero keeps its sign.
type decimal struct {
	negative bool
	digits   string
	exp      int // of the last digit
}

func decimalOf(lit string) decimal {
	rest, negative := strings.CutPrefix(lit, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(rest), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return decimal{negative: negative}
	}
	// What Atoi refuses is so large that no double's own form equals it.
	exp, _ := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	trimmed := strings.TrimRight(digits, "0")
	return decimal{negative, trimmed, exp - len(fraction) + len(digits) - len(trimmed)}
}
