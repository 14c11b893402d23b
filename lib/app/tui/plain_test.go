package tui

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/model/modeltest"
	"github.com/dsh-toolkit/dsh/lib/reference"
	host "github.com/dsh-toolkit/dsh/lib/tui"
	"github.com/dsh-toolkit/dsh/lib/tui/plain"
	"github.com/dsh-toolkit/dsh/lib/tui/tuitest"
)

// paper is what a plain host has written.
type paper struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// desk is a person at a plain host.
type desk struct {
	t          *testing.T
	out        paper
	in         *io.PipeWriter
	interrupts chan struct{}
	done       chan error
}

func (s *scene) sit(t *testing.T) *desk {
	t.Helper()
	in, keys := io.Pipe()
	d := &desk{t: t, in: keys, interrupts: make(chan struct{}), done: make(chan error, 1)}
	target := "target"
	o := host.Options{
		Open: s.open, Preparer: preparer{&s.library, &target, reference.Config{}}, Candidates: &s.library,
		Home: "/home/dev", Now: s.now,
	}
	if s.edit != nil {
		s.edit(&o)
	}
	go func() {
		d.done <- plain.Run(t.Context(), o, plain.Streams{In: in, Out: &d.out, Interrupts: d.interrupts})
	}()
	t.Cleanup(func() {
		_ = keys.Close()
		if s.agent != nil {
			_ = s.agent.Dispose()
		}
	})
	return d
}

// types writes lines, each once the output ends in a text.
func (d *desk) types(after, line string) {
	d.t.Helper()
	d.reads(after)
	if _, err := io.WriteString(d.in, line); err != nil {
		d.t.Fatal(err)
	}
}

// reads waits for output that ends in a text.
func (d *desk) reads(end string) {
	d.t.Helper()
	for deadline := time.Now().Add(tuitest.Patience); !strings.HasSuffix(d.out.String(), end); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("output\n%s\nwant it to end in %q", d.out.String(), end)
		}
	}
}

func (d *desk) leaves() {
	d.t.Helper()
	select {
	case err := <-d.done:
		if err != nil {
			d.t.Error(err)
		}
	case <-time.After(tuitest.Patience):
		d.t.Fatal("it does not end")
	}
}

func TestPlain(t *testing.T) {
	sc := newScene(t, modeltest.Reply{Pieces: []string{"One li", "ne.\nAnd ano", "ther\x1b[2J."}}, modeltest.Text("Again."))
	d := sc.sit(t)
	d.types("> ", "/help\n")
	d.types("> ", "/find api\n")
	d.types("> ", "/find zzz\n")
	d.types("> ", "/find RETRY\n")
	d.types("> ", "Port it from @1 \\\n")
	d.types("... ", "not from me@1.example or @2\n")
	d.reads("And another\\x1b[2J.\n> ")
	d.types("> ", "//slash\n")
	d.reads("Again.\n> ")
	d.types("> ", "/show\n")
	d.types("> ", "/nothing\n")
	d.types("> ", "/quit\n")
	d.leaves()
	want := `New session. /help says what can be typed.
> A line is a message. One that ends in a backslash goes on in the next.
/find WORDS  lists sessions; @1 in a message then mentions the first of them.
/again       sends the last message again, if it was not sent.
/cancel      cancels what is under way, as Ctrl-C does.
/show        prints the conversation.
/quit        leaves, as Ctrl-D does.
A message that begins with a slash is typed with two.
> No session matches.
> No session matches.
> 1. Fix the retry bug in the client, in ~/api-server, 2h ago
> ... Preparing. Ctrl-C cancels.
Sent.
Referenced sessions: Fix the retry bug in the client (3f6c1a9e)
Answer:
One line.
And another\x1b[2J.
> Sent.
Answer:
Again.
> You: Port it from @Fix the retry bug in the client 
not from me@1.example or @2
Referenced sessions: Fix the retry bug in the client (3f6c1a9e)
Answer: One line.
And another\x1b[2J.
You: /slash
Answer: Again.
> No command /nothing. /help lists them.
> `
	if got := d.out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPlainFailsAndTriesAgain(t *testing.T) {
	sc := newScene(t, modeltest.Text("Done."))
	lost := sc.library.surfaces["3f6c1a9e"]
	delete(sc.library.surfaces, "3f6c1a9e")
	d := sc.sit(t)
	d.types("> ", "/find retry\n")
	d.types("> ", "use @1\n")
	d.reads("Nothing was sent. /again sends it again.\n> ")
	sc.library.surfaces["3f6c1a9e"] = lost
	d.types("> ", "/again\n")
	d.reads("Done.\n> ")
	d.types("> ", "/again\n")
	d.reads("Every message was sent.\n> ")
	_ = d.in.Close()
	d.leaves()
}

func TestPlainInterrupts(t *testing.T) {
	held := modeltest.Held("Half an answer\nand")
	sc := newScene(t, held)
	sc.library.gate = make(chan struct{})
	d := sc.sit(t)
	d.types("> ", "/find retry\n")
	d.types("> ", "use @1\n")
	d.reads("Preparing. Ctrl-C cancels.\n")
	d.types("\n", "another\n")
	d.reads("/cancel stops that.\n")
	pressed := time.Now()
	d.interrupts <- struct{}{}
	d.reads("/again sends it after all.\n> ")
	if took := time.Since(pressed); took > time.Second {
		t.Errorf("control came back after %v", took)
	}
	close(sc.library.gate)
	d.types("> ", "go\n")
	d.reads("Half an answer\n")
	d.types("\n", "faster\n")
	d.reads("Waiting for the turn that runs.\n")
	d.interrupts <- struct{}{}
	d.reads("\nNot sent: faster\nand\nCancelled.\n> ")
	d.interrupts <- struct{}{}
	d.leaves()
	if n := len(sc.model.Asked()); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
}

func TestPlainWithoutReferences(t *testing.T) {
	sc := newScene(t)
	sc.edit = func(o *host.Options) { o.Candidates = nil }
	d := sc.sit(t)
	d.types("> ", "/find x\n")
	d.reads("References are switched off.\n> ")
	d.types("> ", "see "+sc.library.sessions[0].Mention()+"\n")
	d.reads("Nothing was sent. /again sends it again.\n> ")
}
