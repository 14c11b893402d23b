package agent

import (
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Record is a message that is owned: frozen, lossless JSON that nothing changes
// any more, with its contexts until its end (SPEC 7).
type Record = inbox.Record

// Message is what Send, Steer and Inject are given. The zero value of a member
// means that it was not given.
type Message struct {
	ID       string       // the record's id; empty: a new one is made
	Content  jstext.Value // an array of blocks; required
	Source   jstext.Value // an object with a string kind; default {"kind":"user"}
	Contexts jstext.Value // an array of {content, source, placement?, meta?}; not for Inject
	Meta     jstext.Value // anything; for Inject only
}

func (m Message) draft(to string, kind inbox.Kind) inbox.Draft {
	return inbox.Draft{
		ID: m.ID, To: to, Kind: kind,
		Content: m.Content, Source: m.Source, Contexts: m.Contexts, Meta: m.Meta,
	}
}
