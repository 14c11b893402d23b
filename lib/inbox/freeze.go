package inbox

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// spareDepth is how many levels of nesting a record leaves to whoever wraps it, a
// log or a request, so that what was accepted here can be read there.
const spareDepth = 64

var (
	userSource = jstext.MustParse(`{"kind":"user"}`)
	noContexts = jstext.MustParse(`[]`)
)

// Freeze makes the record of a draft, in memory of its own, or says what is wrong
// with it. Nothing is stored: it is for queues that are kept elsewhere. Errors are
// *fault.Error of kind Usage.
func Freeze(d Draft) (Record, error) {
	r := Record{ID: d.ID, To: d.To, Kind: d.Kind, State: Waiting}
	if r.Kind == "" {
		r.Kind = Send
	}
	for _, s := range []struct{ what, text string }{{"id", d.ID}, {"to", d.To}} {
		if at := jstext.InvalidAt(s.text); at >= 0 {
			return Record{}, malformed(s.what, "not UTF-8 at byte %d", at)
		}
	}
	for _, m := range []struct {
		name     string
		from, to *jstext.Value
	}{
		{"content", &d.Content, &r.Content},
		{"source", &d.Source, &r.Source},
		{"contexts", &d.Contexts, &r.Contexts},
		{"meta", &d.Meta, &r.Meta},
	} {
		if err := checkLossless(m.name, *m.from); err != nil {
			return Record{}, err
		}
		*m.to = copied(*m.from)
	}
	if !r.Source.Exists() {
		r.Source = userSource
	}
	switch {
	case r.Kind == Inject && r.Contexts.Raw() == noContexts.Raw():
		r.Contexts = jstext.Value{} // an empty list says the same as none
	case r.Kind != Inject && !r.Contexts.Exists():
		r.Contexts = noContexts
	}
	if err := r.check(); err != nil {
		return Record{}, err
	}
	return r, nil
}

// copied is v in the one form that JSON.stringify writes.
func copied(v jstext.Value) jstext.Value {
	if !v.Exists() {
		return v
	}
	var w jstext.Writer
	w.Raw(v)
	return w.Value()
}

func checkLossless(name string, v jstext.Value) error {
	raw := v.Raw()
	if !utf8.ValidString(raw) {
		return malformed(name, "not UTF-8")
	}
	if err := jstext.Lossless(v); err != nil {
		var n *jstext.NumberError
		if errors.As(err, &n) {
			name = join(name, n.Path)
		}
		return malformed(name, "%v in JavaScript", err)
	}
	if raw != "" {
		wrapped := strings.Repeat("[", spareDepth) + raw + strings.Repeat("]", spareDepth)
		if _, err := jstext.Parse(wrapped); err != nil {
			return malformed(name, "nested deeper than %d", jstext.MaxDepth-spareDepth)
		}
	}
	return nil
}

func join(name, path string) string {
	if path == "" || path[0] == '[' {
		return name + path
	}
	return name + "." + path
}

// check holds the shape of a record's members (SPEC 7).
func (r Record) check() error {
	switch r.Kind {
	case Send, Steer, Inject:
	default:
		return malformed("kind", "%s is not one of send, steer, inject", fault.Quote(string(r.Kind)))
	}
	if err := checkBlocks("content", r.Content); err != nil {
		return err
	}
	if err := checkSource("source", r.Source); err != nil {
		return err
	}
	if r.Kind == Inject {
		if r.Contexts.Exists() {
			return malformed("contexts", "an injected message takes none")
		}
		return nil
	}
	if r.Meta.Exists() {
		return malformed("meta", "only an injected message takes it")
	}
	return checkContexts(r.Contexts)
}

// CheckContent holds to a content what Freeze does: lossless JSON, an array of
// blocks. name is what the error calls it.
func CheckContent(name string, v jstext.Value) error {
	if err := checkLossless(name, v); err != nil {
		return err
	}
	return checkBlocks(name, v)
}

// CheckContexts holds to contexts what Freeze does.
func CheckContexts(v jstext.Value) error {
	if err := checkLossless("contexts", v); err != nil {
		return err
	}
	return checkContexts(v)
}

func checkBlocks(name string, v jstext.Value) error {
	if v.Kind() != jstext.Array {
		return malformed(name, "not an array of blocks")
	}
	i := 0
	for b := range v.Elements() {
		switch kind, ok := b.Get("type").Text(); {
		case !ok:
			return malformed(fmt.Sprintf("%s[%d]", name, i), "not a block: an object with a string type")
		case kind == "text" && b.Get("text").Kind() != jstext.String:
			return malformed(fmt.Sprintf("%s[%d]", name, i), "a text block without a string text")
		}
		i++
	}
	return nil
}

func checkSource(name string, v jstext.Value) error {
	if _, ok := v.Get("kind").Text(); !ok {
		return malformed(name, "not an object with a string kind")
	}
	return nil
}

func checkContexts(v jstext.Value) error {
	if v.Kind() != jstext.Array {
		return malformed("contexts", "not an array of contexts")
	}
	i := 0
	for c := range v.Elements() {
		name := fmt.Sprintf("contexts[%d]", i)
		if c.Kind() != jstext.Object {
			return malformed(name, "not a context: an object with content and source")
		}
		if err := checkBlocks(name+".content", c.Get("content")); err != nil {
			return err
		}
		if err := checkSource(name+".source", c.Get("source")); err != nil {
			return err
		}
		if p := c.Get("placement"); p.Exists() && p.Kind() != jstext.String {
			return malformed(name+".placement", "not a string")
		}
		i++
	}
	return nil
}

func malformed(subject, format string, args ...any) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.UsageCode, Rule: RuleMalformed,
		Subject: subject, Message: fmt.Sprintf(format, args...),
	}
}
