package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	"github.com/dsh-toolkit/dsh/lib/tui/files"
	"github.com/dsh-toolkit/dsh/lib/tui/tuitest"
)

var noon = time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)

// library is sessions in memory, to be found and read.
type library struct {
	sessions []candidate.Session
	surfaces map[string]*session.Surface
	gate     chan struct{} // reads wait for it, whatever their context says; nil: they do not
}

func (l *library) Candidates(_ context.Context, query string, limit int) ([]candidate.Session, error) {
	var out []candidate.Session
	for _, s := range l.sessions {
		if strings.Contains(strings.ToLower(s.Label+s.ID), strings.ToLower(query)) && len(out) < limit {
			out = append(out, s)
		}
	}
	return out, nil
}

func (l *library) ReadSurface(_ context.Context, id string) (*session.Surface, error) {
	if l.gate != nil {
		<-l.gate
	}
	if s, ok := l.surfaces[id]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("session %q: not found", id)
}

// add puts a session into the library, whose old history is behind a checkpoint.
func (l *library) add(id, label, cwd string, ago time.Duration) {
	l.sessions = append(l.sessions, candidate.Session{ID: id, Label: label, Cwd: &cwd, Time: noon.Add(-ago).UnixMilli()})
	if l.surfaces == nil {
		l.surfaces = make(map[string]*session.Surface)
	}
	var b session.Builder
	b.Checkpoint(4, 0, "SUMMARY of "+label)
	b.User(5, 0, "and the tail?")
	b.Assistant(6, 0, "the tail is fine", "p", "m")
	seq := int64(6)
	l.surfaces[id] = b.Surface(session.NewHeader(id, 0, &cwd), &seq, &label)
}

// scene is a host with a real agent, log, preparation and file index around a
// scripted model.
type scene struct {
	library library
	model   *modeltest.Scripted
	log     *logwriter.Log
	agent   *agent.Agent
	dir     string // the working directory
	now     func() time.Time
	edit    func(*host.Options)
	hooks   []agent.Hook
}

func newScene(t *testing.T, replies ...modeltest.Reply) *scene {
	s := &scene{model: modeltest.New(replies...), dir: t.TempDir(), now: func() time.Time { return noon }}
	s.library.add("3f6c1a9e", "Fix the retry bug in the client", "/home/dev/api-server", 2*time.Hour)
	s.library.add("77b01d42", "Error texts people can act on", "/home/dev/api-server", 26*time.Hour)
	s.library.add("c0ffee00", "Lexer flags", "/home/dev/parser", 9*24*time.Hour)
	for _, name := range []string{"README.md", "lib/retry.go", "lib/retry_test.go", "docs/release notes.md"} {
		p := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := logwriter.OpenRoot(filepath.Join(t.TempDir(), "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	cwd := "/home/dev/api-server"
	s.log, err = root.Open(logwriter.Options{ID: "target", Cwd: &cwd, Now: s.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.log.Close() })
	return s
}

// open is the host's Open.
func (s *scene) open(context.Context) (*host.Target, error) {
	feed := host.NewFeed()
	a, err := agent.New(agent.Options{SessionID: "target", Log: s.log, Model: s.model, Hooks: s.hooks, On: feed.Put})
	if err != nil {
		return nil, err
	}
	s.agent = a
	return &host.Target{Surface: s.log.Surface(), Agent: a, Events: feed}, nil
}

func (s *scene) start(t *testing.T, width, height int) *tuitest.Stage {
	t.Helper()
	target := "target"
	o := host.Options{
		Open:       s.open,
		Preparer:   preparer{&s.library, &target, reference.Config{}},
		Candidates: &s.library,
		Files:      files.New(t.Context(), s.dir, s.now),
		Cwd:        "/home/dev/api-server", Home: "/home/dev", Model: "scripted", Now: s.now,
	}
	if s.edit != nil {
		s.edit(&o)
	}
	stage := tuitest.Start(t, host.New(t.Context(), o), width, height)
	t.Cleanup(func() {
		if s.agent != nil {
			_ = s.agent.Dispose()
		}
	})
	return stage
}

var sizes = [][2]int{{96, 24}, {40, 10}}

// frames runs a scene at both sizes.
func frames(t *testing.T, run func(t *testing.T, width, height int, golden func(s *tuitest.Stage, name string))) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			run(t, size[0], size[1], func(s *tuitest.Stage, name string) {
				t.Helper()
				s.Golden(fmt.Sprintf("%s.%dx%d", name, size[0], size[1]))
			})
		})
	}
}

func TestFrames(t *testing.T) {
	t.Run("first", func(t *testing.T) {
		frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
			s := newScene(t).start(t, w, h)
			golden(s, "first")
		})
	})
	t.Run("completion", func(t *testing.T) {
		frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
			s := newScene(t).start(t, w, h)
			s.Keys("Port the fix from @")
			golden(s, "completion-all")
			s.Keys("re")
			golden(s, "completion-filtered")
			s.Keys("<Down><Down>")
			golden(s, "completion-file")
			s.Keys("<Up><Up><Enter>")
			golden(s, "chip")
			s.Keys("into @\"rel")
			s.Shows("release notes.md")
			s.Keys("<Tab>")
			golden(s, "path")
			s.Keys("x<Left><Left>")
			s.Keys("<C-u>")
			golden(s, "erased")
		})
	})
	t.Run("conversation", func(t *testing.T) {
		frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
			held := modeltest.Held("The retry loop gives up after the first timeout, because the budget is checked before the sleep.\n\n", "    if left <= 0 {\n        return err\n    }")
			sc := newScene(t, held, modeltest.Text("Both are in."))
			sc.library.gate = make(chan struct{})
			s := sc.start(t, w, h)
			s.Keys("Port the fix from @retry")
			s.Shows("1/")
			s.Keys("<Enter>please<Enter>")
			golden(s, "preparing")
			close(sc.library.gate)
			s.Shows("return err")
			golden(s, "streaming")
			s.Keys("and the test too<Enter>")
			golden(s, "steering")
			close(held.Until)
			golden(s, "answered")
		})
	})
	t.Run("failure", func(t *testing.T) {
		frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
			sc := newScene(t)
			sc.library.sessions = append(sc.library.sessions, candidate.Session{ID: "gone", Label: "A session that is gone", Time: noon.UnixMilli()})
			s := sc.start(t, w, h)
			s.Keys("Look at @gone")
			s.Shows("1/1")
			s.Keys("<Enter>again<Left><Left><Enter>")
			golden(s, "failed")
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
			s := newScene(t, modeltest.Held("Half an ans")).start(t, w, h)
			s.Keys("Tell me a story<Enter>")
			s.Shows("Half an ans")
			s.Keys("<Esc>")
			golden(s, "cancelled")
		})
	})
	t.Run("hostile", func(t *testing.T) {
		frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
			sc := newScene(t)
			sc.library.sessions = nil
			for i, title := range hostileTitles(t) {
				sc.library.add(fmt.Sprint("h", i), title, "/home/dev/"+title, time.Duration(i)*time.Minute)
			}
			s := sc.start(t, w, h)
			s.Keys("@")
			golden(s, "hostile-list")
			s.Keys("<Down><Down><Enter>")
			golden(s, "hostile-chip")
			for _, bad := range []string{"\x1b]52", "\x1b]0;owned", "\x1b]8;;http", "\x1b[3;1H\x1b", "\u202e", "\u009b", "\u200b"} {
				if strings.Contains(s.Raw(), bad) {
					t.Errorf("%q reached the terminal", bad)
				}
			}
		})
	})
	for name, graphemes := range map[string]bool{"wide": false, "clusters": true} {
		t.Run(name, func(t *testing.T) { frames(t, wideFrames(name, graphemes)) })
	}
	t.Run("lines", func(t *testing.T) {
		frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
			s := newScene(t).start(t, w, h)
			s.Paste("one\r\ntwo @retry\x1b[2J\tthree\n" + strings.Repeat("four ", 40))
			golden(s, "pasted")
			s.Keys("<Up><A-Enter>x<C-j>y")
			golden(s, "lines")
		})
	})
}

// wideFrames shows wide characters on a terminal of either kind.
func wideFrames(name string, graphemes bool) func(*testing.T, int, int, func(*tuitest.Stage, string)) {
	return func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
		sc := newScene(t, modeltest.Text("再試行の回数は三回までです。👨‍👩‍👧 🇯🇵 のような絵文字も一文字として数えます。"))
		sc.library.add("cjk", "再試行の不具合 👨‍👩‍👧", "/home/dev/漢字", time.Hour)
		s := sc.start(t, w, h)
		if graphemes {
			s.Graphemes()
		}
		s.Keys("漢字と絵文字👍🏽e\u0301 @再")
		s.Shows("1/1")
		golden(s, name+"-list")
		s.Keys("<Enter>を見て<Left>")
		golden(s, name+"-chip")
		s.Keys("<Enter>")
		golden(s, name+"-answered")
	}
}

func hostileTitles(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/inputs/47-hostile-title/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if title, ok := jstext.MustParse(line).Get("customTitle").Text(); ok {
			out = append(out, title)
		}
	}
	if len(out) < 8 {
		t.Fatalf("%d titles", len(out))
	}
	// Tag characters spell a text that nobody sees.
	return append(out, "tags\U000e0068\U000e0069")
}

// failing finds nothing, with an error.
type failing struct{ err error }

func (f failing) Candidates(context.Context, string, int) ([]candidate.Session, error) {
	return nil, f.err
}
