package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// Turn is one item of a conversation, as the projection of SPEC 5 sees it.
type Turn struct {
	Role       session.Role
	Text       string
	Checkpoint bool
}

func (u Turn) String() string {
	mark := ""
	if u.Checkpoint {
		mark = " (checkpoint)"
	}
	return fmt.Sprintf("%s%s: %s", u.Role, mark, jstext.Quote(u.Text))
}

// Conversation is a surface's conversation as it stands there, snapshots in prompts
// included. It fails t where the surface has anything that a reader of another agent
// must not put there.
func Conversation(t testing.TB, s *session.Surface) []Turn {
	t.Helper()
	out := []Turn{}
	last := int64(-1)
	for i, ev := range s.Events {
		m := session.MessageOf(ev)
		text := session.Text(m.Display())
		switch {
		case ev.Seq <= last:
			t.Errorf("event %d has seq %d after %d", i, ev.Seq, last)
		case !ev.SurfaceOp.Is("append"):
			t.Errorf("event %d has surfaceOp %s", i, ev.SurfaceOp.Raw())
		case m.Content.Len() != 1:
			t.Errorf("event %d has %d blocks, want one text block", i, m.Content.Len())
		case text == "":
			t.Errorf("event %d has no text", i)
		}
		last = ev.Seq
		switch {
		case m.Checkpoint():
			if i > 0 {
				t.Errorf("event %d is a checkpoint, which must come first", i)
			}
			out = append(out, Turn{session.User, text, true})
		case m.ByPerson():
			out = append(out, Turn{session.User, text, false})
		case m.Role == session.Assistant:
			out = append(out, Turn{session.Assistant, text, false})
		default:
			t.Errorf("event %d is no part of a conversation: %s", i, ev.JSON.Raw())
		}
	}
	if s.CapturedThroughSeq != nil && *s.CapturedThroughSeq < last || s.CapturedThroughSeq == nil && last >= 0 {
		t.Errorf("captured through %v, but there is an event with seq %d", s.CapturedThroughSeq, last)
	}
	return out
}

// turns is what a reader must make of messages.
func turns(messages []Message) []Turn {
	out := []Turn{}
	for _, m := range messages {
		out = append(out, Turn{m.Role, m.Text(), false})
	}
	return out
}

func wantTurns(t testing.TB, got, want []Turn) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// list returns the entries by id and the errors; it fails t where an id comes
// twice.
func list(t testing.TB, st store.Store) (map[string]store.Entry, []error) {
	t.Helper()
	entries := make(map[string]store.Entry)
	var errs []error
	for e, err := range st.List(context.Background()) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if old, ok := entries[e.ID]; ok {
			t.Errorf("%q is listed twice, in %q and %q", e.ID, old.Path, e.Path)
		}
		entries[e.ID] = e
	}
	return entries, errs
}

func wantIDs(t testing.TB, entries map[string]store.Entry, want ...string) {
	t.Helper()
	var got []string
	for id := range entries {
		got = append(got, id)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

// find looks an id up, in exactly one place.
func find(t testing.TB, st store.Store, id string) store.Ref {
	t.Helper()
	refs, err := st.Lookup(context.Background(), id)
	if err != nil || len(refs) != 1 {
		t.Fatalf("looked up %q: got %v, %v; want one place", id, refs, err)
	}
	return refs[0]
}

func read(t testing.TB, st store.Store, id string) *store.Reading {
	t.Helper()
	r, err := st.Read(context.Background(), find(t, st, id), store.ReadOptions{})
	if err != nil {
		t.Fatalf("read %q: %v", id, err)
	}
	return r
}

// wantFault checks that err is a *fault.Error of one of the kinds.
func wantFault(t testing.TB, err error, kinds ...fault.Kind) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Errorf("got %v, which is no *fault.Error", err)
		return
	}
	if !slices.Contains(kinds, f.Kind) {
		t.Errorf("got %v of kind %d, want one of %v", err, f.Kind, kinds)
	}
}
