//go:build unix

package cmd_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// place is a home directory for programs that run as processes of their own.
type place struct {
	t     *testing.T
	home  string
	inbox *inbox.Inbox
}

func newPlace(t *testing.T) *place {
	t.Helper()
	home := t.TempDir()
	box, err := inbox.Open(filepath.Join(home, ".local/state/dsh-toolkit/inbox"), inbox.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return &place{t: t, home: home, inbox: box}
}

func (p *place) enqueue(kind inbox.Kind, id, text string) {
	p.t.Helper()
	if _, err := p.inbox.Enqueue(p.t.Context(), inbox.Draft{ID: id, To: "t", Kind: kind, Content: session.TextContent(text)}); err != nil {
		p.t.Fatal(err)
	}
}

// command is `dsh-send run` for the session.
func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), "dsh-send", append([]string{"run", "--to", "t"}, args...)...)
	cmd.Dir = p.home
	cmd.Env = []string{"HOME=" + p.home, "PWD=" + p.home, "PATH=" + os.Getenv("PATH")}
	return cmd
}

func (p *place) log() []jstext.Value {
	p.t.Helper()
	logs, err := filepath.Glob(filepath.Join(p.home, ".local/state/dsh-toolkit/sessions/*/t/session.jsonl"))
	if err != nil || len(logs) != 1 {
		p.t.Fatalf("logs %q, %v", logs, err)
	}
	b, err := os.ReadFile(logs[0])
	if err != nil {
		p.t.Fatal(err)
	}
	var events []jstext.Value
	for line := range strings.Lines(string(b)) {
		v, err := jstext.Parse(line)
		if err != nil || !strings.HasSuffix(line, "\n") {
			p.t.Fatalf("line %d: %q: %v", len(events)+1, line, err)
		}
		events = append(events, v)
	}
	for i, ev := range events[1:] {
		if n, ok := ev.Get("seq").Int(); !ok || n != int64(i) {
			p.t.Fatalf("line %d has seq %s", i+2, ev.Get("seq").Raw())
		}
	}
	return events[1:]
}

// turn is one turn of a log.
type turn struct{ record, reason, prompt, answer string }

func (p *place) turns() []turn {
	p.t.Helper()
	var out []turn
	for _, ev := range p.log() {
		data := ev.Get("data")
		switch typ, _ := ev.Get("type").Text(); typ {
		case "turn/start":
			id, _ := data.Get("trigger", "recordId").Text()
			out = append(out, turn{record: id})
		case "user/message", "assistant/message":
			for b := range data.Get("content").Elements() {
				text, _ := b.Get("text").Text()
				if typ == "user/message" {
					out[len(out)-1].prompt += text
				} else {
					out[len(out)-1].answer += text
				}
			}
		case "turn/end":
			out[len(out)-1].reason, _ = data.Get("reason", "kind").Text()
		}
	}
	return out
}

func exitStatus(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -2
}

// waitUntil fails the test when something does not come to be.
func (p *place) waitUntil(what string, is func() bool) {
	p.t.Helper()
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	p.t.Fatalf("waited in vain: %s", what)
}

func (p *place) hasFile(name string) func() bool {
	return func() bool {
		_, err := os.Stat(filepath.Join(p.home, name))
		return err == nil
	}
}

// A run that is killed at any moment, over and over, answers every message once:
// what it was killed over shows as interrupted, and nothing else does.
func TestSendRunKilled(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 7))
			p := newPlace(t)
			const messages = 25
			for i := range messages {
				kind := inbox.Send
				if i%5 == 4 {
					kind = inbox.Steer
				}
				p.enqueue(kind, fmt.Sprint("r", i), fmt.Sprint("message ", i))
			}
			kills := 0
			for start := time.Now(); time.Since(start) < 8*time.Second; {
				var stderr bytes.Buffer
				cmd := p.command("--once", "--exec", "cat", "--hook", "true")
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				delay := time.Duration(rng.IntN(180)) * time.Millisecond
				kill := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
				err := cmd.Wait()
				kill.Stop()
				if err == nil {
					break
				}
				if s := exitStatus(err); s != -1 {
					t.Fatalf("status %d after %d kills: %s", s, kills, stderr.String())
				}
				kills++
			}
			if err := p.command("--once", "--exec", "cat").Run(); err != nil {
				t.Fatal(err)
			}
			p.wantEachOnce(messages, kills)
			t.Logf("%d kills", kills)
		})
	}
}

// wantEachOnce checks that every message was taken once, in order but for what
// steered, and that no more turns were interrupted than there were kills.
func (p *place) wantEachOnce(messages, kills int) {
	p.t.Helper()
	taken := make(map[string]int)
	delivered := "" // the record that the next event delivers if it is a message
	for _, ev := range p.log() {
		if ev.Get("type").Is("steering/message") && delivered != "" {
			taken[delivered]++
		}
		delivered, _ = ev.Get("data", "recordId").Text()
	}
	last, interrupted := -1, 0
	for _, turn := range p.turns() {
		var n int
		if _, err := fmt.Sscanf(turn.record, "r%d", &n); err != nil {
			p.t.Fatalf("a turn of %q", turn.record)
		}
		switch turn.reason {
		case "interrupted":
			interrupted++
			continue
		case "completed":
			taken[turn.record]++
		default:
			p.t.Errorf("turn of %s ended %q", turn.record, turn.reason)
		}
		if n <= last {
			p.t.Errorf("a turn of %s after one of r%d", turn.record, last)
		}
		last = n
		if text := fmt.Sprint("message ", n); turn.prompt != text || !strings.HasPrefix(turn.answer, text) {
			p.t.Errorf("turn of %s: %q answered %q", turn.record, turn.prompt, turn.answer)
		}
	}
	for i := range messages {
		if n := taken[fmt.Sprint("r", i)]; n != 1 {
			p.t.Errorf("r%d was taken %d times", i, n)
		}
	}
	if len(taken) != messages || interrupted > kills {
		p.t.Errorf("%d of %d messages taken, %d turns interrupted by %d kills", len(taken), messages, interrupted, kills)
	}
	if left, err := p.inbox.List(p.t.Context(), "t"); err != nil || len(left) > 0 {
		p.t.Errorf("left in the queue: %v, %v", left, err)
	}
	check := exec.Command("dsh-surface", "--check", "t")
	check.Env = p.command().Env
	if out, err := check.CombinedOutput(); err != nil {
		p.t.Errorf("dsh-surface --check: %v\n%s", err, out)
	}
}

// A signal ends a run with 130 wherever it is, soon, and the log is closed.
func TestSendRunSignals(t *testing.T) {
	const slow = "touch there; while :; do sleep 0.05; done"
	for _, c := range []struct {
		name   string
		args   []string
		sent   bool
		reason string // how the turn ends; empty: there is none
	}{
		{"in the model", []string{"--exec", slow}, true, "aborted"},
		{"in a hook", []string{"--exec", "cat", "--hook", slow}, true, "aborted"},
		{"idle", []string{"--exec", "cat"}, false, ""},
		{"a reader that does not read", []string{"--exec", "touch there; yes"}, true, "aborted"},
	} {
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(fmt.Sprint(c.name, " ", sig), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				if c.sent {
					p.enqueue(inbox.Send, "r", "message")
				}
				r, w, err := os.Pipe() // nobody reads: it fills up
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				defer w.Close()
				var stderr bytes.Buffer
				cmd := p.command(c.args...)
				cmd.Stdout, cmd.Stderr = w, &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if c.sent {
					p.waitUntil("the command runs", p.hasFile("there"))
				} else {
					p.waitUntil("the log is there", p.hasFile(".local/state/dsh-toolkit/sessions/.dsh-toolkit"))
				}
				time.Sleep(200 * time.Millisecond) // until it is where it can get no further
				start := time.Now()
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				if s := exitStatus(cmd.Wait()); s != 130 || !strings.HasPrefix(stderr.String(), "dsh-send: cancelled") {
					t.Errorf("status %d, %q", s, stderr.String())
				}
				if took := time.Since(start); took > 3*time.Second {
					t.Errorf("took %v", took)
				}
				var reasons []string
				for _, turn := range p.turns() {
					reasons = append(reasons, turn.reason)
				}
				if got := strings.Join(reasons, " "); got != c.reason {
					t.Errorf("turns ended %q, want %q", got, c.reason)
				}
			})
		}
	}
}

// Where nothing can be written any more, the answer is in the log and the run ends
// after its turn.
func TestSendRunFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	p := newPlace(t)
	p.enqueue(inbox.Send, "r0", "message 0")
	p.enqueue(inbox.Send, "r1", "message 1")
	var stderr bytes.Buffer
	cmd := p.command("--exec", "cat")
	cmd.Stdout, cmd.Stderr = full, &stderr
	if s := exitStatus(cmd.Run()); s != 1 || !strings.HasPrefix(stderr.String(), "dsh-send: write <stdout>: no space left") {
		t.Errorf("status %d, %q", s, stderr.String())
	}
	if turns := p.turns(); len(turns) == 0 || turns[0] != (turn{"r0", "completed", "message 0", "message 0"}) {
		t.Errorf("turns %v", turns)
	}
	if err := p.command("--once", "--exec", "cat").Run(); err != nil {
		t.Fatal(err)
	}
	p.wantEachOnce(2, 0)
}

// A lock that a dead process has left is none.
func TestSendRunDeadLock(t *testing.T) {
	p := newPlace(t)
	p.enqueue(inbox.Send, "r0", "message 0")
	cmd := p.command("--exec", "touch there; sleep 60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.waitUntil("the command runs", p.hasFile("there"))
	second := p.command("--once", "--exec", "cat")
	var stderr bytes.Buffer
	second.Stderr = &stderr
	if s := exitStatus(second.Run()); s != 1 || !strings.Contains(stderr.String(), fmt.Sprint("another driver runs, process ", cmd.Process.Pid)) {
		t.Errorf("a second driver: status %d, %q", s, stderr.String())
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := p.command("--once", "--exec", "cat").Run(); err != nil {
		t.Fatal(err)
	}
	p.wantEachOnce(1, 1)
}
