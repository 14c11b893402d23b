package gitignore

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// translate turns a glob into an anchored regular expression. It reports false for
// a glob that matches nothing: an unclosed class, a backslash at the end.
//
// Rule: git's wildmatch with WM_PATHNAME.
func translate(glob string) (string, bool) {
	var b strings.Builder
	b.WriteString(`^(?s:`)
	for i := 0; i < len(glob); {
		switch c := glob[i]; c {
		case '*':
			stars := len(glob[i:]) - len(strings.TrimLeft(glob[i:], "*"))
			expr, n := star(glob, i, stars)
			b.WriteString(expr)
			i += n
		case '?':
			b.WriteString(`[^/]`)
			i++
		case '[':
			expr, n := class(glob[i:])
			if n == 0 {
				return "", false
			}
			b.WriteString(expr)
			i += n
		case '\\':
			i++
			if i == len(glob) {
				return "", false
			}
			fallthrough
		default:
			_, n := utf8.DecodeRuneInString(glob[i:])
			b.WriteString(regexp.QuoteMeta(glob[i : i+n]))
			i += n
		}
	}
	b.WriteString(`)$`)
	return b.String(), true
}

// star translates the run of stars at glob[i] and returns the bytes it took. Two
// or more span directories only where slashes or the ends stand on both sides.
func star(glob string, i, stars int) (string, int) {
	before := i == 0 || glob[i-1] == '/'
	rest := glob[i+stars:]
	switch {
	case stars >= 2 && before && strings.HasPrefix(rest, "/"):
		return `(?:.*/)?`, stars + 1
	case stars >= 2 && before && rest == "" && i > 0:
		return `.+`, stars
	case stars >= 2 && before && rest == "":
		return `.*`, stars
	}
	return `[^/]*`, stars
}

// class translates the bracket expression at the start of s and returns the bytes
// it took, 0 where it is not closed. It never matches a slash.
func class(s string) (string, int) {
	var b strings.Builder
	i := 1
	negated := i < len(s) && (s[i] == '!' || s[i] == '^')
	if negated {
		i++
		b.WriteString(`[^/`)
	} else {
		b.WriteString(`[`)
	}
	empty := true
	for first := true; ; first = false {
		if i >= len(s) {
			return "", 0
		}
		if s[i] == ']' && !first {
			break
		}
		if name, n := posix(s[i:]); n > 0 {
			b.WriteString(name)
			i += n
			empty = false
			continue
		}
		lo, n := member(s[i:])
		if n == 0 {
			return "", 0
		}
		i += n
		hi := lo
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			if hi, n = member(s[i+1:]); n == 0 {
				return "", 0
			}
			i += 1 + n
		}
		empty = !writeRange(&b, lo, hi, negated) && empty
	}
	if empty && !negated {
		return `[^\x{0}-\x{10FFFF}]`, i + 1
	}
	b.WriteByte(']')
	return b.String(), i + 1
}

// writeRange writes lo-hi without the slash, and reports whether anything was left.
func writeRange(b *strings.Builder, lo, hi rune, negated bool) bool {
	if lo > hi {
		return false
	}
	if !negated && lo <= '/' && '/' <= hi {
		left := writeRange(b, lo, '/'-1, true)
		return writeRange(b, '/'+1, hi, true) || left
	}
	fmt.Fprintf(b, `\x{%x}-\x{%x}`, lo, hi)
	return true
}

// member decodes one, possibly escaped, character of a class.
func member(s string) (rune, int) {
	if s[0] == '\\' {
		if len(s) == 1 {
			return 0, 0
		}
		r, n := utf8.DecodeRuneInString(s[1:])
		return r, n + 1
	}
	return utf8.DecodeRuneInString(s)
}

// posix recognises [:name:] inside a class.
func posix(s string) (string, int) {
	if !strings.HasPrefix(s, "[:") {
		return "", 0
	}
	end := strings.Index(s, ":]")
	if end < 0 {
		return "", 0
	}
	switch name := s[2:end]; name {
	case "alnum", "alpha", "blank", "cntrl", "digit", "lower", "space", "upper", "xdigit":
		return s[:end+2], end + 2
	case "graph", "print", "punct": // the slash is one of them
		return map[string]string{
			"graph": `!-.0-~`, "print": ` -.0-~`, "punct": "!-.:-@\\[-`{-~",
		}[name], end + 2
	}
	return "", 0
}
