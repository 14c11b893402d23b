package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// laid lays one session down in a new store and opens it.
func (r Reader) laid(t testing.TB, s Session) (store.Store, Laid) {
	t.Helper()
	root := t.TempDir()
	at := r.Lay(t, root, s)
	return r.open(t, root), at
}

func checkConversation(t *testing.T, r Reader) {
	s := r.session(1,
		User("  What is here?\n"), Assistant("A file, \"x\\y\".\n\nAnd <tags> & \u2028 separators."),
		User("漢字 👩‍👩‍👧 \u0001\u007f\u202e"), Message{Role: session.Assistant, Literal: jstext.Quote("I ran a tool."), Output: 20_000}, Assistant("  And more."),
	)
	st, _ := r.laid(t, s)
	reading := read(t, st, s.ID)
	want := turns(s.Messages)
	want[0].Text, want[4].Text = "What is here?", "And more."
	wantTurns(t, Conversation(t, reading.Surface), want)
	rc := reading.Receipt
	if rc.TornTail != 0 || rc.DamagedRecords != 0 || rc.DroppedBranches != 0 || rc.Checkpoint || rc.SealedCheckpoint || len(rc.Notes) > 0 || rc.BytesRead <= 0 {
		t.Errorf("receipt of a sound session: %+v", rc)
	}
	if rc.CapturedThroughSeq == nil || reading.Surface.CapturedThroughSeq == nil || *rc.CapturedThroughSeq != *reading.Surface.CapturedThroughSeq {
		t.Errorf("captured through %v by the receipt, %v by the surface", rc.CapturedThroughSeq, reading.Surface.CapturedThroughSeq)
	}
}

func checkSameTwice(t *testing.T, r Reader) {
	st, at := r.laid(t, r.session(1))
	ref := find(t, st, r.ID(1))
	first := read(t, st, r.ID(1))
	if first.Receipt.SHA256 != "" {
		t.Errorf("a hash that nobody asked for: %q", first.Receipt.SHA256)
	}
	want := string(first.Surface.AppendJSON(nil))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := st.Read(context.Background(), ref, store.ReadOptions{Hash: true, Verify: true})
			if err != nil {
				t.Error(err)
				return
			}
			if js := string(got.Surface.AppendJSON(nil)); js != want {
				t.Errorf("got  %s\nthen %s", want, js)
			}
			if len(got.Receipt.SHA256) != 64 {
				t.Errorf("hash %q", got.Receipt.SHA256)
			}
			if sum := sha256.Sum256(mustRead(t, at.Path)); r.Lines && got.Receipt.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("hash %q is not the file's", got.Receipt.SHA256)
			}
		})
	}
	wg.Wait()
}

func checkHugeLine(t *testing.T, r Reader) {
	s := r.session(1, User("Before."), Message{Role: session.Assistant, Literal: `"After."`, Output: HugeOutput}, User("And on."))
	st, _ := r.laid(t, s)
	ref := find(t, st, s.ID)
	runtime.GC()
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	reading, err := st.Read(context.Background(), ref, store.ReadOptions{})
	runtime.ReadMemStats(&is)
	if err != nil {
		t.Fatal(err)
	}
	wantTurns(t, Conversation(t, reading.Surface), turns(s.Messages))
	if used := int64(is.TotalAlloc - was.TotalAlloc); used > r.Slack {
		t.Errorf("allocated %d bytes to read past an output of %d, want at most %d", used, HugeOutput, r.Slack)
	}
}

func checkInvalidUTF8(t *testing.T, r Reader) {
	s := r.session(1, User("one"), Message{Role: session.Assistant, Literal: "\"bad \xff\xfe, half \xe4\xb8, coded \xed\xa0\x80.\""}, User("two"))
	st, _ := r.laid(t, s)
	got := Conversation(t, read(t, st, s.ID).Surface)
	wantTurns(t, got, turns(s.Messages))
	if len(got) > 1 && !strings.Contains(got[1].Text, "bad \uFFFD\uFFFD, half \uFFFD, coded \uFFFD\uFFFD\uFFFD.") {
		t.Errorf("got %q", got[1].Text)
	}
}

func checkSurrogates(t *testing.T, r Reader) {
	s := r.session(1, Message{Role: session.User, Literal: `"cut \ud83d… ok \ud83d\ude80 rev \udc00\ud800"`}, Assistant("yes"))
	st, _ := r.laid(t, s)
	reading := read(t, st, s.ID)
	wantTurns(t, Conversation(t, reading.Surface), turns(s.Messages))
	if js := string(reading.Surface.AppendJSON(nil)); !strings.Contains(js, `cut \ud83d… ok 🚀 rev \udc00\ud800`) {
		t.Errorf("printed %s", js)
	}
}

// checkEmpty wants a session that holds no message yet to be read as an empty one,
// or refused by name, and never to spoil a listing.
func checkEmpty(t *testing.T, r Reader) {
	root := t.TempDir()
	none := r.session(1)
	none.Messages = nil
	at := r.Lay(t, root, none)
	r.Lay(t, root, r.session(2))
	check := func(how string) {
		t.Helper()
		st := r.open(t, root)
		entries, _ := list(t, st)
		if _, ok := entries[r.full(r.ID(2))]; !ok {
			t.Errorf("%s: the other session is not listed", how)
		}
		reading, err := r.Format.ReadFile(context.Background(), at.Path, store.ReadOptions{})
		if err != nil {
			wantFault(t, err, fault.Damaged, fault.Unreadable)
			return
		}
		if n := len(Conversation(t, reading.Surface)); n > 0 {
			t.Errorf("%s: %d messages", how, n)
		}
	}
	check("no message")
	if r.Lines {
		for how, content := range map[string]string{"no byte": "", "one line end": "\n", "half a record": `{"ty`, "garbage": "\x00\x01garbage\n"} {
			mustWrite(t, at.Path, []byte(content))
			check(how)
		}
	}
}

func checkCancelled(t *testing.T, r Reader) {
	st, at := r.laid(t, r.session(1))
	ref := find(t, st, r.ID(1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	start := time.Now()
	_, err := st.Read(ctx, ref, store.ReadOptions{})
	if fault.KindOf(err) != fault.Cancelled {
		t.Errorf("read: got %v, want a cancellation", err)
	}
	if _, err = r.Format.ReadFile(ctx, at.Path, store.ReadOptions{}); fault.KindOf(err) != fault.Cancelled {
		t.Errorf("read of a bare file: got %v, want a cancellation", err)
	}
	for e, err := range st.List(ctx) {
		if err == nil {
			t.Errorf("listed %q after the end of the context", e.ID)
		}
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("took %v", d)
	}
}

// within fails t where f takes longer than a reader may hang.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal(fmt.Sprint(what, " hangs"))
	}
}
