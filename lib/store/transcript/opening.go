package transcript

import "cmp"

// Opening finds what stands in for a title of a session that has none of its own: the
// first request of its person, or, where they have shown pictures alone, the first
// answer. Prompts and answers are given in the order of the session. The zero value is
// ready.
type Opening struct {
	request, answer string
	pictured        bool
}

// Prompt takes a prompt; picture says that it has no text, but a picture or a file.
func (o *Opening) Prompt(text string, picture bool) {
	o.request = cmp.Or(o.request, Request(text))
	o.pictured = o.pictured || picture
}

// Answer takes an answer.
func (o *Opening) Answer(text string) { o.answer = cmp.Or(o.answer, text) }

// Done reports whether the title is certain, whatever comes.
func (o *Opening) Done() bool { return o.request != "" }

// Title is nil for a session that says nothing to be called by.
func (o *Opening) Title() *string {
	if title := Title(o.request); title != nil || !o.pictured {
		return title
	}
	return Pictured(o.answer)
}
