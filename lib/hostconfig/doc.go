// Package hostconfig edits the configuration of other programs: it puts a hook of
// ours into a JSON file, finds it again and takes it out.
//
// The files are JSON with what people and editors add to it: comments, trailing
// commas, a byte order mark, CRLF. An edit inserts or cuts text where the entry
// stands and touches no other byte. The library hujson finds the places; nothing is
// written anew from a tree.
//
// A file that does not parse, or whose hooks are not of the shape that its program
// documents, is a *fault.Error of kind Usage that names file, line, column and rule.
// A file of more than MaxSize bytes, or nested deeper than maxDepth, is one too.
//
// File is the other half: reading and replacing a file so that a crash, a link or
// another writer loses nothing.
package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

const (
	// MaxSize is the largest file that is edited, in bytes. Settings have some
	// kilobytes.
	MaxSize = 4 << 20
	// maxDepth bounds the recursion of the parser.
	maxDepth = 200
)

// bom is the byte order mark of UTF-8, which some editors put first.
const bom = "\xef\xbb\xbf"

// document is a file that was parsed. Offsets are those of text.
type document struct {
	name string
	mark string // bom, or nothing
	text []byte // behind the mark
	root hujson.Value
}

// parse reads a file; name is what errors call it.
func parse(name string, data []byte) (*document, error) {
	d := &document{name: name}
	text, marked := bytes.CutPrefix(data, []byte(bom))
	if marked {
		d.mark = bom
	}
	// Clipped, so that no append below writes into the caller's bytes.
	d.text = text[:len(text):len(text)]
	if len(data) > MaxSize {
		return nil, d.fault(0, "file-size", "is larger than %d bytes", MaxSize)
	}
	if at, deep := tooDeep(text); deep {
		return nil, d.fault(at, "file-depth", "is nested deeper than %d levels", maxDepth)
	}
	root, err := hujson.Parse(d.text)
	if err != nil {
		return nil, d.syntaxFault(err)
	}
	d.root = root
	return d, nil
}

// blank reports whether a file has no text, which is taken like no file.
func blank(data []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte(bom)))) == 0
}

// tooDeep finds where text is nested deeper than maxDepth. It knows strings and
// comments and nothing else of the grammar.
func tooDeep(text []byte) (offset int, deep bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += max(commentLen(text[i:])-1, 0)
		case '{', '[':
			if depth++; depth > maxDepth {
				return i, true
			}
		case '}', ']':
			depth--
		}
	}
	return 0, false
}

// fault is an error about the place at offset. The rule is a machine's name for what
// was broken; the message says it in words.
func (d *document) fault(offset int, rule, format string, args ...any) error {
	before := d.text[:min(offset, len(d.text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return d.at(line, column, rule, fmt.Sprintf(format, args...))
}

func (d *document) at(line, column int, rule, message string) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.InvalidConfig, Rule: rule, Message: message,
		Subject: fmt.Sprintf("%s:%d:%d", d.name, line, column),
		Hint:    "nothing was changed",
	}
}

// syntaxFault takes the place out of hujson's text, which has it nowhere else.
func (d *document) syntaxFault(err error) error {
	var line, column int
	inner := errors.Unwrap(err)
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil || inner == nil {
		line, column, inner = 1, 1, err
	}
	return d.at(line, column, "file-syntax", "is not JSON with comments: "+inner.Error())
}

// object returns the value as an object.
func (d *document) object(v *hujson.Value, what string) (*hujson.Object, error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, d.fault(v.StartOffset, "hooks-shape", "%s is not an object", what)
	}
	return o, nil
}

func (d *document) array(v *hujson.Value, what string) (*hujson.Array, error) {
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, d.fault(v.StartOffset, "hooks-shape", "%s is not an array", what)
	}
	return a, nil
}

// member returns the index of a key, -1 where there is none. Programs disagree about
// which of two equal keys counts, so two are an error.
func (d *document) member(o *hujson.Object, key string) (int, error) {
	found := -1
	for i := range o.Members {
		name := o.Members[i].Name
		if name.Value.(hujson.Literal).String() != key {
			continue
		}
		if found >= 0 {
			return -1, d.fault(name.StartOffset, "hooks-duplicate", "%q stands here a second time", key)
		}
		found = i
	}
	return found, nil
}

// literal returns the value of a key that is a literal; nil: there is none.
func literal(o *hujson.Object, key string) *hujson.Value {
	var found *hujson.Value
	for i := range o.Members {
		m := &o.Members[i]
		if _, ok := m.Value.Value.(hujson.Literal); ok && m.Name.Value.(hujson.Literal).String() == key {
			found = &m.Value
		}
	}
	return found
}

// Literal is the text of a string, a number or a word that stands at a path of keys;
// empty where there is none, or the file does not parse.
func Literal(data []byte, path ...string) string {
	d, err := parse("", data)
	if err != nil {
		return ""
	}
	v := &d.root
	for _, key := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return ""
		}
		at := -1
		for i := range o.Members {
			if o.Members[i].Name.Value.(hujson.Literal).String() == key {
				at = i
			}
		}
		if at < 0 {
			return ""
		}
		v = &o.Members[at].Value
	}
	if lit, ok := v.Value.(hujson.Literal); ok {
		return lit.String()
	}
	return ""
}
