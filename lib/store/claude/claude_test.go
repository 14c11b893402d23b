package claude_test

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
	"github.com/dsh-toolkit/dsh/lib/store/claude"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

const (
	fixtures = "../../../testdata/fixtures/agents/claude-code"
	inputs   = "../../../testdata/inputs"
)

func readFile(t testing.TB, path string) *store.Reading {
	t.Helper()
	return conformance.ReadFile(t, claude.Format, path)
}

func TestFixtures(t *testing.T) { conformance.Fixtures(t, claude.Format, fixtures, ".jsonl", 9) }

func TestFixtureReceipts(t *testing.T) {
	for name, want := range map[string]conformance.Marks{
		"basic":                {},
		"rewind":               {Dropped: 1},
		"parallel-tools":       {},
		"compaction":           {Checkpoint: true},
		"compaction-preserved": {Checkpoint: true},
		"live-torn":            {Notes: 1},
		"dangling-parent":      {Notes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := readFile(t, filepath.Join(fixtures, name+".jsonl"))
			conformance.Marked(t, r, want)
			if torn := name == "live-torn"; torn != (r.Receipt.TornTail > 0) {
				t.Errorf("torn tail of %d bytes", r.Receipt.TornTail)
			}
		})
	}
}

func TestFixtureList(t *testing.T) {
	entries, errs := conformance.ListAll(conformance.Open(t, claude.Format, fixtures+"/home"))
	conformance.GoldenList(t, "claude", entries, errs, fixtures+"/home.expected-list.json")
}

var reader = conformance.Reader{
	Format: claude.Format,
	ID:     uuid,
	Lay:    lay,
	Lines:  true,
}

func uuid(n int) string { return fmt.Sprintf("0c0ffee0-0000-4000-8000-%012d", n) }

func TestConformance(t *testing.T) { conformance.Run(t, reader) }

func BenchmarkReader(b *testing.B) { conformance.Bench(b, reader) }

// lay writes a session as version 2.1 does, with an answer and its tools on lines
// of their own.
func lay(t testing.TB, root string, s conformance.Session) conformance.Laid {
	t.Helper()
	dir := filepath.Join(root, "-work-"+s.ID[len(s.ID)-4:])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w := &writer{s: s, at: s.Created}
	if s.Title != "" {
		fmt.Fprintf(&w.b, `{"type":"custom-title","customTitle":%s,"sessionId":"%s"}`+"\n", jstext.Quote(s.Title), s.ID)
	}
	for i, m := range s.Messages {
		if m.Picture {
			w.entry("user", `{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}`, "")
			continue
		}
		if m.Role == session.User {
			w.entry("user", fmt.Sprintf(`{"role":"user","content":%s}`, m.Literal), "")
			continue
		}
		if m.Output > 0 {
			w.answer(fmt.Sprint("msg_t", i), `{"type":"tool_use","id":"t","name":"Bash","input":{}}`, "tool_use")
			out := strings.Repeat("o", m.Output)
			w.entry("user", fmt.Sprintf(`{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"%s"}]}`, out), `,"toolUseResult":"`+out+`"`)
		}
		w.answer(fmt.Sprint("msg_", i), fmt.Sprintf(`{"type":"text","text":%s}`, m.Literal), "end_turn")
	}
	path := filepath.Join(dir, s.ID+".jsonl")
	if err := os.WriteFile(path, []byte(w.b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return conformance.Laid{ID: s.ID, Path: path}
}

type writer struct {
	s      conformance.Session
	b      strings.Builder
	n      int
	parent string
	at     time.Time
}

func (w *writer) answer(id, block, stop string) {
	w.entry("assistant", fmt.Sprintf(`{"id":"%s","role":"assistant","model":"m","content":[%s],"stop_reason":"%s"}`, id, block, stop), "")
}

func (w *writer) entry(typ, message, more string) {
	parent := "null"
	if w.n > 0 {
		parent = `"` + w.parent + `"`
	}
	w.n++
	w.parent = fmt.Sprintf("%08d-0000-4000-8000-%s", w.n, w.s.ID[24:])
	fmt.Fprintf(&w.b, `{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":%s,"sessionId":"%s","version":"2.1.240","type":"%s","message":%s,"uuid":"%s","timestamp":"%s"%s}`+"\n",
		parent, jstext.Quote(w.s.Cwd), w.s.ID, typ, message, w.parent, w.at.Add(time.Duration(w.n)*time.Millisecond).Format(time.RFC3339Nano), more)
}
