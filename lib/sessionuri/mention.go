package sessionuri

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Reference is a session that a text names, and what the text calls it.
type Reference struct {
	SessionID string
	Label     string
}

// labelEscapes is what a label needs so that its end is found again.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `]`, `\]`)

// Mention returns the mention of a session: @[label](uri). A nil label is the
// id; an empty one stays empty.
func Mention(id string, label *string) string {
	if label == nil {
		label = &id
	}
	return "@[" + labelEscapes.Replace(*label) + "](" + Encode(id) + ")"
}

// ParseID returns the id that a person or a script gave where one is wanted: a
// whole mention, a URI, or else the id itself. What begins like a URI or is
// shaped like a mention of one but does not decode is an error, not an id: such
// an id, should one exist, can still be given by its URI.
func ParseID(arg string) (string, error) {
	if strings.HasPrefix(arg, Scheme) {
		return Decode(arg)
	}
	if strings.HasPrefix(arg, "@[") {
		if m, ok := scan(arg).explicit(0); ok && m.end == len(arg) {
			return Decode(m.uri)
		}
	}
	return arg, nil
}

// Found is one reference of a text and where it stands: text[Start:End].
type Found struct {
	Reference
	Start, End int
	Explicit   bool // a whole mention; else a bare URI
}

// Find returns the references of a text in order of appearance, repeated ones
// included. It fails as ParseText does.
func Find(text string) ([]Found, error) {
	s := scan(text)
	var found []Found
	for {
		m, ok := s.next()
		if !ok {
			return found, nil
		}
		id, err := Decode(m.uri)
		if err != nil {
			return nil, err
		}
		label := id
		if m.explicit {
			label = unescapeLabel(m.label)
		}
		found = append(found, Found{Reference{SessionID: id, Label: label}, m.start, m.end, m.explicit})
	}
}

// ParseText finds the references in a text. It returns the text with each
// reference replaced by @label (a bare URI by @ and its id), and the references in
// order of appearance, repeated ones included; without any the text comes back
// unchanged. A mention whose URI does not decode, or a bare URI with a payload
// that does not, fails the whole text: then plain is empty and refs nil.
func ParseText(text string) (plain string, refs []Reference, err error) {
	found, err := Find(text)
	if err != nil {
		return "", nil, err
	}
	if found == nil {
		return text, nil, nil
	}
	var out strings.Builder
	done := 0
	for _, f := range found {
		refs = append(refs, f.Reference)
		out.WriteString(text[done:f.Start])
		out.WriteByte('@')
		out.WriteString(f.Label)
		done = f.End
	}
	out.WriteString(text[done:])
	// A label may end in half of a pair whose other half follows the mention.
	return jstext.Join(out.String()), refs, nil
}

// maxNested bounds how often Labels starts again: a label that holds a mention in
// its turn is somebody's invention.
const maxNested = 8

// Labels is a text as titles and labels show it: every reference replaced by @label,
// those that a label holds included. A text in which one does not decode stays as
// it is.
func Labels(text string) string {
	for range maxNested {
		plain, refs, err := ParseText(text)
		if err != nil || refs == nil {
			break
		}
		text = plain
	}
	return text
}

// unescapeLabel takes the backslashes of a label away. Two halves of a pair may
// meet when one between them goes.
func unescapeLabel(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for at >= 0 {
		out = append(out, s[:at]...)
		out = append(out, s[at+1]) // the first byte of whatever was escaped
		s = s[at+2:]
		at = strings.IndexByte(s, '\\')
	}
	return jstext.Join(string(append(out, s...)))
}
