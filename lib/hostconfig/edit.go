package hostconfig

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// span is a child of an object or an array: its text, and the comma behind it, -1
// where there is none.
type span struct{ start, end, comma int }

func (d *document) children(c *hujson.Value) []span {
	var spans []span
	add := func(start int, v *hujson.Value) {
		s := span{start, v.EndOffset, -1}
		// Behind a last value without a comma hujson keeps no AfterExtra.
		if at := v.EndOffset + len(v.AfterExtra); at < len(d.text) && d.text[at] == ',' {
			s.comma = at
		}
		spans = append(spans, s)
	}
	switch v := c.Value.(type) {
	case *hujson.Object:
		for i := range v.Members {
			add(v.Members[i].Name.StartOffset, &v.Members[i].Value)
		}
	case *hujson.Array:
		for i := range v.Elements {
			add(v.Elements[i].StartOffset, &v.Elements[i])
		}
	}
	return spans
}

// insert adds a child behind the others of an object or an array. key is empty for
// an array; value is JSON without white space.
func (d *document) insert(c *hujson.Value, key string, value []byte) []byte {
	kids := d.children(c)
	open, end := c.StartOffset+1, c.EndOffset-1 // inside the brackets
	floor, trailing := open, false
	indent := d.lineIndent(c.StartOffset) + d.unit()
	pretty := c == &d.root || bytes.Contains(bytes.TrimSpace(d.text), []byte("\n"))
	if n := len(kids); n > 0 {
		first, last := kids[0], kids[n-1]
		pretty = bytes.IndexByte(d.text[open:first.start], '\n') >= 0 || bytes.IndexByte(d.text[last.end:end], '\n') >= 0
		if own := d.lineIndent(first.start); blank(d.text[d.lineStart(first.start):first.start]) {
			indent = own
		}
		floor, trailing = last.end, last.comma >= 0
		if trailing {
			floor = last.comma + 1
		}
	}
	at := end
	for at > floor && isSpace(d.text[at-1]) {
		at--
	}
	var out []byte
	if len(kids) > 0 && !trailing {
		last := kids[len(kids)-1].end
		out = append(append(append(out, d.text[:last]...), ','), d.text[last:at]...)
	} else {
		out = append(out, d.text[:at]...)
	}
	tail := d.text[at:]
	if pretty {
		out = append(out, d.newline()+indent...)
		if bytes.IndexByte(d.text[at:end], '\n') < 0 {
			tail = append([]byte(d.newline()+d.lineIndent(c.StartOffset)), d.text[end:]...)
		}
	} else if n := len(kids); n > 1 && isSpace(d.text[kids[0].comma+1]) {
		out = append(out, ' ')
	}
	out = append(out, d.child(key, value, pretty, indent)...)
	if trailing {
		out = append(out, ',')
	}
	return append(out, tail...)
}

// child writes a new child in the way of its container.
func (d *document) child(key string, value []byte, pretty bool, indent string) string {
	lead := ""
	if key != "" {
		lead = jstext.Quote(key) + ":"
	}
	if !pretty {
		return lead + string(value)
	}
	if lead != "" {
		lead += " "
	}
	var b bytes.Buffer
	if err := json.Indent(&b, value, indent, d.unit()); err != nil {
		panic("hostconfig: an entry of ours is not JSON: " + err.Error())
	}
	return lead + strings.ReplaceAll(b.String(), "\n", d.newline())
}

// cut takes the i-th child out of an object or an array, its comma and the white
// space before it too. Comments around it stay. An object or an array that has
// nothing more is closed up.
func (d *document) cut(c *hujson.Value, i int) []byte {
	kids := d.children(c)
	open, end := c.StartOffset+1, c.EndOffset-1
	floor := open
	if i > 0 {
		floor = kids[i-1].comma + 1
	}
	from, to := kids[i].start, kids[i].end
	for from > floor && isSpace(d.text[from-1]) {
		from--
	}
	own := bytes.IndexByte(d.text[from:kids[i].start], '\n') >= 0 // on a line of its own
	var kept []byte                                               // comments before our comma
	if at := kids[i].comma; at >= 0 {
		if between := d.text[to:at]; !blank(between) {
			kept = between
		}
		to = at + 1
	}
	if i == 0 && !own {
		for to < end && (d.text[to] == ' ' || d.text[to] == '\t') {
			to++
		}
	}
	head := bytes.Clone(d.text[:from])
	if i > 0 && i == len(kids)-1 && kids[i].comma < 0 {
		at := kids[i-1].comma
		head = append(head[:at], head[at+1:]...)
	}
	before, rest := d.text[floor:from], d.text[to:]
	if len(kids) == 1 && blank(before) && blank(kept) && blank(d.text[to:end]) {
		return append(head[:open], d.text[end:]...)
	}
	head = append(head, kept...)
	// A comment that runs to the end of its line must not take in what follows.
	if (!blank(before) || !blank(kept)) && !startsLine(rest) {
		head = append(head, d.newline()...)
	}
	return append(head, rest...)
}

// replace puts text in the place of a value.
func (d *document) replace(v *hujson.Value, text []byte) []byte {
	out := append(bytes.Clone(d.text[:v.StartOffset]), text...)
	return append(out, d.text[v.EndOffset:]...)
}

// newline is how the file ends its first line.
func (d *document) newline() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit is one level of indentation: that of the first setting, where it stands on a
// line of its own.
func (d *document) unit() string {
	if kids := d.children(&d.root); len(kids) > 0 {
		if unit := d.lineIndent(kids[0].start); unit != "" && blank(d.text[d.lineStart(kids[0].start):kids[0].start]) {
			return unit
		}
	}
	return "  "
}

func (d *document) lineStart(offset int) int {
	return bytes.LastIndexByte(d.text[:offset], '\n') + 1
}

// lineIndent is the blanks that the line of offset begins with.
func (d *document) lineIndent(offset int) string {
	line := d.text[d.lineStart(offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// startsLine reports whether nothing but blanks stands before the next line end.
func startsLine(text []byte) bool {
	text = bytes.TrimLeft(text, " \t")
	return bytes.HasPrefix(text, []byte("\n")) || bytes.HasPrefix(text, []byte("\r\n"))
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
