package jstext

import (
	"fmt"
	"strings"
)

// MaxDepth bounds the nesting of arrays and objects. JSON.parse has no such
// bound; a log that nests deeper is hostile, and a walker must not be made to
// recurse by what a file says.
const MaxDepth = 10_000

// SyntaxError says where a text stops being JSON. Offset is in bytes.
type SyntaxError struct {
	Offset int
	Msg    string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Msg, e.Offset) }

// scanValue checks the value that starts at s[i], which must not be white space,
// and returns the index behind it.
func scanValue(s string, i, depth int) (int, error) {
	if i >= len(s) {
		return i, &SyntaxError{i, "text ends inside a value"}
	}
	switch c := s[i]; {
	case c == '"':
		return scanString(s, i)
	case c == '{' || c == '[':
		if depth == MaxDepth {
			return i, &SyntaxError{i, fmt.Sprintf("nested deeper than %d", MaxDepth)}
		}
		if c == '{' {
			return scanObject(s, i, depth+1, nil)
		}
		return scanArray(s, i, depth+1)
	case c == '-' || c >= '0' && c <= '9':
		return scanNumber(s, i)
	}
	for _, word := range [...]string{"null", "true", "false"} {
		if strings.HasPrefix(s[i:], word) {
			return i + len(word), nil
		}
	}
	return i, &SyntaxError{i, "not a JSON value"}
}

// scanObject checks the object at s[i]. member, if not nil, gets what has been
// checked, member by member.
func scanObject(s string, i, depth int, member func(string, Value)) (int, error) {
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1, nil
	}
	for {
		if i >= len(s) || s[i] != '"' {
			return i, &SyntaxError{i, "not an object key"}
		}
		var err error
		key := i
		if i, err = scanString(s, i); err != nil {
			return i, err
		}
		keyEnd := i
		if i = skipSpace(s, i); i >= len(s) || s[i] != ':' {
			return i, &SyntaxError{i, "no colon after an object key"}
		}
		value := skipSpace(s, i+1)
		if i, err = scanValue(s, value, depth); err != nil {
			return i, err
		}
		if member != nil {
			member(unquote(s[key:keyEnd]), Value{s[value:i]})
		}
		if i = skipSpace(s, i); i < len(s) && s[i] == '}' {
			return i + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, &SyntaxError{i, "no comma or } after an object member"}
		}
		i = skipSpace(s, i+1)
	}
}

func scanArray(s string, i, depth int) (int, error) {
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = scanValue(s, i, depth); err != nil {
			return i, err
		}
		if i = skipSpace(s, i); i < len(s) && s[i] == ']' {
			return i + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, &SyntaxError{i, "no comma or ] after an array element"}
		}
		i = skipSpace(s, i+1)
	}
}

// scanString checks the literal at s[i]. The text of a string is not checked to
// be UTF-8: callers decode bytes to a string first (Decode).
func scanString(s string, i int) (int, error) {
	if i >= len(s) || s[i] != '"' {
		return i, &SyntaxError{i, "not a string"}
	}
	for i = plainEnd(s, i+1); i < len(s); i = plainEnd(s, i) {
		switch s[i] {
		case '"':
			return i + 1, nil
		case '\\':
			n, ok := escapeLen(s[i:])
			if !ok {
				return i, &SyntaxError{i, "bad escape in a string"}
			}
			i += n
		default:
			return i, &SyntaxError{i, "control character in a string"}
		}
	}
	return i, &SyntaxError{i, "text ends inside a string"}
}

func escapeLen(s string) (int, bool) {
	if len(s) < 2 {
		return 0, false
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		if len(s) < 6 {
			return 0, false
		}
		for _, c := range []byte(s[2:6]) {
			if unhex(c) > 0xF {
				return 0, false
			}
		}
		return 6, true
	}
	return 0, false
}

func scanNumber(s string, i int) (int, error) {
	start := i
	if s[i] == '-' {
		i++
	}
	digits := func() bool {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return start, &SyntaxError{start, "not a JSON value"}
	}
	if i < len(s) && s[i] == '.' {
		if i++; !digits() {
			return start, &SyntaxError{start, "no digit after the decimal point"}
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return start, &SyntaxError{start, "no digit in the exponent"}
		}
	}
	return i, nil
}
