package hostconfig

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// Dialect is what an agent takes in its file beyond JSON. A file with more is passed
// over by the agent as a whole, our hook with it.
type Dialect struct{ Comments, TrailingCommas bool }

// Check is an error about the first place in a file that the dialect does not have;
// agent names the one that reads it. A file that does not parse is an error too.
func (l Dialect) Check(name, agent string, data []byte) error {
	if blank(data) {
		return nil
	}
	d, err := parse(name, data)
	if err != nil {
		return err
	}
	plain, err := hujson.Standardize(bytes.Clone(d.text))
	if err != nil {
		return d.syntaxFault(err)
	}
	// plain has a space for each byte that JSON does not have.
	for i := 0; i < len(plain); i++ {
		if plain[i] == d.text[i] {
			continue
		}
		if d.text[i] == ',' {
			if !l.TrailingCommas {
				return d.fault(i, "file-dialect", "has a comma behind the last element, which %s does not take", agent)
			}
			continue
		}
		if !l.Comments {
			return d.fault(i, "file-dialect", "has a comment, which %s does not take", agent)
		}
		i += commentLen(d.text[i:]) - 1
	}
	return nil
}

// commentLen is the length of the comment that text begins with, with what ends it
// except a line end; 0 where it begins with none. One that does not end is all of text.
func commentLen(text []byte) int {
	var end string
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		end = "\n"
	case bytes.HasPrefix(text, []byte("/*")):
		end = "*/"
	default:
		return 0
	}
	at := bytes.Index(text[2:], []byte(end))
	switch {
	case at < 0:
		return len(text)
	case end == "\n":
		return 2 + at
	}
	return 2 + at + len(end)
}
