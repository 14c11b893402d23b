package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/model/modeltest"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
	host "github.com/dsh-toolkit/dsh/lib/tui"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/tuitest"
)

// mention types a mention of the session that a query finds.
func mention(s *tuitest.Stage, query string) {
	s.Keys("@" + query)
	s.Shows("1/")
	s.Keys("<Enter>")
	s.Hides("Enter takes it")
}

// TestSnapshotReachesTheModel is the whole way: a source whose history is behind a
// checkpoint is mentioned in the editor; the model is asked with one user message
// of snapshot, delimiter and prompt, in this order, and nothing that was shadowed;
// and the log keeps what the person typed apart.
func TestSnapshotReachesTheModel(t *testing.T) {
	sc := newScene(t, modeltest.Text("Ported."))
	sc.library.surfaces["3f6c1a9e"] = compacted(t)
	s := sc.start(t, 96, 24)
	s.Keys("Port it from ")
	mention(s, "retry")
	s.Keys("now<Enter>")
	s.Shows("Ported.")
	frame := s.Shows("› Port it from @Fix the retry bug in the client now")
	for _, hidden := range []string{"referenced-sessions", "conversation", "SUMMARY", "{"} {
		if strings.Contains(frame, hidden) {
			t.Errorf("the screen shows %q:\n%s", hidden, frame)
		}
	}

	asked := sc.model.Asked()
	if len(asked) != 1 || len(asked[0].Messages) != 1 {
		t.Fatalf("asked %d times, first with %d messages; want once with one", len(asked), len(asked[0].Messages))
	}
	if role := asked[0].Messages[0].Get("role"); !role.Is("user") {
		t.Errorf("role %s, want user", role.Raw())
	}
	var text strings.Builder
	for b := range asked[0].Messages[0].Get("content").Elements() {
		part, _ := b.Get("text").Text()
		text.WriteString(part)
	}
	last := -1
	for _, part := range []string{"<referenced-sessions>", "the checkpoint", "the tail", "</referenced-sessions>", agent.Delimiter, "Port it from @Fix the retry bug in the client now"} {
		at := strings.Index(text.String(), part)
		if at <= last {
			t.Errorf("%q is at %d, want it behind %d in %q", part, at, last, text.String())
		}
		last = at
	}
	if strings.Contains(text.String(), "SHADOWED") {
		t.Errorf("shadowed text reached the model: %q", text.String())
	}
	for ev, err := range sc.log.Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch ev.Type {
		case "context/message":
			t.Error("the log has a context/message")
		case "user/message":
			m := session.MessageOf(ev)
			if got := session.Text(m.Display()); got != "Port it from @Fix the retry bug in the client now" {
				t.Errorf("display content %q", got)
			}
			if refs := m.References(); len(refs) != 1 || refs[0].SessionID != "3f6c1a9e" {
				t.Errorf("references %v", refs)
			}
		}
	}
}

// compacted is a session whose first messages were replaced by a checkpoint, folded
// from its log.
func compacted(t *testing.T) *session.Surface {
	t.Helper()
	f := session.NewFold(0)
	for _, line := range []string{
		`{"type":"user/message","seq":0,"time":1,"data":{"content":[{"type":"text","text":"SHADOWED question"}],"source":{"kind":"user"}},"surfaceOp":"append"}`,
		`{"type":"assistant/message","seq":1,"time":1,"data":{"content":[{"type":"text","text":"SHADOWED answer"}]},"surfaceOp":"append"}`,
		`{"type":"user/message","seq":2,"time":1,"data":{"content":[{"type":"text","text":"the checkpoint"}],"source":{"kind":"plugin","plugin":"compact"}},"surfaceOp":{"op":"replace","start":0,"end":1},"sourceEventSeqs":[0,1]}`,
		`{"type":"user/message","seq":3,"time":1,"data":{"content":[{"type":"text","text":"the tail"}],"source":{"kind":"user"}},"surfaceOp":"append"}`,
	} {
		if err := f.Add(session.ParseEvent(jstext.MustParse(line))); err != nil {
			t.Fatal(err)
		}
	}
	cwd := "/home/dev/api-server"
	return f.Surface(session.NewHeader("3f6c1a9e", 0, &cwd))
}

// TestCancelIsAtOnce presses Esc while a source never delivers. The editor must be
// back within 100 ms of the key, as it was; and what comes late sends nothing. A
// machine that is busy with other tests gets more than one try.
func TestCancelIsAtOnce(t *testing.T) {
	const most = 100 * time.Millisecond
	var took time.Duration
	for range 5 {
		if took = cancelled(t); took <= most {
			return
		}
	}
	t.Errorf("control came back after %v, want %v at most", took, most)
}

// cancelled does it once and returns the time it took.
func cancelled(t *testing.T) time.Duration {
	t.Helper()
	sc := newScene(t)
	sc.library.gate = make(chan struct{})
	s := sc.start(t, 96, 24)
	s.Keys("one ")
	mention(s, "retry")
	s.Keys("two<Left><Left>")
	s.Shows("client two")
	before := s.Until("with the cursor in the word", func(f string) bool { return strings.HasSuffix(f, "(cursor 40,22)\n") })
	s.Keys("<Enter>")
	s.Shows("preparing…")
	s.Keys("<Enter>x<BS>") // a second Enter, and typing, do nothing meanwhile
	pressed := time.Now()
	s.Keys("<Esc>")
	frame := s.Hides("preparing…")
	took := time.Since(pressed)
	if got, want := lastRows(frame, 4), lastRows(before, 4); got != want {
		t.Errorf("the editor is\n%s\nwant it as it was\n%s", got, want)
	}
	s.Keys("x")
	s.Shows("client tx")
	close(sc.library.gate) // the source delivers after all
	time.Sleep(50 * time.Millisecond)
	if asked := sc.model.Asked(); len(asked) != 0 {
		t.Errorf("a cancelled message reached the model: %v", asked)
	}
	if n := sc.log.Next(); n != 0 {
		t.Errorf("the log has %d events", n)
	}
	return took
}

func lastRows(frame string, n int) string {
	rows := strings.Split(strings.TrimSuffix(frame, "\n"), "\n")
	return strings.Join(rows[len(rows)-n:], "\n")
}

// TestFailureGivesTheInputBack holds for every way a preparation can fail.
func TestFailureGivesTheInputBack(t *testing.T) {
	off := func(o *host.Options) { o.Candidates = nil }
	for _, c := range []struct {
		name, paste, says string
		edit              func(*host.Options)
	}{
		{"unreadable", "see " + (candidate.Session{ID: "nowhere", Label: "x"}).Mention(), `session "nowhere"`, nil},
		{"itself", "see " + (candidate.Session{ID: "target", Label: "x"}).Mention(), `"target"`, nil},
		{"malformed", "see @[x](dsh-session:!!)", "not base64url", nil},
		{"too many", "see dsh-session:ImEi dsh-session:ImIi dsh-session:ImMi dsh-session:ImQi", "4 sessions are referenced, 3 allowed", nil},
		{"switched off", "see " + (candidate.Session{ID: "3f6c1a9e", Label: "x"}).Mention(), "references are switched off", off},
	} {
		t.Run(c.name, func(t *testing.T) {
			sc := newScene(t)
			sc.edit = c.edit
			s := sc.start(t, 96, 24)
			s.Shows("Type a message")
			s.Paste(c.paste)
			pasted := s.Until("with the text", func(f string) bool { return strings.Contains(f, "see ") && !strings.Contains(f, "(cursor 2,") })
			s.Keys("<Left>")
			before := lastRows(s.Until("with the cursor moved", func(f string) bool { return f != pasted }), 3)
			s.Keys("<Enter>")
			if got := lastRows(s.Shows(c.says), 3); got != before {
				t.Errorf("the editor is\n%s\nwant\n%s", got, before)
			}
			s.Keys("y")
			s.Hides(c.says)
			if n := sc.log.Next(); n != 0 {
				t.Errorf("the log has %d events", n)
			}
		})
	}
}

func TestLimitsAreTheHosts(t *testing.T) {
	sc := newScene(t)
	one, small := 1, 200
	target := "target"
	for _, c := range []struct {
		name   string
		config reference.Config
		says   string
	}{
		{"count", reference.Config{MaxReferences: &one}, "2 sessions are referenced, 1 allowed"},
		{"bytes", reference.Config{MaxReferenceBytes: &small}, "200 allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sc.edit = func(o *host.Options) { o.Preparer = preparer{&sc.library, &target, c.config} }
			sc.library.surfaces["3f6c1a9e"] = sc.library.surfaces["77b01d42"]
			s := sc.start(t, 96, 24)
			mention(s, "retry")
			if c.name == "count" {
				mention(s, "error")
			} else {
				var b session.Builder
				b.User(1, 0, "x")
				cwd := "/" + strings.Repeat("d", 300)
				sc.library.surfaces["3f6c1a9e"] = b.Surface(session.NewHeader("3f6c1a9e", 0, &cwd), nil, nil)
			}
			s.Keys("<Enter>")
			s.Shows(c.says)
		})
	}
}

// TestSendOrSteer asks for the agent's status after the preparation: a message that
// was begun while a turn ran and is ready after its end is sent, not steered.
func TestSendOrSteer(t *testing.T) {
	held := modeltest.Held("first")
	sc := newScene(t, held, modeltest.Text("second"))
	sc.library.gate = make(chan struct{})
	s := sc.start(t, 96, 24)
	s.Keys("one<Enter>")
	s.Shows("first")
	mention(s, "retry")
	s.Keys("<Enter>")
	s.Shows("preparing…")
	close(held.Until) // the turn ends while the source is being read
	s.Until("with the first turn over", func(string) bool { return !sc.agent.Running() })
	close(sc.library.gate)
	s.Shows("second")
	var types []string
	for ev, err := range sc.log.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(ev.Type, "/message") {
			types = append(types, ev.Type)
		}
	}
	if got, want := strings.Join(types, " "), "user/message assistant/message user/message assistant/message"; got != want {
		t.Errorf("the log has %s, want %s", got, want)
	}
}

func TestHistory(t *testing.T) {
	sc := newScene(t, modeltest.Text("a1"), modeltest.Text("a2"))
	s := sc.start(t, 96, 24)
	mention(s, "retry")
	s.Keys("one<Enter>")
	s.Shows("a1")
	s.Keys("two<Enter>")
	s.Shows("a2")
	s.Keys("draft<Up><Up>")
	s.Shows("› @Fix the retry bug in the client one\n  ")
	s.Keys("<Left><Left><Left><BS><BS>X") // the chip is one again
	s.Shows("› Xone\n  ")
	s.Keys("<Down><Down>")
	s.Shows("› draft\n  ")
}

func TestCompletionKeepsOut(t *testing.T) {
	sc := newScene(t)
	s := sc.start(t, 96, 24)
	s.Shows("Type a message")
	s.Keys("write to dev@retry")
	s.Shows("dev@retry")
	s.Paste(" @retry")
	s.Shows("@retry @retry")
	time.Sleep(100 * time.Millisecond)
	if f := s.Frame(); strings.Contains(f, "takes it") {
		t.Errorf("a list opened:\n%s", f)
	}
	s.Keys("<Tab>") // asked for
	s.Shows("1/")
	s.Keys("<Esc>")
	s.Hides("takes it")
	s.Keys("x")
	s.Shows("@retryx")
	if f := s.Frame(); strings.Contains(f, "takes it") || strings.Contains(f, "nothing found") {
		t.Errorf("a closed list opened again:\n%s", f)
	}
}

// Enter before the rows have come chooses the first of them; where there are none it
// sends.
func TestEnterBeforeTheList(t *testing.T) {
	sc := newScene(t, modeltest.Text("Nobody of that name."))
	s := sc.start(t, 96, 24)
	s.Shows("Type a message")
	s.Keys("@error<Enter>ok")
	s.Shows("› @Error texts people can act on ok\n")
	s.Keys("<C-c>@zzzz<Enter>")
	s.Shows("› @zzzz\n")
	s.Shows("Nobody of that name.")
}

// slowCandidates remember which queries were cancelled.
type slowCandidates struct{ asked, cancelled chan string }

func (c slowCandidates) Candidates(ctx context.Context, query string, _ int) ([]candidate.Session, error) {
	c.asked <- query
	if query == "ret" {
		return []candidate.Session{{ID: "r", Label: "the one"}}, nil
	}
	<-ctx.Done()
	c.cancelled <- query
	return []candidate.Session{{ID: "late", Label: "too late"}}, nil
}

func TestTheNextKeyCancelsASearch(t *testing.T) {
	slow := slowCandidates{make(chan string, 9), make(chan string, 9)}
	sc := newScene(t)
	sc.edit = func(o *host.Options) { o.Candidates = slow }
	s := sc.start(t, 96, 24)
	s.Shows("Type a message")
	for _, key := range []string{"@", "r", "e", "t"} {
		s.Keys(key)
		<-slow.asked
	}
	s.Shows("the one")
	for _, want := range []string{"", "r", "re"} {
		if got := <-slow.cancelled; got != want {
			t.Errorf("cancelled %q, want %q", got, want)
		}
	}
	if f := s.Frame(); strings.Contains(f, "too late") {
		t.Errorf("an old answer is shown:\n%s", f)
	}
}

func TestResumedLog(t *testing.T) {
	frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
		sc := newScene(t)
		for _, e := range []logwriter.Entry{
			{Type: "user/message", Surface: true, Data: jstext.MustParse(`{"content":[{"type":"text","text":"old request"}],"source":{"kind":"user"},"envelope":{"displayContent":[{"type":"text","text":"Do as in @retry bug"}],` +
				`"prefixContexts":[{"source":{"kind":"plugin","plugin":"session-reference"},"meta":{"kind":"session-reference","version":1,"references":[{"sessionId":"3f6c1a9e","label":"retry bug"}]}}]}}`)},
			{Type: "assistant/message", Surface: true, Data: jstext.MustParse(`{"turn":1,"step":1,"content":[{"type":"text","text":"I look around first."},{"type":"tool-call","id":"1","name":"bash","arguments":"{\"command\":\"ls\"}"},{"type":"tool-call","id":"2","name":"read","arguments":"{}"}]}`)},
			{Type: "tool/result", Surface: true, Data: jstext.MustParse(`{"content":[{"type":"text","text":"{\"files\":[]}"}]}`)},
			{Type: "assistant/message", Surface: true, Data: jstext.MustParse(`{"turn":1,"step":2,"content":[{"type":"text","text":"It is done:\n\n- the loop\n- its test"}]}`)},
			{Type: "session/title", Data: jstext.MustParse(`{"title":"Retry as in the client"}`)},
		} {
			if _, err := sc.log.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		s := sc.start(t, w, h)
		s.Shows("its test")
		golden(s, "resumed")
		s.Keys("<Up>")
		s.Shows("› Do as in @retry bug\n  ")
		s.Keys("<PgUp><PgUp>")
		golden(s, "resumed-above")
	})
}

func TestResize(t *testing.T) {
	sc := newScene(t, modeltest.Text(strings.Repeat("word ", 60)))
	s := sc.start(t, 96, 24)
	s.Keys("Tell<Enter>")
	s.Shows("word word")
	for _, size := range [][2]int{{40, 10}, {20, 5}, {3, 2}, {1, 1}, {40, 10}} {
		s.Resize(size[0], size[1])
	}
	s.Until("of 10 rows that ends with the status", func(f string) bool {
		return strings.Count(f, "\n") == 11 && strings.Contains(f, "\n› Type a message; @ mentions a session…\n  Enter sends")
	})
	s.Resize(96, 24)
	s.Shows("› Tell")
}

func TestLeaving(t *testing.T) {
	for name, keys := range map[string]string{"Ctrl-C": "<C-c>", "Ctrl-D": "<C-d>", "after text": "text<C-c><C-c>"} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t).start(t, 96, 24)
			s.Shows("Type a message")
			s.Keys(keys)
			if err := s.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			if s.Alternate() {
				t.Error("the alternate screen was not left")
			}
			for _, mode := range []string{"\x1b[?2004l", "\x1b[?1049l", "\x1b[?25h"} {
				if !strings.Contains(s.Raw(), mode) {
					t.Errorf("%q was not written", mode)
				}
			}
		})
	}
}

func TestCtrlCWhileATurnRuns(t *testing.T) {
	sc := newScene(t, modeltest.Held("Half"))
	s := sc.start(t, 96, 24)
	s.Keys("Tell<Enter>")
	s.Shows("Half")
	s.Keys("and then<Enter>")
	s.Shows("› and then")
	s.Shows("waiting")
	s.Keys("draft")
	s.Shows("› draft")
	s.Keys("<C-c>")
	s.Shows("· not sent: and then")
	s.Shows("· cancelled")
	s.Shows("› draft")
}

func TestABlockedPromptStaysInSight(t *testing.T) {
	sc := newScene(t)
	sc.hooks = []agent.Hook{func(context.Context, agent.Prompt, agent.Next) (agent.Decision, error) {
		return agent.Decision{Block: true, Reason: "no secrets, please"}, nil
	}}
	s := sc.start(t, 96, 24)
	s.Keys("my password is x<Enter>")
	s.Shows("! blocked: no secrets, please")
	s.Shows("› my password is x")
}

func TestAModelThatFails(t *testing.T) {
	sc := newScene(t, modeltest.Reply{Pieces: []string{"part"}, Err: context.DeadlineExceeded})
	s := sc.start(t, 96, 24)
	s.Keys("go<Enter>")
	s.Shows("! ")
	s.Shows("  part")
	s.Shows("Enter sends")
}

// A key redraws what it changes and no more: nothing flickers.
func TestAKeyRedrawsLittle(t *testing.T) {
	sc := newScene(t, modeltest.Text(strings.Repeat("word ", 400)))
	s := sc.start(t, 96, 24)
	s.Keys("Tell<Enter>")
	s.Shows("Enter sends")
	s.Shows("word word")
	s.Keys("a")
	s.Shows("› a")
	before := len(s.Raw())
	s.Keys("b")
	s.Shows("› ab")
	if n := len(s.Raw()) - before; n > 200 {
		t.Errorf("a key wrote %d bytes: %q", n, s.Raw()[before:])
	}
	if n := strings.Count(s.Raw(), "\x1b[2J"); n > 1 {
		t.Errorf("the screen was cleared %d times", n)
	}
}
