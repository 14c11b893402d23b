// Package gitignore decides what the patterns of a .gitignore file name.
//
// The rules are git's own (gitignore(5)): the last pattern that matches decides,
// "!" takes back, a trailing "/" means directories only, a pattern with another
// "/" in it is anchored to the directory of its file, any other matches names at
// every depth. Matching takes time linear in the path, whatever the pattern.
package gitignore

import (
	"path"
	"regexp"
	"strings"
)

// File is the patterns of one file, in order.
type File []pattern

// Verdict is what a file says of a path.
type Verdict int

// The verdicts.
const (
	Silent   Verdict = iota // no pattern matches
	Ignored                 // named
	Included                // taken back by "!"
)

type pattern struct {
	negated  bool
	dirOnly  bool
	anchored bool // matched against the whole path, else against its last element
	matches  func(string) bool
}

// Parse reads the text of a .gitignore file. Lines that are no valid pattern name
// nothing, as in git.
func Parse(text string) File {
	var f File
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		if p, ok := parseLine(strings.TrimSuffix(line, "\r")); ok {
			f = append(f, p)
		}
	}
	return f
}

func parseLine(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line, p.negated = strings.CutPrefix(trimSpaces(line), "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	p.matches = matcher(line)
	return p, p.matches != nil
}

// trimSpaces drops the spaces at the end that no backslash protects.
func trimSpaces(s string) string {
	for strings.HasSuffix(s, " ") {
		back := len(s) - 1
		n := 0
		for back-n > 0 && s[back-n-1] == '\\' {
			n++
		}
		if n%2 == 1 {
			break
		}
		s = s[:back]
	}
	return s
}

// matcher compiles a pattern: the usual ones to comparisons, the rest to a regular
// expression, whose engine is linear.
func matcher(glob string) func(string) bool {
	if !strings.ContainsAny(glob, `*?[\`) {
		return func(s string) bool { return s == glob }
	}
	if suffix, ok := strings.CutPrefix(glob, "*"); ok && !strings.ContainsAny(suffix, `*?[\/`) {
		return func(s string) bool { return strings.HasSuffix(s, suffix) && !strings.Contains(s, "/") }
	}
	expr, ok := translate(glob)
	if !ok {
		return nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil // too large a class or the like: nothing a person wrote
	}
	return re.MatchString
}

// Match says what the file decides about a path, slash-separated and relative to
// the file's directory.
func (f File) Match(name string, isDir bool) Verdict {
	for i := len(f) - 1; i >= 0; i-- {
		p := &f[i]
		if p.dirOnly && !isDir {
			continue
		}
		s := name
		if !p.anchored {
			s = path.Base(name)
		}
		if p.matches(s) {
			if p.negated {
				return Included
			}
			return Ignored
		}
	}
	return Silent
}
