package hostconfig

import (
	"slices"

	"github.com/tailscale/hujson"
)

// maxEntries bounds how many entries of ours a file may have. Install writes one.
const maxEntries = 100

// Entry is an entry of ours that was found.
type Entry struct {
	Command      string
	Timeout      int // 0: none
	Group, Index int // in the array of the event, and in that of the group
	// Edited says that the entry has what Install did not write: another member, a
	// comment, or a timeout below that of the Hook.
	Edited       bool
	group, entry *hujson.Value
	groupOnly    bool // the group is nothing but this entry
}

// place is where entries stand in a document; each is nil where it is missing.
type place struct {
	root   *hujson.Object
	hooks  *hujson.Value
	events *hujson.Object
	event  *hujson.Value
	list   *hujson.Array
	at     struct{ hooks, event int }
}

func (h Hook) locate(d *document) (p place, err error) {
	if p.root, err = d.object(&d.root, "the file"); err != nil {
		return p, err
	}
	if p.at.hooks, err = d.member(p.root, "hooks"); err != nil || p.at.hooks < 0 {
		return p, err
	}
	p.hooks = &p.root.Members[p.at.hooks].Value
	if p.events, err = d.object(p.hooks, `"hooks"`); err != nil {
		return p, err
	}
	if p.at.event, err = d.member(p.events, h.Event); err != nil || p.at.event < 0 {
		return p, err
	}
	p.event = &p.events.Members[p.at.event].Value
	p.list, err = d.array(p.event, `"hooks"."`+h.Event+`"`)
	return p, err
}

// look reads an entry; ok is false where its command is not one that counts.
func (h Hook) look(v *hujson.Value, counts func(command string) bool) (e Entry, ok bool) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return e, false
	}
	command := literal(o, h.CommandKey)
	if command == nil || command.Value.Kind() != '"' {
		return e, false
	}
	e = Entry{Command: command.Value.(hujson.Literal).String(), entry: v}
	if t := literal(o, h.TimeoutKey); t != nil && t.Value.Kind() == '0' {
		e.Timeout = int(t.Value.(hujson.Literal).Float())
	}
	kind := literal(o, "type")
	e.Edited = len(o.Members) != 3 || kind == nil || kind.Value.(hujson.Literal).String() != "command" ||
		e.Timeout < h.Timeout || commented(o)
	return e, counts(e.Command)
}

// commented reports whether an object of literals has a comment in it.
func commented(o *hujson.Object) bool {
	extras := []hujson.Extra{o.AfterExtra}
	for i := range o.Members {
		m := &o.Members[i]
		extras = append(extras, m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra)
	}
	return slices.ContainsFunc(extras, func(e hujson.Extra) bool { return !blank(e) })
}

// entries finds those whose command counts. Entries of other shapes belong to others.
func (h Hook) entries(d *document, p place, counts func(command string) bool) ([]Entry, error) {
	var found []Entry
	if p.list == nil {
		return nil, nil
	}
	for g := range p.list.Elements {
		group := &p.list.Elements[g]
		if !h.Grouped {
			if e, ok := h.look(group, counts); ok {
				e.Index = g
				found = append(found, e)
			}
			continue
		}
		o, ok := group.Value.(*hujson.Object)
		if !ok {
			continue
		}
		at, err := d.member(o, "hooks")
		if err != nil {
			return nil, err
		}
		if at < 0 {
			continue
		}
		list, ok := o.Members[at].Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for i := range list.Elements {
			if e, ok := h.look(&list.Elements[i], counts); ok {
				e.Group, e.Index, e.group = g, i, &o.Members[at].Value
				e.groupOnly = len(o.Members) == 1 && len(list.Elements) == 1
				found = append(found, e)
			}
		}
	}
	if len(found) > maxEntries {
		return nil, d.fault(found[0].entry.StartOffset, "hooks-many", "there are %d entries that run dsh-ref, %d at most can be edited", len(found), maxEntries)
	}
	return found, nil
}

// Find returns the entries of ours, in the order of the file.
func (h Hook) Find(name string, data []byte) ([]Entry, error) {
	if blank(data) {
		return nil, nil
	}
	_, _, found, err := h.find(name, data)
	return found, err
}

// Others returns the entries that run the same program and that Install did not write.
func (h Hook) Others(name string, data []byte) ([]Entry, error) {
	if blank(data) {
		return nil, nil
	}
	d, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	p, err := h.locate(d)
	if err != nil {
		return nil, err
	}
	return h.entries(d, p, func(command string) bool { return h.Runs(command) && !h.Ours(command) })
}

// find parses a file and looks for its entries of ours.
func (h Hook) find(name string, data []byte) (d *document, p place, found []Entry, err error) {
	if d, err = parse(name, data); err != nil {
		return d, p, nil, err
	}
	if p, err = h.locate(d); err != nil {
		return d, p, nil, err
	}
	found, err = h.entries(d, p, h.Ours)
	return d, p, found, err
}
