package sessionuri

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Scheme is what every session URI begins with. Case matters.
const Scheme = "dsh-session:"

// Encode returns the URI of a session id.
func Encode(id string) string {
	json := jstext.AppendQuote(make([]byte, 0, len(id)+len(id)/8+2), id)
	uri := make([]byte, 0, len(Scheme)+base64.RawURLEncoding.EncodedLen(len(json)))
	return string(base64.RawURLEncoding.AppendEncode(append(uri, Scheme...), json))
}

// Decode returns the session id of a URI. The only URI it accepts for an id is
// the one that Encode gives: no padding, no other alphabet, no JSON escape that
// JSON.stringify would not write, no white space.
func Decode(uri string) (string, error) {
	payload, ok := strings.CutPrefix(uri, Scheme)
	if !ok {
		hint := "a session URI begins with " + Scheme
		if n := len(Scheme); len(uri) >= n && strings.EqualFold(uri[:n], Scheme) {
			hint += " in lower case"
		}
		return "", invalid(uri, "not a session URI", hint)
	}
	if payload == "" {
		return "", invalid(uri, "a session URI without a payload", "")
	}
	if n := payloadLen(payload); n < len(payload) {
		r, _ := jstext.DecodeRune(payload[n:])
		return "", invalid(uri, fmt.Sprintf("%q at byte %d is not base64url", r, len(Scheme)+n), unpadded(r))
	}
	// The decoder would skip \r and \n, but payloadLen has refused them.
	json, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return "", invalid(uri, "the payload is not whole base64url", "")
	}
	if !utf8.Valid(json) {
		return "", invalid(uri, "the payload is not UTF-8", "")
	}
	id, err := jstext.Unquote(string(json))
	if err != nil {
		return "", invalid(uri, "the payload is not one JSON string", "")
	}
	if canonical := Encode(id); canonical != uri {
		hint := ""
		if len(canonical) <= 200 { // else nobody could read it
			hint = "write " + canonical
		}
		return "", invalid(uri, "not the canonical URI of its session", hint)
	}
	return id, nil
}

// payloadLen is the length of the base64url run at the start of s.
func payloadLen(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return i
		}
	}
	return len(s)
}

func unpadded(r rune) string {
	if r == '=' {
		return "a session URI has no padding"
	}
	return ""
}

func invalid(ref, message, hint string) error {
	return &fault.Error{
		Kind: fault.Reference, Code: fault.InvalidReference,
		Subject: "reference " + fault.Quote(ref), Message: message, Hint: hint,
	}
}
