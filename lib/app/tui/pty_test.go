//go:build unix

package tui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/dsh-toolkit/dsh/lib/app/state"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	host "github.com/dsh-toolkit/dsh/lib/tui"
	"github.com/dsh-toolkit/dsh/lib/tui/screen"
	"github.com/dsh-toolkit/dsh/lib/tui/tuitest"
)

// asProgram makes the test binary the program itself.
const asProgram = "DSH_TUI_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Main(cli.OS()))
	}
	os.Exit(m.Run())
}

// process is the program on a terminal of its own.
type process struct {
	*screen.Screen
	t      testing.TB
	master *os.File
	slave  *os.File
	cmd    *exec.Cmd
	home   string
	stdout bytes.Buffer // what a pipe on standard output got
	before *term.State
}

const sample = "../../../testdata/store"

// spawn runs the program with its streams on a terminal; piped puts standard output
// into a pipe instead. Leading NAME=VALUE arguments go into its environment.
func spawn(t testing.TB, home string, piped bool, args ...string) *process {
	t.Helper()
	env := []string{asProgram + "=1", "HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	for len(args) > 0 && strings.Contains(args[0], "=") {
		env, args = append(env, args[0]), args[1:]
	}
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 96}); err != nil {
		t.Fatal(err)
	}
	p := &process{Screen: screen.New(96, 24), t: t, master: master, slave: slave, home: home}
	if p.before, err = term.GetState(int(slave.Fd())); err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(os.Args[0], args...)
	p.cmd.Env = env
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	if piped {
		p.cmd.Stdout = &p.stdout
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(p.Screen, master) }()
	go func() { _, _ = io.Copy(master, p.Screen) }()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.Close()
		_ = master.Close()
		_ = slave.Close()
	})
	return p
}

func (p *process) keys(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.master, keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) until(what string, ok func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(tuitest.Patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("not %s; the screen is\n%s", what, p.Frame())
		}
	}
}

func (p *process) shows(text string) {
	p.t.Helper()
	p.until("showing "+text, func() bool { return strings.Contains(p.Frame(), text) })
}

// ends waits for the program's end and holds it to its status and to a terminal
// that is as it was.
func (p *process) ends(status int) {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(tuitest.Patience):
		p.t.Fatalf("it does not end; the screen is\n%s", p.Frame())
	}
	if got := p.cmd.ProcessState.ExitCode(); got != status {
		p.t.Errorf("it exited %d, want %d; the screen is\n%s", got, status, p.Frame())
	}
	p.restored()
}

func (p *process) restored() {
	p.t.Helper()
	p.until("off the alternate screen", func() bool { return !p.Alternate() })
	now, err := term.GetState(int(p.slave.Fd()))
	if err != nil {
		p.t.Fatal(err)
	}
	if fmt.Sprint(*now) != fmt.Sprint(*p.before) {
		p.t.Errorf("the terminal's settings are %v, want %v", *now, *p.before)
	}
	raw := p.Raw()
	for _, mode := range []string{"?2004", "?1049", "?25"} {
		on, off := strings.LastIndex(raw, "\x1b["+mode+"h"), strings.LastIndex(raw, "\x1b["+mode+"l")
		if mode == "?25" {
			on, off = off, on
		}
		if on > off {
			p.t.Errorf("mode %s was left changed", mode)
		}
	}
}

func TestProgramTalks(t *testing.T) {
	home := t.TempDir()
	p := spawn(t, home, false, "--store", sample, "--exec", "printf 'I got '; wc -c")
	p.shows("Type a message")
	p.keys("Port it from @retry")
	p.shows("1/1")
	p.keys("\r")
	p.shows("› Port it from @retry bug\n")
	p.keys("now\r")
	p.shows("I got ")
	p.shows("Referenced sessions · retry bug (retry-bug)")
	p.shows("Enter sends")
	p.keys("\x03")
	p.ends(0)
	logs, err := filepath.Glob(filepath.Join(home, ".local/state/dsh-toolkit/sessions/*/*/session.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs %v, %v; want one", logs, err)
	}
	id := filepath.Base(filepath.Dir(logs[0]))
	p.shows("dsh-tui: note: dsh-tui --to " + id + " goes on with this session")

	p = spawn(t, home, false, "--to", id, "--exec", "cat")
	p.shows("› Port it from @retry bug now")
	p.shows("I got ")
	p.keys("\x04")
	p.ends(0)
}

// A look leaves nothing behind.
func TestProgramLeavesNoEmptySession(t *testing.T) {
	home := t.TempDir()
	p := spawn(t, home, false, "--store", sample, "--exec", "cat")
	p.shows("Type a message")
	p.keys("\x03")
	p.ends(0)
	if found, _ := filepath.Glob(filepath.Join(home, ".local/state/dsh-toolkit/sessions/*")); len(found) > 0 {
		t.Errorf("it left %v", found)
	}
	if strings.Contains(p.Raw(), "goes on with") {
		t.Error("it names a session that is not there")
	}
}

func TestProgramEndsBySignal(t *testing.T) {
	for _, c := range []struct {
		name string
		sig  syscall.Signal
		args []string
		wait string
	}{
		{"SIGTERM", syscall.SIGTERM, []string{"--exec", "cat"}, "Type a message"},
		{"SIGINT", syscall.SIGINT, []string{"--exec", "cat"}, "Type a message"},
		{"SIGTERM to the picker", syscall.SIGTERM, []string{"--pick"}, "1/3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := spawn(t, t.TempDir(), false, append([]string{"--store", sample}, c.args...)...)
			p.shows(c.wait)
			if err := p.cmd.Process.Signal(c.sig); err != nil {
				t.Fatal(err)
			}
			p.ends(130)
		})
	}
}

func TestProgramIsKilledInATurn(t *testing.T) {
	p := spawn(t, t.TempDir(), false, "--store", sample, "--exec", "echo begun; sleep 100")
	p.shows("Type a message")
	p.keys("go\r")
	p.shows("begun")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.ends(130)
}

func TestProgramIsSuspended(t *testing.T) {
	p := spawn(t, t.TempDir(), false, "--store", sample, "--exec", "cat")
	p.shows("Type a message")
	p.keys("draft")
	p.shows("› draft")
	p.keys("\x1a")
	p.until("off the alternate screen", func() bool { return !p.Alternate() })
	p.until("back to the settings of before", func() bool {
		now, err := term.GetState(int(p.slave.Fd()))
		return err == nil && fmt.Sprint(*now) == fmt.Sprint(*p.before)
	})
	// Nothing stops the leader of a session, so it cannot be seen to wait for this.
	p.until("on the alternate screen again", func() bool {
		return p.cmd.Process.Signal(syscall.SIGCONT) == nil && p.Alternate()
	})
	p.shows("› draft")
	p.keys("\x03\x03")
	p.ends(0)
}

func TestProgramIsResized(t *testing.T) {
	p := spawn(t, t.TempDir(), false, "--store", sample, "--exec", "cat")
	p.shows("Type a message")
	p.Resize(40, 10)
	if err := pty.Setsize(p.master, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	p.shows("\n› Type a message; @ mentions a session…\n  Enter sends")
	p.keys("\x03")
	p.ends(0)
}

// TestPanicRestoresTheTerminal breaks the host while it draws.
func TestPanicRestoresTheTerminal(t *testing.T) {
	quiet := os.Stderr
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	os.Stderr = null // the stack goes there
	defer func() { os.Stderr = quiet }()
	sc := newScene(t)
	sc.edit = func(o *host.Options) { o.Now = func() time.Time { panic("broken clock") } }
	s := sc.start(t, 96, 24)
	s.Shows("Type a message")
	s.Keys("@")
	if err := s.Wait(); err == nil || !strings.Contains(err.Error(), tea.ErrProgramPanic.Error()) {
		t.Errorf("it ended with %v", err)
	}
	if s.Alternate() {
		t.Error("the alternate screen was not left")
	}
}

func TestProgramPicks(t *testing.T) {
	label := "retry bug"
	want := sessionuri.Mention("retry-bug", &label)
	p := spawn(t, t.TempDir(), true, "--pick", "--store", sample)
	p.shows("retry bug")
	p.keys("retry")
	p.shows("1/1")
	p.shows("sends ")
	p.keys("\r")
	p.ends(0)
	if got := p.stdout.String(); got != want+"\n" {
		t.Errorf("it printed %q, want %q", got, want+"\n")
	}

	p = spawn(t, t.TempDir(), true, "--pick", "--print0", "--query", "retry", "--store", sample)
	p.shows("1/1")
	p.keys("\r")
	p.ends(0)
	if got := p.stdout.String(); got != want+"\x00" {
		t.Errorf("it printed %q, want %q", got, want+"\x00")
	}

	p = spawn(t, t.TempDir(), true, "--pick", "--store", sample)
	p.shows("1/3")
	p.keys("\x03")
	p.ends(130)
	if got := p.stdout.String(); got != "" {
		t.Errorf("it printed %q", got)
	}
}

func TestProgramInLines(t *testing.T) {
	p := spawn(t, t.TempDir(), false, "--plain", "--store", sample, "--exec", "echo slow; sleep 100")
	p.shows("New session.")
	p.keys("go\r")
	p.shows("slow")
	p.keys("\x03") // the terminal makes a signal of it
	p.shows("^C\nCancelled.\n>")
	p.keys("\x03")
	p.ends(0)
}

// What was sent to a session is answered when it is opened.
func TestProgramTakesWhatWaits(t *testing.T) {
	home := t.TempDir()
	sys := &cli.System{Now: time.Now, Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	box, err := state.Inbox(sys)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := box.Enqueue(t.Context(), inbox.Draft{To: "fresh", Content: session.TextContent("hello there")}); err != nil {
		t.Fatal(err)
	}
	p := spawn(t, home, false, "--to", "fresh", "--exec", "tr a-z A-Z")
	p.shows("› hello there")
	p.shows("  HELLO THERE")
	p.shows("Enter sends") // until then the key is for the turn
	p.keys("\x03")
	p.ends(0)
}

// A session has one driver.
func TestProgramIsTheOnlyOne(t *testing.T) {
	home := t.TempDir()
	p := spawn(t, home, false, "--to", "mine", "--exec", "cat")
	p.shows("Type a message")
	p.keys("hi\r")
	p.shows("\n  hi\n")
	q := spawn(t, home, false, "--to", "mine", "--exec", "cat")
	q.ends(1)
	q.shows("dsh-tui: ")
	p.keys("\x03")
	p.ends(0)
}

func TestProgramWithoutColor(t *testing.T) {
	p := spawn(t, t.TempDir(), false, "--store", sample, "--exec", "cat")
	p.shows("Type a message")
	p.keys("\x03")
	p.ends(0)
	color := regexp.MustCompile(`\x1b\[([0-9]+;)*3[0-7][;m]`)
	colored := color.MatchString(p.Raw())
	q := spawn(t, t.TempDir(), false, "NO_COLOR=1", "--store", sample, "--exec", "cat")
	q.shows("Type a message")
	q.keys("\x03")
	q.ends(0)
	if got := color.MatchString(q.Raw()); got || !colored {
		t.Errorf("colour by default %v, with NO_COLOR %v; want true and false", colored, got)
	}
}

// BenchmarkStart is the time from the program's start to its first whole frame,
// with 2,000 sessions in the store.
func BenchmarkStart(b *testing.B) {
	store := filepath.Join(b.TempDir(), "sessions")
	for i := range 2000 {
		dir := filepath.Join(store, "--home-dev--", fmt.Sprintf("s%04d", i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		log := fmt.Sprintf(`{"type":"session","version":0,"id":"s%04d","createdAt":%d,"cwd":"/home/dev","delegationDepth":0}`+"\n", i, 1700000000000+i)
		if err := os.WriteFile(filepath.Join(dir, "session.jsonl"), []byte(log), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		p := spawn(b, b.TempDir(), false, "--store", store, "--exec", "cat")
		p.shows("Enter sends")
		b.StopTimer()
		p.keys("\x03")
		p.ends(0)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/start")
}
