package pi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/pi"
)

const fixtures = "../../../testdata/fixtures/agents/pi"

func TestFixtures(t *testing.T) { conformance.Fixtures(t, pi.Format, fixtures, ".jsonl", 5) }

var reader = conformance.Reader{
	Format: pi.Format,
	ID:     func(n int) string { return fmt.Sprintf("01980000-0000-7000-8000-%012d", n) },
	Lay:    lay,
	Lines:  true,
}

func TestConformance(t *testing.T) { conformance.Run(t, reader) }

func BenchmarkReader(b *testing.B) { conformance.Bench(b, reader) }

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
		if m.Picture {
			entry("message", `"message":{"role":"user","content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`)
			continue
		}
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
	r := conformance.ReadText(t, pi.Format, "s.jsonl", content)
	var out []string
	for _, turn := range conformance.Conversation(t, r.Surface) {
		if turn.Checkpoint {
			turn.Text = "*" + turn.Text
		}
		out = append(out, turn.Text)
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
		{"a cycle hides nothing before it", user("z", "null", "zero") + user("a", `"b"`, "one") + user("b", `"a"`, "two") + user("c", `"b"`, "three"), "zero|one|two|three"},
		{"what leads into a cycle from before it", user("x", `"b"`, "zero") + user("a", `"b"`, "one") + user("b", `"a"`, "two"), "zero|one|two"},
		{"a forward link without a cycle stays", user("a", `"c"`, "one") + user("b", `"a"`, "two") + user("c", "null", "zero") + user("d", `"b"`, "three"), "zero|one|two|three"},
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
	_, r = shown(t, head+user("z", "null", "zero")+user("a", `"b"`, "one")+user("b", `"a"`, "two"))
	if r.DroppedBranches != 0 || len(r.Notes) != 1 || r.Notes[0] != "parents form a circle: 2 entries stand in the order of the file" {
		t.Errorf("a circle: %+v", r)
	}
	// A branch that breaks off inside is one branch, not two.
	_, r = shown(t, head+user("a", "null", "one")+user("b", `"a"`, "two")+user("c", `"gone"`, "three")+user("d", `"a"`, "four"))
	if r.DroppedBranches != 1 {
		t.Errorf("a broken branch: %+v", r)
	}
	_, r = shown(t, head+`{"type":"compaction","id":"c","parentId":null,"summary":" "}`+"\n")
	if !r.Checkpoint || !r.SealedCheckpoint || len(r.Notes) != 1 {
		t.Errorf("empty summary: %+v", r)
	}
}

func TestTwiceCompacted(t *testing.T) {
	r := conformance.ReadFile(t, pi.Format, "../../../testdata/inputs/31-pi-double-compaction/20260102_pi-demo.jsonl")
	conformance.Said(t, r, "summary: Summary two", "user: kept by first", "user: after first", "user: after second")
	conformance.Marked(t, r, conformance.Marks{Checkpoint: true})
}

func TestList(t *testing.T) {
	st := conformance.StoreOf(t, pi.Format, map[string]string{
		"sessions/--w--/a_x.jsonl":   headOf("x", "") + user("a", "null", "first prompt"),
		"stray.jsonl":                headOf("y", "") + name("Named"),
		"sessions/--w--/other.jsonl": `{"type":"something"}` + "\n",
	})
	listed := entries(t, st)
	if len(listed) != 2 || optional(listed["pi:x"].Title) != "first prompt" || optional(listed["pi:y"].Title) != "Named" {
		t.Errorf("listed %v", listed)
	}
}

// FuzzRead reads any bytes as a session. Run it with -fuzzminimizetime=1x: readings
// use goroutines, which the fuzzer takes for new coverage and tries to minimise.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(fixtures + "/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		conformance.Fuzz(t, reader, "t_x.jsonl", in, `{"type":"mess`)
	})
}

// A circle of very many entries is taken apart in one go.
func TestLongCircle(t *testing.T) {
	const n = 50_000
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		b.WriteString(user(fmt.Sprint(i), fmt.Sprintf("%q", fmt.Sprint((i+1)%n)), "x"))
	}
	start := time.Now()
	r := conformance.ReadText(t, pi.Format, "s.jsonl", b.String())
	if len(r.Surface.Events) != n || time.Since(start) > 10*time.Second {
		t.Errorf("%d events in %v", len(r.Surface.Events), time.Since(start))
	}
}

func TestTornEverywhere(t *testing.T) {
	conformance.TornEverywhere(t, pi.Format, 5, fixtures+"/*.jsonl")
}
