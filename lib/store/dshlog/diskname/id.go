package diskname

import (
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// NoCwd is the directory of the sessions without a working directory, in both
// layouts.
const NoCwd = "_no-cwd"

const upperHex = "0123456789ABCDEF"

// EncodeID returns the path segment of a session id, in ASCII: the letters,
// digits and ._- stand for themselves, each other UTF-16 code unit (and ~) is
// ~XXXX. The names "." and ".." are escaped whole. The empty id has no segment
// and is a *fault.Error with the rule "empty-id".
//
// A segment is at most five bytes for each code unit of the id; whether a file
// system takes a name of that length is for it to say.
func EncodeID(id string) (string, error) {
	switch id {
	case "":
		return "", &fault.Error{
			Kind: fault.Reference, Code: fault.InvalidReference, Rule: "empty-id",
			Subject: `session ""`, Message: "the empty id cannot be stored",
		}
	case ".":
		return "~002E", nil
	case "..":
		return "~002E~002E", nil
	}
	return string(appendUnits(make([]byte, 0, len(id)), id)), nil
}

// DecodeID is the way back. It reports false for a segment that EncodeID would
// not have written: every id has exactly one.
func DecodeID(segment string) (id string, ok bool) {
	out := make([]byte, 0, len(segment))
	for i := 0; i < len(segment); {
		if c := segment[i]; c != '~' {
			if !literal(c) {
				return "", false
			}
			out = append(out, c)
			i++
			continue
		}
		unit, ok := unitAt(segment[i:])
		if !ok {
			return "", false
		}
		out = jstext.AppendRune(out, unit)
		i += escapeLen
	}
	id = jstext.Join(string(out))
	again, err := EncodeID(id)
	return id, err == nil && again == segment
}

const escapeLen = len("~XXXX")

func unitAt(s string) (rune, bool) {
	if len(s) < escapeLen {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[1:escapeLen]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func literal(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
}

// appendUnits appends s with every code unit escaped that is not literal.
func appendUnits(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if literal(s[i]) {
			dst = append(dst, s[i])
			i++
			continue
		}
		_, n := jstext.DecodeRune(s[i:])
		for _, u := range jstext.UTF16(s[i : i+n]) {
			dst = append(dst, '~', upperHex[u>>12], upperHex[u>>8&0xF], upperHex[u>>4&0xF], upperHex[u&0xF])
		}
		i += n
	}
	return dst
}
