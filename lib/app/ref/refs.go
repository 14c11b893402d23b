package ref

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// orderedRefs collects --ref and --ref-json in the order of the command line,
// which two lists of urfave's would lose.
type orderedRefs struct {
	values []jstext.Value
	err    error // of the first --ref that names no session
}

// refFlag is one of the two flags; it implements flag.Value.
type refFlag struct {
	all    *orderedRefs
	asJSON bool
}

func (o *orderedRefs) flag(asJSON bool) *refFlag { return &refFlag{o, asJSON} }

func (f *refFlag) String() string { return "" }

// Set never fails: a bad reference is exit 3, not bad usage, so it is kept as what
// it is and refused when its turn comes.
func (f *refFlag) Set(s string) error {
	if f.asJSON {
		v, err := jstext.Parse(s)
		if err != nil {
			v = jstext.FromString(s) // a string is not a reference object
		}
		f.all.values = append(f.all.values, v)
		return nil
	}
	id, err := sessionuri.ParseID(s)
	if err != nil {
		f.all.err = cmp.Or(f.all.err, err)
		return nil
	}
	f.all.values = append(f.all.values, refValue(id, nil))
	return nil
}

func refValue(id string, label *string) jstext.Value {
	var w jstext.Writer
	w.BeginObject()
	w.Key("sessionId")
	w.Text(id)
	if label != nil {
		w.Key("label")
		w.Text(*label)
	}
	w.EndObject()
	return w.Value()
}

// message is what a person said: content blocks and the mentions found in them.
type message struct {
	content jstext.Value
	refs    []jstext.Value
}

// parseMessage turns a text into one text block and its mentions.
func parseMessage(text string) (message, error) {
	if at := jstext.InvalidAt(text); at >= 0 {
		return message{}, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Subject: "message",
			Message: fmt.Sprintf("not UTF-8 at byte %d", at), Hint: "convert it first, as with iconv -t UTF-8",
		}
	}
	plain, found, err := frame.ParseText(text)
	if err != nil {
		return message{}, err
	}
	m := message{content: session.TextContent(plain)}
	for _, r := range found {
		m.refs = append(m.refs, refValue(r.SessionID, &r.Label))
	}
	return m, nil
}

// parseContent reads --content-json.
func parseContent(text string) (message, error) {
	v, err := jstext.Parse(text)
	if err == nil && v.Kind() != jstext.Array {
		err = fmt.Errorf("not an array of blocks")
	}
	if err != nil {
		return message{}, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Subject: "--content-json", Err: err,
			Hint: `give blocks, as in --content-json '[{"type":"text","text":"hello"}]'`,
		}
	}
	return message{content: v}, nil
}

// withoutNewline drops one trailing newline of a message from a stream, as $(…)
// does.
func withoutNewline(s string) string { return strings.TrimSuffix(s, "\n") }
