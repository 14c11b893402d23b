package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// block is a frame around two snapshots, as dsh-ref writes it.
func block() string {
	const first = `{"sessionId":"x","label":"see dsh-session\u003aIngi","cwd":null,"capturedThroughSeq":1,"conversation":[{"role":"user","text":"INNER"}]}`
	const second = `{"sessionId":"y","label":"y","cwd":"/work","capturedThroughSeq":null,"conversation":[]}`
	return frame.Write(frame.InPrompt, [][]byte{[]byte(first), []byte(second)})
}

// checkFramed wants a prompt that was prepared with dsh-ref to stand on the surface
// as it is stored, and its request alone in all that is made of the surface.
func checkFramed(t *testing.T, r Reader) {
	once := frame.Prompt(block(), "please\n\ncontinue")
	twice := frame.Prompt(block(), frame.Prompt(block(), "and on"))
	s := r.session(1, User(once), Assistant("yes"), User(twice), Assistant("done"))
	st, _ := r.laid(t, s)
	reading := read(t, st, s.ID)
	wantTurns(t, Conversation(t, reading.Surface), turns(s.Messages))
	want := turns(s.Messages)
	want[0].Text, want[2].Text = "please\n\ncontinue", "and on"
	wantTurns(t, projected(reading), want)
	if n := reference.SnapshotsLeftOut(reading.Surface.Events); n != 6 {
		t.Errorf("%d snapshots left out, want 6", n)
	}
	wantTitle(t, r, st, s.ID, "please continue")
}

// checkFrameAlone wants a prompt that is a frame and nothing more to be no message
// and no title.
func checkFrameAlone(t *testing.T, r Reader) {
	s := r.session(1, User(block()), Assistant("noted"), User("Go on."), Assistant("yes"))
	st, _ := r.laid(t, s)
	reading := read(t, st, s.ID)
	wantTurns(t, Conversation(t, reading.Surface), turns(s.Messages))
	wantTurns(t, projected(reading), turns(s.Messages)[1:])
	wantTitle(t, r, st, s.ID, "Go on.")
}

// checkLookAlike wants a person's own text to stay whole, however much it looks like
// a frame.
func checkLookAlike(t *testing.T, r Reader) {
	for _, text := range []string{
		"## Referenced sessions\n\nWhat are <referenced-sessions> and </referenced-sessions>?\n\n## My request:\ngo on",
		strings.Replace(frame.Prompt(block(), "go on"), "untrusted", "trusted", 1),
		strings.Replace(frame.Prompt(block(), "go on"), `"label":"y",`, "", 1),
		"Look at this:\n" + frame.Prompt(block(), "go on"),
	} {
		s := r.session(1, User(text), Assistant("yes"))
		st, _ := r.laid(t, s)
		reading := read(t, st, s.ID)
		wantTurns(t, projected(reading), turns(s.Messages))
		if n := reference.SnapshotsLeftOut(reading.Surface.Events); n != 0 {
			t.Errorf("%d snapshots left out of %q", n, text)
		}
		first, _, _ := strings.Cut(text, "\n")
		wantTitle(t, r, st, s.ID, first+" ")
	}
}

func checkMentionTitle(t *testing.T, r Reader) {
	s := r.session(1, User("Port @[retry bug](dsh-session:InJldHJ5LWJ1ZyI) to dsh-session:ImEi now."), Assistant("yes"))
	st, _ := r.laid(t, s)
	wantTurns(t, projected(read(t, st, s.ID)), turns(s.Messages))
	wantTitle(t, r, st, s.ID, "Port @retry bug to @a now.")
	s.Messages[0] = User("Port @[retry bug](dsh-session:bad) now.")
	st, _ = r.laid(t, s)
	wantTitle(t, r, st, s.ID, "Port @[retry bug](dsh-session:bad) now.")
}

// checkPicture wants a session that begins with a picture to go by what was said next.
func checkPicture(t *testing.T, r Reader) {
	for _, c := range []struct {
		messages []Message
		title    string
	}{
		{[]Message{Picture(), Assistant("A cat."), User("And this?"), Assistant("A dog.")}, "And this?"},
		{[]Message{Picture(), Assistant("A cat."), Picture(), Assistant("A dog.")}, "A cat."},
		{[]Message{Picture()}, "[Image]"},
	} {
		s := r.session(1, c.messages...)
		st, _ := r.laid(t, s)
		wantTitle(t, r, st, s.ID, c.title)
		said := slices.DeleteFunc(slices.Clone(c.messages), func(m Message) bool { return m.Picture })
		wantTurns(t, Conversation(t, read(t, st, s.ID).Surface), turns(said))
	}
}

// projected is a reading's conversation as another session is told of it.
func projected(reading *store.Reading) []Turn {
	out := []Turn{}
	for _, it := range reference.Conversation(reading.Surface.Events) {
		out = append(out, Turn{it.Role, it.Text, it.Checkpoint})
	}
	return out
}

// wantTitle wants the title of a session without one of its own; of a want that ends
// in a space it is the beginning.
func wantTitle(t *testing.T, r Reader, st store.Store, id, want string) {
	t.Helper()
	entries, _ := list(t, st)
	e, ok := entries[r.full(id)]
	if !ok {
		t.Errorf("%q is not listed", id)
		return
	}
	title, err := st.Title(context.Background(), e)
	if err != nil || title == nil || *title != want && (!strings.HasSuffix(want, " ") || !strings.HasPrefix(*title, want)) {
		t.Errorf("title %s, %v; want %q", opt(title), err, want)
	}
}
