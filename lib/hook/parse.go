package hook

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// parse reads what a command printed.
func parse(text string) (answer, error) {
	if strings.Trim(text, " \t\r\n") == "" {
		return answer{kind: delegates}, nil
	}
	v, err := jstext.Parse(text)
	if err != nil {
		return answer{}, fmt.Errorf("printed what is no JSON: %w: %s", err, fault.Quote(text))
	}
	var a answer
	allowed := map[string]*jstext.Value{}
	var reason jstext.Value
	switch {
	case v.Get("kind").Is("allow"):
		a.kind = allows
		allowed["content"], allowed["additionalContexts"] = &a.content, &a.contexts
	case v.Get("kind").Is("block"):
		a.kind = blocks
		allowed["reason"] = &reason
	default:
		return answer{}, errors.New(`printed no {"kind":"allow"} and no {"kind":"block"}: ` + fault.Quote(text))
	}
	for key, m := range v.Members() {
		to := allowed[key]
		switch {
		case to != nil:
			*to = m
		case key != "kind":
			return answer{}, fmt.Errorf("printed the member %s, which %s does not have", fault.Quote(key), v.Get("kind").Raw())
		}
	}
	return a, a.check(reason)
}

// check holds the shapes of what was given, and takes a block's reason.
func (a *answer) check(reason jstext.Value) error {
	if a.kind == blocks {
		var ok bool
		if a.reason, ok = reason.Text(); !ok {
			return errors.New("blocked without a string reason")
		}
	}
	if a.content.Exists() {
		if err := inbox.CheckContent("content", a.content); err != nil {
			return err
		}
	}
	if a.contexts.Exists() {
		return inbox.CheckContexts(a.contexts)
	}
	return nil
}
