package conformance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// Golden compares a reading with an expected.json of the agents' fixtures: their
// README says what its members mean.
func Golden(t testing.TB, r *store.Reading, expected string) {
	t.Helper()
	want := parse(t, expected)
	s := r.Surface
	wantOpt(t, "id", &s.Header.ID, jstext.FromString(r.Receipt.Store+":"+text(want.Get("sessionId"))))
	wantOpt(t, "cwd", s.Header.Cwd, want.Get("cwd"))
	wantOpt(t, "title", s.Title, want.Get("title"))
	if got := r.Receipt.Checkpoint; got != want.Get("checkpoint").True() {
		t.Errorf("checkpoint: got %v, want %s", got, want.Get("checkpoint").Raw())
	}
	turns := []Turn{}
	if summary, ok := want.Get("checkpointText").Text(); ok {
		turns = append(turns, Turn{session.User, summary, true})
	}
	for m := range want.Get("conversation").Elements() {
		turns = append(turns, Turn{session.Role(text(m.Get("role"))), text(m.Get("text")), false})
	}
	wantTurns(t, Conversation(t, s), turns)
	_, readable := want.Get("checkpointText").Text()
	if sealed := want.Get("checkpoint").True() && !readable; r.Receipt.SealedCheckpoint != sealed {
		t.Errorf("sealed checkpoint: got %v, want %v", r.Receipt.SealedCheckpoint, sealed)
	}
}

// GoldenList compares a listing with an expected-list.json. A title of null there
// means that the agent has none: the listing then shows something else, and only
// more is checked by the reader's own tests.
func GoldenList(t testing.TB, kind string, entries []store.Entry, errs []error, expected string) {
	t.Helper()
	for _, err := range errs {
		t.Errorf("listing: %v", err)
	}
	var want, got []string
	titled := make(map[string]bool)
	for e := range parse(t, expected).Elements() {
		id := kind + ":" + text(e.Get("sessionId"))
		titled[id] = e.Get("title").Kind() == jstext.String
		want = append(want, fmt.Sprintf("%q cwd %s title %s archived %v", id, e.Get("cwd").Raw(), e.Get("title").Raw(), e.Get("archived").True()))
	}
	for _, e := range entries {
		title := e.Title
		if !titled[e.ID] {
			title = nil
		}
		got = append(got, fmt.Sprintf("%q cwd %s title %s archived %v", e.ID, opt(e.Cwd), opt(title), e.Archived))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func opt(s *string) string {
	if s == nil {
		return "null"
	}
	return jstext.Quote(*s)
}

func wantOpt(t testing.TB, what string, got *string, want jstext.Value) {
	t.Helper()
	if opt(got) != want.JSON() {
		t.Errorf("%s: got %s, want %s", what, opt(got), want.JSON())
	}
}

func text(v jstext.Value) string {
	s, _ := v.Text()
	return s
}

func parse(t testing.TB, path string) jstext.Value {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jstext.Parse(jstext.Decode(b))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}
