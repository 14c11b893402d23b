// Package completion is the list that opens behind an @: which text asks for it,
// what is in it, which row is chosen, and what choosing puts into the text.
//
// It does no I/O. Its owner runs the two searches, one for sessions and one for
// files, and hands in what they find; each search carries the generation it was
// made for, so that an answer to an older question changes nothing.
package completion

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is the @word, or @"several words, that ends at the cursor.
type Token struct {
	Start  int // the cluster of the @ in the cursor's line
	Len    int // clusters from the @ to the cursor
	Quoted bool
	Query  string // what has been typed behind the @ or the quote
}

// Find looks for a token that ends at the end of before: the clusters of a line up
// to the cursor, the empty string standing for a chip. An @ counts at a word's
// edge only, so that an e-mail address is none.
func Find(before []string) (Token, bool) {
	for i := 0; i < len(before); i++ {
		if before[i] != "@" || i > 0 && !edge(before[i-1]) {
			continue
		}
		from := i + 1
		quoted := from < len(before) && before[from] == `"`
		if quoted {
			from++
		}
		end := tokenEnd(before, from, quoted)
		if end < 0 {
			return Token{i, len(before) - i, quoted, strings.Join(before[from:], "")}, true
		}
		i = end - 1
	}
	return Token{}, false
}

// tokenEnd is where the token whose query begins at from has ended: at white space
// or a chip, or behind its closing quote. It is negative where the token goes on.
func tokenEnd(before []string, from int, quoted bool) int {
	for i := from; i < len(before); i++ {
		switch {
		case quoted && before[i] == `"`:
			return i + 1
		case !quoted && (before[i] == "" || blank(before[i])):
			return i
		}
	}
	return -1
}

func blank(cluster string) bool {
	r, _ := utf8.DecodeRuneInString(cluster)
	return unicode.IsSpace(r)
}

// edge reports whether an @ behind this cluster begins a word: behind white space
// and opening brackets and quotes, and behind the punctuation of scripts that set
// no spaces.
func edge(cluster string) bool {
	r, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case cluster == "": // a chip
		return false
	case unicode.IsSpace(r), strings.ContainsRune("([{<'\"`,;、。，：；", r):
		return true
	}
	return unicode.Is(unicode.Ps, r) || unicode.Is(unicode.Pi, r)
}
