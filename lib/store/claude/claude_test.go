package claude_test

import (
	"context"
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
	r, err := claude.Format.ReadFile(context.Background(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFixtures(t *testing.T) {
	files, err := filepath.Glob(fixtures + "/*.expected.json")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, expected := range files {
		name := strings.TrimSuffix(expected, ".expected.json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			conformance.Golden(t, readFile(t, name+".jsonl"), expected)
		})
	}
}

func TestFixtureReceipts(t *testing.T) {
	for name, want := range map[string]store.Receipt{
		"basic":                {},
		"rewind":               {DroppedBranches: 1},
		"parallel-tools":       {},
		"compaction":           {Checkpoint: true},
		"compaction-preserved": {Checkpoint: true},
		"live-torn":            {TornTail: 102},
		"dangling-parent":      {Notes: []string{"parents that are not in the file: 1; the nearest earlier entries were taken for them"}},
	} {
		got := readFile(t, filepath.Join(fixtures, name+".jsonl")).Receipt
		if got.DroppedBranches != want.DroppedBranches || got.Checkpoint != want.Checkpoint || got.TornTail != want.TornTail ||
			got.DamagedRecords != 0 || fmt.Sprint(got.Notes) != fmt.Sprint(want.Notes) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestFixtureList(t *testing.T) {
	st, err := claude.Format.Open(fixtures+"/home", conformance.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	entries, errs := listAll(st)
	conformance.GoldenList(t, "claude", entries, errs, fixtures+"/home.expected-list.json")
}

func listAll(st store.Store) (entries []store.Entry, errs []error) {
	for e, err := range st.List(context.Background()) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, e)
	}
	return entries, errs
}

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Reader{
		Format: claude.Format,
		ID:     func(n int) string { return fmt.Sprintf("0c0ffee0-0000-4000-8000-%012d", n) },
		Lay:    lay,
		Lines:  true,
	})
}

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
