package pi_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/pi"
)

const fixtures = "../../../testdata/fixtures/agents/pi"

func read(t testing.TB, path string) *store.Reading {
	t.Helper()
	r, err := pi.Format.ReadFile(context.Background(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFixtures(t *testing.T) {
	files, err := filepath.Glob(fixtures + "/*.expected.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, expected := range files {
		name := strings.TrimSuffix(expected, ".expected.json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			conformance.Golden(t, read(t, name+".jsonl"), expected)
		})
	}
}

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Reader{
		Format: pi.Format,
		ID:     func(n int) string { return fmt.Sprintf("01980000-0000-7000-8000-%012d", n) },
		Lay:    lay,
		Lines:  true,
	})
}

// lay writes a session as pi 0.58 does.
func lay(t testing.TB, root string, s conformance.Session) conformance.Laid {
	t.Helper()
	dir := filepath.Join(root, "sessions", "--work-"+s.ID[len(s.ID)-4:]+"--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	stamp := func(n int) string {
		return s.Created.Add(time.Duration(n) * time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":%s}`+"\n", s.ID, stamp(0), jstext.Quote(s.Cwd))
	n, parent := 0, "null"
	entry := func(typ, rest string) {
		n++
		fmt.Fprintf(&b, `{"type":"%s","id":"%08x","parentId":%s,"timestamp":"%s",%s}`+"\n", typ, n, parent, stamp(n), rest)
		parent = fmt.Sprintf(`"%08x"`, n)
	}
	if s.Title != "" {
		entry("session_info", `"name":`+jstext.Quote(s.Title))
	}
	for _, m := range s.Messages {
		if m.Role == session.User {
			entry("message", fmt.Sprintf(`"message":{"role":"user","content":[{"type":"text","text":%s}]}`, m.Literal))
			continue
		}
		if m.Output > 0 {
			entry("message", fmt.Sprintf(`"message":{"role":"toolResult","content":[{"type":"text","text":"%s"}]}`, strings.Repeat("o", m.Output)))
		}
		entry("message", fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":%s}],"stopReason":"stop"}`, m.Literal))
	}
	name := strings.NewReplacer(":", "-", ".", "-").Replace(stamp(0)) + "_" + s.ID + ".jsonl"
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return conformance.Laid{ID: s.ID, Path: path}
}

const head = `{"type":"session","version":3,"id":"x","timestamp":"2026-01-02T03:04:00Z","cwd":"/w"}` + "\n"

func user(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"message":{"role":"user","content":%s}}`+"\n", id, parent, jstext.Quote(text))
}

// shown is a file's conversation, a line each, checkpoints with a star.
func shown(t *testing.T, content string) (string, store.Receipt) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	r := read(t, path)
	var out []string
	for _, it := range reference.Project(r.Surface).Conversation {
		if it.Checkpoint {
			it.Text = "*" + it.Text
		}
		out = append(out, it.Text)
	}
	return strings.Join(out, "|"), r.Receipt
}

func TestRules(t *testing.T) {
	compact := func(id, parent, rest string) string {
		return fmt.Sprintf(`{"type":"compaction","id":%q,"parentId":%q,"summary":"S"%s}`+"\n", id, parent, rest)
	}
	for _, c := range []struct{ name, in, want string }{
		{"kept id that is not on the path keeps nothing", user("a", "null", "one") + compact("c", "a", `,"firstKeptEntryId":"zz"`) + user("b", `"c"`, "two"), "*S|two"},
		{"an index counts the header", user("a", "null", "one") + user("b", `"a"`, "two") + compact("c", "b", `,"firstKeptEntryIndex":2`), "*S|two"},
		{"a retained tail stands for what was kept", user("a", "null", "one") +
			compact("c", "a", `,"firstKeptEntryId":"a","retainedTail":[{"role":"user","content":"tail"},{"role":"assistant","stopReason":"aborted","content":"no"}]`) + user("b", `"c"`, "two"), "*S|tail|two"},
		{"a compaction on another branch does not count", user("a", "null", "one") + compact("c", "a", "") + user("b", `"a"`, "two"), "one|two"},
		{"a missing parent is bridged", user("a", "null", "one") + user("b", `"label"`, "two"), "one|two"},
		{"a cycle ends", user("a", `"b"`, "one") + user("b", `"a"`, "two"), "one|two"},
		{"an own cycle ends", user("a", `"a"`, "one"), "one"},
		{"skill without arguments", user("a", "null", "<skill name=\"n\" location=\"l\">\nbody\n</skill>"), "/skill:n"},
		{"skill whose body spells its end", user("a", "null", "<skill name=\"n\" location=\"l\">\nx\n</skill> y\n</skill>\n\ngo"), "/skill:n go"},
		{"two files", user("a", "null", "<file name=\"a\">\n1\n</file>\n<file name=\"b\">\n2\n</file>\ngo"), "go"},
		{"a tag that is not closed is typed", user("a", "null", "<file name=\"a\"> is how it begins"), "<file name=\"a\"> is how it begins"},
	} {
		if got, _ := shown(t, head+c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReceipt(t *testing.T) {
	_, r := shown(t, head+user("a", "null", "one")+user("b", `"a"`, "left")+user("c", `"a"`, "two"))
	if r.DroppedBranches != 1 || len(r.Notes) != 0 || *r.CapturedThroughSeq != 3 {
		t.Errorf("rewound: %+v", r)
	}
	_, r = shown(t, head+user("a", "null", "one")+user("b", `"gone"`, "two"))
	if r.DroppedBranches != 0 || len(r.Notes) != 1 {
		t.Errorf("bridged: %+v", r)
	}
	_, r = shown(t, head+`{"type":"compaction","id":"c","parentId":null,"summary":" "}`+"\n")
	if !r.Checkpoint || !r.SealedCheckpoint || len(r.Notes) != 1 {
		t.Errorf("empty summary: %+v", r)
	}
}

func TestTwiceCompacted(t *testing.T) {
	r := read(t, "../../../testdata/inputs/31-pi-double-compaction/20260102_pi-demo.jsonl")
	var got []string
	for _, it := range reference.Project(r.Surface).Conversation {
		got = append(got, it.Text)
	}
	if want := "Summary two|kept by first|after first|after second"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestList(t *testing.T) {
	root := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sessions/--w--/a_x.jsonl", head+user("a", "null", "first prompt"))
	write("stray.jsonl", strings.Replace(head, `"x"`, `"y"`, 1)+`{"type":"session_info","id":"i","parentId":null,"name":"Named"}`+"\n")
	write("sessions/--w--/other.jsonl", `{"type":"something"}`+"\n")
	st, err := pi.Format.Open(root, conformance.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for e, err := range st.List(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got[e.ID] = *e.Title
	}
	if len(got) != 2 || got["pi:x"] != "first prompt" || got["pi:y"] != "Named" {
		t.Errorf("got %q", got)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(fixtures + "/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := pi.Format.ReadFile(context.Background(), path, store.ReadOptions{})
		if err != nil {
			return
		}
		if _, err := session.ParseSurface(string(r.Surface.AppendJSON(nil))); err != nil {
			t.Errorf("a surface that does not read back: %v", err)
		}
	})
}
