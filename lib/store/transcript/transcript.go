// Package transcript puts the conversation of another agent into the session
// model, by the conventions that hold for every such reader:
//
//   - one text block a message; the text blocks, or split records, of one message
//     are joined by a blank line (Join); outer white space is trimmed, and a message
//     with no text is none;
//   - steering counts as what a person wrote;
//   - a snapshot of other sessions that a prompt begins with (lib/frame) stays in the
//     prompt, as it is stored; a projection and a title leave it out;
//   - the checkpoint of a compaction comes first, and nothing that it replaced is
//     there.
//
// Which records are messages, and which of them are still part of the
// conversation, is the reader's business.
package transcript

import (
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// Builder collects a conversation. The zero value is ready. Rec is the index of
// the record that a message stands in: it becomes the event's seq, or the next
// free number where messages do not stand in the order of the file (a compaction
// keeps older ones behind its summary), so that seqs always rise. Time is ms since
// the epoch, 0 where it is not known.
type Builder struct {
	events session.Builder
	next   int64
}

// User adds what a person wrote.
func (b *Builder) User(rec, time int64, text string) {
	if text = strings.TrimSpace(text); text != "" {
		b.events.User(b.seq(rec), time, text)
	}
}

// Assistant adds an answer; model and provider are empty where they are not known.
func (b *Builder) Assistant(rec, time int64, text, provider, model string) {
	if text = strings.TrimSpace(text); text != "" {
		b.events.Assistant(b.seq(rec), time, text, provider, model)
	}
}

// Checkpoint adds a compaction's summary. It must come first, and reports whether
// there was a text to add: an empty summary is a state of its own, as a sealed
// one is (store.Receipt.SealedCheckpoint).
func (b *Builder) Checkpoint(rec, time int64, text string) bool {
	text = strings.TrimSpace(text)
	if text != "" {
		b.events.Checkpoint(b.seq(rec), time, text)
	}
	return text != ""
}

func (b *Builder) seq(rec int64) int64 {
	seq := max(rec, b.next)
	b.next = seq + 1
	return seq
}

// Surface is the conversation as a surface. Records is the number of records that
// the observation covered: the last of them is what the session was captured
// through. Created is ms since the epoch.
func (b *Builder) Surface(id string, created int64, cwd, title *string, records int64) *session.Surface {
	var through *int64
	if last := max(records, b.next) - 1; last >= 0 {
		through = &last
	}
	if title != nil {
		shown := sessionuri.Labels(*title)
		title = &shown
	}
	return b.events.Surface(session.NewHeader(id, max(created, 0), cwd), through, title)
}

// Join makes one text of a message's text blocks, with one blank line between two
// of them whatever their own ends are; an indent at a block's start is kept.
func Join(blocks []string) string {
	kept := make([]string, 0, len(blocks))
	for _, b := range blocks {
		if b = strings.TrimRight(strings.TrimLeft(b, "\r\n"), " \t\r\n"); b != "" {
			kept = append(kept, b)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n\n"))
}

// Request is what a person asks in a prompt: the prompt without the snapshots that it
// begins with, trimmed.
func Request(prompt string) string {
	request, _ := frame.Request(strings.TrimSpace(prompt))
	return request
}

// titleChars is where a prompt that stands in for a title is cut; Claude Code cuts
// its own at the same place.
const titleChars = 200

// Title makes a listing's title of a prompt: the person's own request in one line,
// mentions as @label, cut with an ellipsis behind 200 characters. It is nil for a
// prompt that has none.
func Title(prompt string) *string {
	line := strings.Join(strings.Fields(sessionuri.Labels(Request(prompt))), " ")
	if line == "" {
		return nil
	}
	for i, n := 0, 0; i < len(line); n++ {
		if n == titleChars {
			line = strings.TrimRight(line[:i], " ") + "…"
			break
		}
		_, w := jstext.DecodeRune(line[i:])
		i += w
	}
	return &line
}

// Circle is the note of a reading in which the parents of so many entries formed a circle.
func Circle(entries int) string {
	stand := fmt.Sprintf("%d entries stand", entries)
	if entries == 1 {
		stand = "1 entry stands"
	}
	return "parents form a circle: " + stand + " in the order of the file"
}

// Pictured makes the title of a session in which nobody has typed a word, but shown a
// picture: its first answer, else a stand-in.
func Pictured(answer string) *string {
	if title := Title(answer); title != nil {
		return title
	}
	standIn := "[Image]"
	return &standIn
}
