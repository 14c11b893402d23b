package logwriter_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/vectors"
)

func clock() time.Time { return time.UnixMilli(1_800_000_000_123) }

func openRoot(t testing.TB, dir string) *logwriter.Root {
	t.Helper()
	r, err := logwriter.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t testing.TB, r *logwriter.Root, id string, cwd *string) *logwriter.Log {
	t.Helper()
	l, err := r.Open(logwriter.Options{ID: id, Cwd: cwd, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func data(s string) jstext.Value { return jstext.MustParse(s) }

func note(s string) logwriter.Entry {
	return logwriter.Entry{Type: "note", Data: data(fmt.Sprintf(`{"n":%q}`, s))}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func ptr(s string) *string { return &s }

func wantFault(t testing.TB, err error, kind fault.Kind, rule string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != kind || rule != "" && f.Rule != rule {
		t.Errorf("error %v (%+v), want kind %d rule %q", err, f, kind, rule)
	}
}

func TestNewLog(t *testing.T) {
	for _, c := range []struct {
		name, id   string
		cwd        *string
		path, head string
	}{
		{
			"plain", "s-1", ptr("/home/dev/api"), "--home-dev-api--/s-1/session.jsonl",
			`{"type":"session","version":0,"id":"s-1","createdAt":1800000000123,"cwd":"/home/dev/api","delegationDepth":0}`,
		},
		{
			"no cwd", "a/b\n", nil, "_no-cwd/a~002Fb~000A/session.jsonl",
			`{"type":"session","version":0,"id":"a/b\n","createdAt":1800000000123,"delegationDepth":0}`,
		},
		{
			"half a surrogate pair", "\xed\xa0\x80", ptr("/\xed\xa0\x80"), "--~D800--/~D800/session.jsonl",
			`{"type":"session","version":0,"id":"\ud800","createdAt":1800000000123,"cwd":"/\ud800","delegationDepth":0}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openRoot(t, filepath.Join(t.TempDir(), "state", "root"))
			l := open(t, r, c.id, c.cwd)
			if got := l.Path(); got != filepath.Join(r.Dir(), c.path) {
				t.Errorf("path %q", got)
			}
			events, err := l.Append(
				logwriter.Entry{Type: "turn/start", Data: data(`{"turn":1}`)},
				logwriter.Entry{Type: "user/message", Data: data(`{"content":[{"type":"text","text":"\u2028<\ud800"}],"source":{"kind":"user"}}`), Surface: true},
			)
			if err != nil {
				t.Fatal(err)
			}
			want := c.head + "\n" +
				`{"type":"turn/start","seq":0,"time":1800000000123,"data":{"turn":1}}` + "\n" +
				`{"type":"user/message","seq":1,"time":1800000000123,"data":{"content":[{"type":"text","text":"` + "\u2028" + `<\ud800"}],"source":{"kind":"user"}},"surfaceOp":"append"}` + "\n"
			if got := read(t, l.Path()); got != want {
				t.Errorf("file\n%s\nwant\n%s", got, want)
			}
			if len(events) != 2 || events[1].Seq != 1 || l.Next() != 2 {
				t.Errorf("events %v, next %d", events, l.Next())
			}
			s := l.Surface()
			if len(s.Events) != 1 || s.Header.ID != c.id || *s.CapturedThroughSeq != 1 {
				t.Errorf("surface %+v", s)
			}
			assertModes(t, r.Dir())
			if got := left(t, filepath.Dir(l.Path())); got != "session.jsonl session.lock" {
				t.Errorf("left behind: %s", got)
			}
		})
	}
}

func assertModes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func left(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestContinue(t *testing.T) {
	r := openRoot(t, filepath.Join(t.TempDir(), "root"))
	l := open(t, r, "s", ptr("/a"))
	if _, err := l.Append(note("one"), note("two")); err != nil {
		t.Fatal(err)
	}
	path := l.Path()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(note("x")); err == nil {
		t.Error("a closed log took an event")
	}
	again := open(t, r, "s", ptr("/elsewhere")) // found where it is, whatever the cwd
	if again.Path() != path || *again.Header().Cwd != "/a" || again.Next() != 2 {
		t.Errorf("path %q, cwd %q, next %d", again.Path(), *again.Header().Cwd, again.Next())
	}
	if _, err := again.Append(note("three")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for ev, err := range again.Events() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev.Data.Get("n").Raw())
	}
	if strings.Join(got, " ") != `"one" "two" "three"` {
		t.Errorf("events %v", got)
	}
}

// Whatever is lost of the last line, what was whole is kept and the log goes on.
func TestTornTail(t *testing.T) {
	r := openRoot(t, filepath.Join(t.TempDir(), "root"))
	l := open(t, r, "s", nil)
	if _, err := l.Append(note("kept")); err != nil {
		t.Fatal(err)
	}
	kept := read(t, l.Path())
	if _, err := l.Append(note("tört")); err != nil {
		t.Fatal(err)
	}
	whole := read(t, l.Path())
	l.Close()
	for cut := len(kept); cut < len(whole); cut++ {
		if err := os.WriteFile(l.Path(), []byte(whole[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := r.Open(logwriter.Options{ID: "s", Now: clock})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if got := read(t, l.Path()); got != kept {
			t.Errorf("cut at %d: file %q", cut, got)
		}
		if _, err := l.Append(note("tört")); err != nil {
			t.Fatal(err)
		}
		if got := read(t, l.Path()); got != whole {
			t.Errorf("cut at %d: file %q after an append", cut, got)
		}
		l.Close()
	}
}

// A log that stops inside a turn is closed when it is opened, just so.
func TestRepairVectors(t *testing.T) {
	vectors.Each(t, "repair.json", func(t *testing.T, c jstext.Value) {
		r := openRoot(t, filepath.Join(t.TempDir(), "root"))
		l := open(t, r, "s", nil)
		l.Close()
		before := read(t, l.Path()) + lines(c.Get("events"))
		if err := os.WriteFile(l.Path(), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		want := before + lines(c.Get("closers"))
		for range 2 { // the second time there is nothing to close
			open(t, r, "s", nil).Close()
			if got := read(t, l.Path()); got != want {
				t.Fatalf("file\n%s\nwant\n%s", got, want)
			}
		}
	})
}

func lines(events jstext.Value) string {
	var b strings.Builder
	for e := range events.Elements() {
		b.WriteString(e.Raw() + "\n")
	}
	return b.String()
}

func TestForeignRoot(t *testing.T) {
	dir := t.TempDir() // it is there, and nobody marked it
	_, err := logwriter.OpenRoot(dir)
	wantFault(t, err, fault.Usage, "foreign-root")
	if got := left(t, dir); got != "" {
		t.Errorf("left in a foreign root: %s", got)
	}
	if err := os.Mkdir(filepath.Join(dir, logwriter.Mark), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = logwriter.OpenRoot(dir)
	wantFault(t, err, fault.Usage, "foreign-root")

	link := filepath.Join(t.TempDir(), "link") // to where nothing is
	if err := os.Symlink(filepath.Join(dir, "nowhere"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := logwriter.OpenRoot(link); err == nil {
		t.Error("a dangling link became a root")
	}
}

// Two that make the same root at once both get it, and leave nothing else.
func TestRootRace(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "root")
	errs := make(chan error, 16)
	for range cap(errs) {
		go func() {
			_, err := logwriter.OpenRoot(dir)
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := left(t, parent); got != "root" {
		t.Errorf("left behind: %s", got)
	}
}

func TestUnusable(t *testing.T) {
	const head = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}` + "\n"
	for _, c := range []struct {
		name, text string
		kind       fault.Kind
		rule       string
	}{
		{"empty file", "", fault.Damaged, ""},
		{"torn header", head[:20], fault.Damaged, ""},
		{"no header", `{"type":"note","seq":0}` + "\n", fault.Damaged, ""},
		{"other id", strings.Replace(head, `"s"`, `"t"`, 1), fault.Unreadable, ""},
		{"newer format", strings.Replace(head, `"version":0`, `"version":4`, 1), fault.Unsupported, ""},
		{"unparsable line", head + "{\n" + `{"type":"note","seq":0,"time":1,"data":{}}` + "\n", fault.Damaged, ""},
		{"not an object", head + "7\n", fault.Damaged, ""},
		{"gap", head + `{"type":"note","seq":1,"time":1,"data":{}}` + "\n", fault.Damaged, ""},
		{"against the fold", head + `{"type":"user/message","seq":0,"time":1,"data":{}}` + "\n", fault.Damaged, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openRoot(t, filepath.Join(t.TempDir(), "root"))
			l := open(t, r, "s", nil)
			l.Close()
			if err := os.WriteFile(l.Path(), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := r.Open(logwriter.Options{ID: "s", Now: clock})
			wantFault(t, err, c.kind, c.rule)
			if got := read(t, l.Path()); got != c.text {
				t.Errorf("file %q: a log that cannot be continued was changed", got)
			}
		})
	}
}

func TestTwoLogsOfOneID(t *testing.T) {
	r := openRoot(t, filepath.Join(t.TempDir(), "root"))
	l := open(t, r, "s", ptr("/a"))
	l.Close()
	other := filepath.Join(r.Dir(), "--b--", "s")
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(l.Path(), filepath.Join(other, "session.jsonl")); err != nil {
		t.Fatal(err)
	}
	_, err := r.Open(logwriter.Options{ID: "s", Now: clock})
	wantFault(t, err, fault.Unreadable, "ambiguous-id")
	if !strings.Contains(err.Error(), filepath.Dir(l.Path())) || !strings.Contains(err.Error(), other) {
		t.Errorf("%v does not name both", err)
	}
}

func TestSymlinkIsNotFollowed(t *testing.T) {
	r := openRoot(t, filepath.Join(t.TempDir(), "root"))
	l := open(t, r, "s", nil)
	l.Close()
	victim := filepath.Join(t.TempDir(), "victim")
	text := read(t, l.Path())
	if err := os.WriteFile(victim, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"session.jsonl", "session.lock"} {
		path := filepath.Join(filepath.Dir(l.Path()), name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, path); err != nil {
			t.Fatal(err)
		}
		if again, err := r.Open(logwriter.Options{ID: "s", Now: clock}); err == nil {
			again.Close()
			t.Errorf("a linked %s was opened", name)
		}
	}
	if got := read(t, victim); got != text {
		t.Errorf("victim %q", got)
	}
}

// What a crash left of making a log is no hindrance.
func TestLeftoverOfPublishing(t *testing.T) {
	r := openRoot(t, filepath.Join(t.TempDir(), "root"))
	dir := filepath.Join(r.Dir(), "_no-cwd", "s")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "session.jsonl.tmp"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // killed before the log was linked, and after
		l := open(t, r, "s", nil)
		if _, err := l.Append(note("x")); err != nil {
			t.Fatal(err)
		}
		if got := left(t, dir); got != "session.jsonl session.lock" {
			t.Errorf("left behind: %s", got)
		}
		l.Close()
		if err := os.Link(l.Path(), l.Path()+".tmp"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBadIDs(t *testing.T) {
	r := openRoot(t, filepath.Join(t.TempDir(), "root"))
	for rule, id := range map[string]string{"empty-id": "", "id-too-long": strings.Repeat("界", 52)} {
		_, err := r.Open(logwriter.Options{ID: id, Now: clock})
		wantFault(t, err, fault.Reference, rule)
	}
	open(t, r, strings.Repeat("界", 51), nil)
	if got := left(t, r.Dir()); got != ".dsh-toolkit _no-cwd" {
		t.Errorf("left behind: %s", got)
	}
}

// The events of a batch keep their order and their place when many append.
func TestAppendConcurrently(t *testing.T) {
	r := openRoot(t, filepath.Join(t.TempDir(), "root"))
	l := open(t, r, "s", nil)
	errs := make(chan error, 40)
	for i := range cap(errs) {
		go func() {
			_, err := l.Append(note(fmt.Sprint(i, "a")), note(fmt.Sprint(i, "b")))
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	var events []session.Event
	for ev, err := range l.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
	for i := 0; i < len(events); i += 2 {
		a, _ := events[i].Data.Get("n").Text()
		b, _ := events[i+1].Data.Get("n").Text()
		if strings.TrimSuffix(a, "a") != strings.TrimSuffix(b, "b") {
			t.Errorf("batch parted: %q, %q", a, b)
		}
	}
	if len(events) != 2*cap(errs) {
		t.Errorf("%d events", len(events))
	}
}
