package frame

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Request returns what a user wrote themselves in a text: what stands behind the
// frame that the text begins with, or behind all of them where the request begins
// with a frame of its own, without outer white space. Snapshots counts the
// snapshots in those frames. It is 0 for a text without a frame, which comes back
// as it was.
//
// OpenCode's run writes an argument with a space in it between double quotes, each
// quote in it behind a backslash. Such a text is read as the argument was.
//
// A block without the delimiter behind it is a frame too: what follows it on lines
// of its own is the request, unless that holds one of the tags again.
func Request(text string) (request string, snapshots int) {
	if end, n := skip(text); n > 0 {
		return strings.TrimSpace(text[end:]), n
	}
	if argument, ok := unquote(text); ok {
		if end, n := skip(argument); n > 0 {
			return strings.TrimSpace(argument[end:]), n
		}
	}
	return text, 0
}

// unquote undoes OpenCode's quotes around an argument that begins with the heading.
// Every quote inside must have its backslash, or it was not OpenCode that wrote it.
func unquote(text string) (argument string, ok bool) {
	inner, ok := strings.CutPrefix(text, `"`)
	if !ok || !strings.HasPrefix(inner, Heading) {
		return "", false
	}
	if inner, ok = strings.CutSuffix(inner, `"`); !ok {
		return "", false
	}
	argument = strings.ReplaceAll(inner, `\"`, `"`)
	return argument, strings.ReplaceAll(argument, `"`, `\"`) == inner
}

// RequestOf is Request for a message of several text blocks: a block that is a frame
// and nothing more, and a block behind it that is the delimiter, are one frame. That
// is how a baked message reaches a host that keeps its blocks.
func RequestOf(blocks []string) (rest []string, snapshots int) {
	for len(blocks) > 0 {
		request, n := Request(blocks[0])
		if n == 0 {
			break
		}
		snapshots += n
		if request != "" {
			return append([]string{request}, blocks[1:]...), snapshots
		}
		blocks = blocks[1:]
		if len(blocks) > 0 && blocks[0] == RequestHeading {
			blocks = blocks[1:]
		}
	}
	return blocks, snapshots
}

// skip returns the end of the frames that a text begins with, delimiters included.
func skip(text string) (end, snapshots int) {
	for {
		n, count := one(text[end:])
		if count == 0 {
			return end, snapshots
		}
		end += n
		snapshots += count
	}
}

// one returns the length of the one frame that a text begins with, its delimiter
// included, and the number of its snapshots: 0 where there is no frame.
func one(text string) (length, snapshots int) {
	rest, ok := strings.CutPrefix(text, Heading+"\n\n")
	if !ok {
		return 0, 0
	}
	if rest, ok = cutWording(rest); !ok {
		return 0, 0
	}
	region, rest, ok := strings.Cut(rest, "\n"+closeTag)
	if !ok {
		return 0, 0
	}
	if rest, ok = cutDelimiter(rest); !ok {
		return 0, 0
	}
	return len(text) - len(rest), countSnapshots(region)
}

// cutWording cuts a wording of the table and the opening tag.
func cutWording(text string) (rest string, ok bool) {
	for _, w := range wordings {
		if rest, ok := w.cut(text); ok {
			if rest, ok := strings.CutPrefix(rest, "\n\n"+openTag+"\n"); ok {
				return rest, true
			}
		}
	}
	return "", false
}

// cutDelimiter cuts the delimiter, if there is one, from what stands behind the
// closing tag. Agents trim a prompt, so the line end of an empty request may be
// missing. Without a delimiter the line of the tag must end there, and no tag may
// come again: two blocks are no frame.
func cutDelimiter(text string) (rest string, ok bool) {
	if rest, ok := strings.CutPrefix(text, RequestHeading); ok {
		return rest, true
	}
	if text == strings.TrimSuffix(RequestHeading, "\n") {
		return "", true
	}
	ok = text == "" || text[0] == '\n'
	return text, ok && !strings.Contains(text, openTag) && !strings.Contains(text, closeTag)
}

// maxSnapshots is the hard maximum of references in one message (SPEC 5).
const maxSnapshots = 3

// countSnapshots returns how many snapshots the JSON of a data region holds, 0 where
// it is not what a writer of snapshots writes: it is read, written again and
// compared. Writers before the colon of the scheme was escaped, and dsh's own, left
// it as it is.
func countSnapshots(region string) int {
	v, err := jstext.Parse(region)
	if err != nil || v.Kind() != jstext.Array {
		return 0
	}
	w := jstext.Writer{TagSafe: true}
	w.BeginArray()
	n := 0
	for s := range v.Elements() {
		if n++; n > maxSnapshots || !writeSnapshot(&w, s) {
			return 0
		}
	}
	w.EndArray()
	if string(jstext.EscapeScheme([]byte(region), 0)) != w.String() {
		return 0
	}
	return n
}

// writeSnapshot writes what is a snapshot in v. Members that are missing are no
// string; those that are too many are not written, and the comparison tells.
func writeSnapshot(w *jstext.Writer, v jstext.Value) bool {
	cwd, through, conversation := v.Get("cwd"), v.Get("capturedThroughSeq"), v.Get("conversation")
	seq, isSeq := through.Int()
	dir, isDir := cwd.Text()
	w.BeginObject()
	ok := writeText(w, "sessionId", v) && writeText(w, "label", v) &&
		(isDir || cwd.Kind() == jstext.Null) &&
		(isSeq && seq >= 0 || through.Kind() == jstext.Null) &&
		conversation.Kind() == jstext.Array
	if !ok {
		return false
	}
	w.Key("cwd")
	if isDir {
		w.Text(dir)
	} else {
		w.Null()
	}
	w.Key("capturedThroughSeq")
	if isSeq {
		w.Int(seq)
	} else {
		w.Null()
	}
	w.Key("conversation")
	w.BeginArray()
	for m := range conversation.Elements() {
		if !writeMessage(w, m) {
			return false
		}
	}
	w.EndArray()
	w.EndObject()
	return true
}

func writeMessage(w *jstext.Writer, m jstext.Value) bool {
	role := m.Get("role")
	w.BeginObject()
	if !role.Is("user") && !role.Is("assistant") || !writeText(w, "role", m) || !writeText(w, "text", m) {
		return false
	}
	w.EndObject()
	return true
}

func writeText(w *jstext.Writer, key string, of jstext.Value) bool {
	text, ok := of.Get(key).Text()
	w.Key(key)
	w.Text(text)
	return ok
}
