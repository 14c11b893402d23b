package hostconfig

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Words are the words of a command for sh. ok is false where it is not one plain
// command: a variable, a redirection, a pipe, a second command or a comment make it
// somebody's own.
func Words(command string) (words []string, ok bool) {
	// A text of some kilobytes is none of ours, and the parser recurses.
	const longest = 16 << 10
	if len(command) > longest || strings.ContainsAny(command, "$`") {
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
		word, err := expand.Literal(nil, arg)
		if err != nil {
			return nil, false
		}
		words = append(words, word)
	}
	return words, len(words) > 0
}

// Join writes words as a command for sh. A word with a NUL cannot be one.
func Join(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil {
			return "", err
		}
		quoted[i] = q
	}
	return strings.Join(quoted, " "), nil
}

// OwnCommand returns the words of a command that runs our hook for an agent:
// PATH/dsh-ref hook [FLAG…] AGENT.
func OwnCommand(command, agent string) (words []string, ok bool) {
	words, ok = Words(command)
	if !ok || len(words) < 3 || words[1] != "hook" || words[len(words)-1] != agent {
		return nil, false
	}
	name := filepath.Base(words[0])
	return words, strings.TrimSuffix(name, ".exe") == "dsh-ref"
}
