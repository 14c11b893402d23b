package hostconfig

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Hook is an entry of ours in a configuration: a command that a program runs at an
// event.
//
//	{"hooks":{EVENT:[{"hooks":[{"type":"command","command":…,"timeout":…}]}]}}
//
// is where it stands with Grouped, and without
//
//	{"hooks":{EVENT:[{"type":"command","command":…,"timeout":…}]}}
type Hook struct {
	Event      string
	Grouped    bool
	CommandKey string // of the entry: "command"
	TimeoutKey string // "timeout"
	Command    string
	Timeout    int // in the unit of the program
	// Lead is members that a file of ours has before "hooks": `"version":1,`.
	Lead string
	// Ours reports whether a command is one that Install wrote, in any version and place.
	Ours func(command string) bool
	// Runs reports whether a command runs the same program, whoever wrote it.
	Runs func(command string) bool
}

// errNotFoundAgain is for a command that cannot be written so that it is known again.
var errNotFoundAgain = &fault.Error{
	Kind: fault.Usage, Code: fault.InvalidConfig, Rule: "command-ours",
	Message: "the hook's command could not be found again: its words are too long or too odd", Hint: "nothing was changed",
}

// Install returns the file with the entry in it, exactly once. An entry of ours that
// is there keeps its place and whatever else it has: it gets the command, and the
// timeout where its own is shorter. data is nil or blank where there is no file.
func (h Hook) Install(name string, data []byte) ([]byte, error) {
	if !h.Ours(h.Command) {
		return nil, errNotFoundAgain
	}
	if blank(data) {
		return h.fresh()
	}
	// Each round takes away an entry too many, puts one in, or gives it a member.
	for range maxEntries + 10 {
		d, p, found, err := h.find(name, data)
		if err != nil {
			return nil, err
		}
		text := d.text
		switch n := len(found); {
		case n > 1:
			text = h.cutEntry(d, p, surplus(found))
		case n == 1:
			o := found[0].entry.Value.(*hujson.Object)
			if found[0].Command != h.Command {
				text = d.replace(literal(o, h.CommandKey), []byte(jstext.Quote(h.Command)))
			} else if t := literal(o, h.TimeoutKey); t != nil && t.Value.Kind() == '0' && found[0].Timeout < h.Timeout {
				text = d.replace(t, strconv.AppendInt(nil, int64(h.Timeout), 10))
			}
		case p.hooks == nil:
			text = d.insert(&d.root, "hooks", h.events())
		case p.event == nil:
			text = d.insert(p.hooks, h.Event, h.list())
		default:
			text = d.insert(p.event, "", h.element())
		}
		if bytes.Equal(text, d.text) {
			return data, nil
		}
		if len(d.mark)+len(text) > MaxSize { // it could not be opened again
			return nil, d.fault(0, "file-size", "would be larger than %d bytes with the hook", MaxSize)
		}
		data = append([]byte(d.mark), text...)
	}
	return nil, errNotFoundAgain
}

// surplus is the entry that goes where there are several: the last one that nobody
// edited, else the last.
func surplus(found []Entry) Entry {
	for _, e := range slices.Backward(found) {
		if !e.Edited {
			return e
		}
	}
	return found[len(found)-1]
}

// Remove returns the file without entries of ours. before is the file as it was
// before Install, nil where there was none: an object or array that is empty now and
// was not there then goes too.
func (h Hook) Remove(name string, data, before []byte) ([]byte, error) {
	had, err := h.containers(name, before)
	if err != nil {
		return nil, err
	}
	for {
		d, p, found, err := h.find(name, data)
		if err != nil {
			return nil, err
		}
		var text []byte
		switch n := len(found); {
		case n > 0:
			text = h.cutEntry(d, p, found[n-1])
		case p.event != nil && !had.event && d.empty(p.event):
			text = d.cut(p.hooks, p.at.event)
		case p.hooks != nil && !had.hooks && d.empty(p.hooks):
			text = d.cut(&d.root, p.at.hooks)
		default:
			return data, nil
		}
		data = append([]byte(d.mark), text...)
	}
}

// containers says which of the containers of an entry a file has. A file that cannot
// be read any more has both: then nothing goes.
func (h Hook) containers(name string, data []byte) (had struct{ hooks, event bool }, err error) {
	if blank(data) {
		return had, nil
	}
	d, err := parse(name, data)
	if err != nil {
		had.hooks, had.event = true, true
		return had, nil
	}
	p, err := h.locate(d)
	if err != nil {
		had.hooks, had.event = true, true
		return had, nil
	}
	had.hooks, had.event = p.hooks != nil, p.event != nil
	return had, nil
}

func (h Hook) cutEntry(d *document, p place, e Entry) []byte {
	switch {
	case !h.Grouped:
		return d.cut(p.event, e.Index)
	case e.groupOnly:
		return d.cut(p.event, e.Group)
	default:
		return d.cut(e.group, e.Index)
	}
}

// empty reports whether an object or an array has neither a child nor a comment.
func (d *document) empty(v *hujson.Value) bool {
	return blank(d.text[v.StartOffset+1 : v.EndOffset-1])
}

// Empty reports whether a file has no setting and no comment.
func Empty(data []byte) bool {
	if blank(data) {
		return true
	}
	d, err := parse("", data)
	if err != nil || !blank(d.root.BeforeExtra) || !blank(d.root.AfterExtra) {
		return false
	}
	_, object := d.root.Value.(*hujson.Object)
	return object && d.empty(&d.root)
}

// fresh is a file that has nothing but the entry.
func (h Hook) fresh() ([]byte, error) {
	d, err := parse("", []byte("{"+h.Lead+`"hooks":`+string(h.events())+"}"))
	if err != nil {
		return nil, err
	}
	return []byte(d.child("", d.text, true, "") + "\n"), nil
}

func (h Hook) events() []byte {
	return []byte("{" + jstext.Quote(h.Event) + ":" + string(h.list()) + "}")
}

func (h Hook) list() []byte { return []byte("[" + string(h.element()) + "]") }

func (h Hook) element() []byte {
	var w jstext.Writer
	w.BeginObject()
	for _, pair := range [][2]string{{"type", "command"}, {h.CommandKey, h.Command}} {
		w.Key(pair[0])
		w.Text(pair[1])
	}
	w.Key(h.TimeoutKey)
	w.Int(int64(h.Timeout))
	w.EndObject()
	if !h.Grouped {
		return w.Bytes()
	}
	return []byte(`{"hooks":[` + string(w.Bytes()) + `]}`)
}
