package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/tui/picker"
	"github.com/dsh-toolkit/dsh/lib/tui/tuitest"
)

func startPicker(t *testing.T, l *library, width, height int, edit func(*picker.Options)) (*picker.Model, *tuitest.Stage) {
	t.Helper()
	o := picker.Options{
		Candidates: l, Previews: preparer{l, nil, reference.Config{}}, Max: 3,
		Home: "/home/dev", Now: func() time.Time { return noon },
	}
	if edit != nil {
		edit(&o)
	}
	m := picker.New(t.Context(), o)
	return m, tuitest.Start(t, m, width, height)
}

func shelf() *library {
	l := &library{}
	l.add("3f6c1a9e", "Fix the retry bug in the client", "/home/dev/api-server", 2*time.Hour)
	l.add("77b01d42", "Error texts people can act on", "/home/dev/api-server", 26*time.Hour)
	l.add("c0ffee00", "Lexer flags", "/home/dev/parser", 9*24*time.Hour)
	l.add("d15c0", "a\x1b]52;c;aGk=\x07b", "/home/dev/\u202ex", 400*24*time.Hour)
	return l
}

func TestPickFrames(t *testing.T) {
	frames(t, func(t *testing.T, w, h int, golden func(*tuitest.Stage, string)) {
		l := shelf()
		var b session.Builder
		b.Checkpoint(0, 0, "SUMMARY: the client retries <3 times>.")
		for i := range 60 {
			b.User(int64(2*i+1), 0, fmt.Sprintf("Question %d: %s", i, strings.Repeat("why ", 300)))
			b.Assistant(int64(2*i+2), 0, fmt.Sprintf("Answer %d.", i), "", "")
		}
		cwd, seq := "/home/dev/api-server", int64(120)
		l.surfaces["3f6c1a9e"] = b.Surface(session.NewHeader("3f6c1a9e", 0, &cwd), &seq, nil)
		delete(l.surfaces, "c0ffee00")
		_, s := startPicker(t, l, w, h, nil)
		golden(s, "pick")
		s.Keys("<Tab>")
		s.Shows("3 messages")
		s.Keys("<Tab>")
		golden(s, "pick-unreadable")
		s.Keys("<Tab>")
		s.Shows("3 messages")
		s.Keys("<Tab>")
		golden(s, "pick-refused")
		s.Keys("error")
		golden(s, "pick-filtered")
		s.Keys("zzz")
		golden(s, "pick-none")
	})
}

// TestPreviewIsWhatIsSent compares every character of the preview with the block.
func TestPreviewIsWhatIsSent(t *testing.T) {
	l := shelf()
	_, s := startPicker(t, l, 96, 60, nil)
	frame := s.Shows("all 3 messages")
	prepared, err := preparer{l, nil, reference.Config{}}.prepare(t.Context(), l.sessions[0].Mention())
	if err != nil {
		t.Fatal(err)
	}
	_, below, _ := strings.Cut(frame, "all 3 messages")
	_, below, _ = strings.Cut(below, "\n")
	shown, _, _ := strings.Cut(below, "  Enter takes")
	bare := strings.NewReplacer("\n", "", " ", "")
	if got, want := bare.Replace(shown), bare.Replace(prepared.BlockText()); got != want {
		t.Errorf("the preview shows\n%s\nwant\n%s", got, want)
	}
	if want := fmt.Sprintf("sends %d of 65,536 bytes", len(prepared.Snapshots()[0].JSON)); !strings.Contains(frame, want) {
		t.Errorf("the frame lacks %q:\n%s", want, frame)
	}
}

func TestPickChoices(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string // a frame must have come between them: the rows shown after each
		want string
	}{
		{"the one at hand", []string{"<Enter>"}, "3f6c1a9e"},
		{"another", []string{"<Down><Enter>"}, "77b01d42"},
		{"over the end", []string{"<Down><Down><Down><Down><Down><Up><Enter>"}, "c0ffee00"},
		{"in the order of choosing", []string{"<Down><Tab><Up><Up><Tab><Enter>"}, "77b01d42 3f6c1a9e"},
		{"taken back", []string{"<Tab><Up><Tab><Tab><Enter>"}, "77b01d42"},
		{"the fourth is refused", []string{"<Tab><Tab><Tab><Tab><Enter>"}, "3f6c1a9e 77b01d42 c0ffee00"},
		{"found by a query", []string{"lexer<Enter>"}, "c0ffee00"},
		{"chosen, then filtered away", []string{"<Tab>", "lexer", "<Enter>"}, "3f6c1a9e"},
		{"left", []string{"<Esc>"}, "!"},
		{"nothing found", []string{"zzz<Enter>", "<C-c>"}, "!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, s := startPicker(t, shelf(), 96, 24, nil)
			s.Shows("1/4")
			for _, keys := range c.keys {
				s.Keys(keys)
			}
			if err := s.Wait(); err != nil {
				t.Fatal(err)
			}
			chosen, err := m.Chosen()
			var ids []string
			for _, s := range chosen {
				ids = append(ids, s.ID)
			}
			if err != nil {
				ids = []string{"!"}
				if fault.KindOf(err) != fault.Cancelled {
					t.Errorf("error %v, want a cancellation", err)
				}
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("chosen %q, want %q", got, c.want)
			}
		})
	}
}

// TestPickCancelsAPreview leaves while a source never delivers.
func TestPickCancelsAPreview(t *testing.T) {
	l := shelf()
	l.gate = make(chan struct{})
	_, s := startPicker(t, l, 96, 24, nil)
	s.Shows("reading…")
	time.Sleep(60 * time.Millisecond) // the read has begun
	s.Keys("<Down><Tab>")
	s.Shows("1 of 3 chosen")
	s.Keys("<Esc>")
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
}

func TestPickEndsWithAFailingSearch(t *testing.T) {
	broken := errors.New("the disk is on fire")
	m, s := startPicker(t, shelf(), 96, 24, func(o *picker.Options) { o.Candidates = failing{broken} })
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Chosen(); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestPickSizes(t *testing.T) {
	_, s := startPicker(t, shelf(), 96, 24, nil)
	s.Shows("1/4")
	for _, size := range [][2]int{{40, 10}, {10, 3}, {1, 1}, {96, 24}} {
		s.Resize(size[0], size[1])
	}
	s.Shows("Lexer flags")
	if !slices.Contains(strings.Split(s.Frame(), "\n"), "› title, id or directory") {
		t.Errorf("the frame is\n%s", s.Frame())
	}
}
