package hostconfig

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Words are the words of a command for sh. ok is false where it is not one plain
// command: a variable, a redirection, a pipe, a second command or a comment make it
// somebody's own.
func Words(command string) (words []string, ok bool) {
	// A text of some kilobytes is none of ours, and the parser recurses.
	const longest = 16 << 10
	if len(command) > longest {
		return nil, false
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangPOSIX), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return nil, false
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns)+len(stmt.Redirs)+len(stmt.Comments) > 0 || stmt.Negated || stmt.Background {
		return nil, false
	}
	for _, arg := range call.Args {
		if !literalParts(arg.Parts) {
			return nil, false
		}
		word, err := expand.Literal(nil, arg)
		if err != nil {
			return nil, false
		}
		words = append(words, word)
	}
	return words, len(words) > 0
}

// literalParts reports whether a shell would take a word as it stands: no variable, no
// command in it.
func literalParts(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
		case *syntax.DblQuoted:
			if p.Dollar || !literalParts(p.Parts) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

var errNotText = errors.New("a word is not UTF-8 or has a NUL in it")

// Join writes words as a command for sh, which Words reads back. A word with a NUL
// cannot be one, and a configuration holds no bytes that are not UTF-8.
func Join(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		if !utf8.ValidString(w) || strings.Contains(w, "\x00") {
			return "", errNotText
		}
		if quoted[i] = w; !plainWord(w) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(quoted, " "), nil
}

// plainWord reports whether sh takes a word as it stands, without quotes, wherever it
// is.
func plainWord(w string) bool {
	const marks = "_@%+:,./-"
	for i := range len(w) {
		c := w[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte(marks, c) >= 0) {
			return false
		}
	}
	return w != ""
}

// flags are those that an install has ever put into a command, each with a value.
var flags = []string{"--store", "--max-refs", "--max-bytes", "--timeout", "--on-error"}

// OwnCommand returns the words of a command that an install of ours wrote for an agent:
//
//	/PATH/dsh-ref hook [--FLAG VALUE…] AGENT
//
// with the flags above and as Join writes it. Whatever else runs our hook is somebody's
// own words, and neither replaced nor removed: see RunsHook.
func OwnCommand(command, agent string) (words []string, ok bool) {
	words, ok = Words(command)
	if !ok || len(words) < 3 || !filepath.IsAbs(words[0]) || !IsProgram(words[0]) || words[1] != "hook" || words[len(words)-1] != agent {
		return nil, false
	}
	options := words[2 : len(words)-1]
	if len(options)%2 != 0 {
		return nil, false
	}
	for i := 0; i < len(options); i += 2 {
		if !slices.Contains(flags, options[i]) {
			return nil, false
		}
	}
	if now, err := Join(words); err != nil || command != now && command != joinedBefore(words) {
		return nil, false
	}
	return words, true
}

// joinedBefore is a command as the first installs quoted it.
func joinedBefore(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil {
			return ""
		}
		quoted[i] = q
	}
	return strings.Join(quoted, " ")
}

// RunsHook reports whether a command seems to run our hook for an agent, whoever wrote
// it: dsh-ref and hook are in it, and then the agent.
func RunsHook(command, agent string) bool {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;&|()", r) })
	for i, w := range words {
		if IsProgram(w) && i+1 < len(words) && words[i+1] == "hook" {
			return slices.Contains(words[i+2:], agent)
		}
	}
	return false
}

// IsProgram reports whether a path can be that of dsh-ref.
func IsProgram(path string) bool {
	return strings.TrimSuffix(filepath.Base(path), ".exe") == "dsh-ref"
}
