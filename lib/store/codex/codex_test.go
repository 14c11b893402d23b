package codex_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/codex"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

const (
	fixtures = "../../../testdata/fixtures/agents/codex"
	inputs   = "../../../testdata/inputs"
)

func readFile(t testing.TB, path string) *store.Reading {
	t.Helper()
	r, err := codex.Format.ReadFile(context.Background(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFixtures(t *testing.T) {
	files, err := filepath.Glob(fixtures + "/*.expected.json")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, expected := range files {
		name := strings.TrimSuffix(expected, ".expected.json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			conformance.Golden(t, readFile(t, name+".jsonl"), expected)
		})
	}
	t.Run("packed", func(t *testing.T) {
		r := readFile(t, fixtures+"/basic.jsonl.zst")
		conformance.Golden(t, r, fixtures+"/basic.expected.json")
		if r.Receipt.Format != "codex jsonl zstd" {
			t.Errorf("format %q", r.Receipt.Format)
		}
	})
}

func TestFixtureReceipts(t *testing.T) {
	for name, want := range map[string]store.Receipt{
		"basic":                         {},
		"bare-2025":                     {},
		"rollback":                      {DroppedBranches: 1},
		"compaction-local":              {Checkpoint: true},
		"compaction-encrypted":          {Checkpoint: true, SealedCheckpoint: true, Notes: []string{"x"}},
		"live-torn":                     {TornTail: 154},
		"edge-rollback-over-compaction": {DroppedBranches: 1, Notes: []string{"x"}},
	} {
		got := readFile(t, filepath.Join(fixtures, name+".jsonl")).Receipt
		if got.DroppedBranches != want.DroppedBranches || got.Checkpoint != want.Checkpoint || got.SealedCheckpoint != want.SealedCheckpoint ||
			got.TornTail != want.TornTail || got.DamagedRecords != 0 || len(got.Notes) != len(want.Notes) || got.Lineage == "" {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestFixtureList(t *testing.T) {
	st, err := codex.Format.Open(fixtures+"/home", conformance.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	entries, errs := listAll(st)
	conformance.GoldenList(t, "codex", entries, errs, fixtures+"/home.expected-list.json")
	for _, e := range entries {
		if e.Archived && *e.Title != "Archived question." {
			t.Errorf("title %q, want the first prompt", *e.Title)
		}
	}
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
	for _, layout := range []struct{ name, dir string }{{"home", "sessions/2026/08/"}, {"bare directory", "d"}} {
		t.Run(layout.name, func(t *testing.T) {
			conformance.Run(t, conformance.Reader{
				Format: codex.Format,
				ID:     func(n int) string { return fmt.Sprintf("019a0000-0000-7000-8000-%012d", n) },
				Lay: func(t testing.TB, root string, s conformance.Session) conformance.Laid {
					return lay(t, filepath.Join(root, layout.dir+s.ID[len(s.ID)-2:]), s)
				},
				Lines: true,
			})
		})
	}
}

// lay writes a rollout as version 0.149 does, events beside the items.
func lay(t testing.TB, dir string, s conformance.Session) conformance.Laid {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	n := 0
	add := func(typ, payload string) {
		n++
		fmt.Fprintf(&b, `{"timestamp":"%s","type":"%s","payload":%s}`+"\n", s.Created.Add(time.Duration(n)*time.Millisecond).Format(time.RFC3339Nano), typ, payload)
	}
	message := func(role, kind, literal string) string {
		return fmt.Sprintf(`{"type":"message","role":"%s","content":[{"type":"%s","text":%s}]}`, role, kind, literal)
	}
	add("session_meta", fmt.Sprintf(`{"id":"%s","timestamp":"%s","cwd":%s,"originator":"codex_cli_rs","source":"cli","base_instructions":{"text":"base"}}`,
		s.ID, s.Created.Format(time.RFC3339Nano), jstext.Quote(s.Cwd)))
	if s.Title != "" {
		add("event_msg", fmt.Sprintf(`{"type":"thread_name_updated","thread_id":"%s","thread_name":%s}`, s.ID, jstext.Quote(s.Title)))
	}
	for _, m := range s.Messages {
		if m.Role == session.User {
			add("event_msg", fmt.Sprintf(`{"type":"user_message","message":%s,"images":[]}`, m.Literal))
			add("response_item", message("user", "input_text", m.Literal))
			continue
		}
		if m.Output > 0 {
			add("response_item", fmt.Sprintf(`{"type":"function_call_output","call_id":"c","output":"%s"}`, strings.Repeat("o", m.Output)))
		}
		add("event_msg", fmt.Sprintf(`{"type":"agent_message","message":%s}`, m.Literal))
		add("response_item", message("assistant", "output_text", m.Literal))
	}
	path := filepath.Join(dir, "rollout-2026-08-01T12-00-00-"+s.ID+".jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return conformance.Laid{ID: s.ID, Path: path}
}

func said(turns ...string) []conformance.Turn {
	out := []conformance.Turn{}
	for _, s := range turns {
		who, text, _ := strings.Cut(s, ": ")
		role := session.User
		if who == "assistant" {
			role = session.Assistant
		}
		out = append(out, conformance.Turn{Role: role, Text: text, Checkpoint: who == "summary"})
	}
	return out
}

func wantSaid(t testing.TB, r *store.Reading, turns ...string) {
	t.Helper()
	if got := conformance.Conversation(t, r.Surface); !slices.Equal(got, said(turns...)) {
		t.Errorf("got  %v\nwant %v", got, said(turns...))
	}
}

func TestInputs(t *testing.T) {
	wantSaid(t, readFile(t, inputs+"/25-codex-compacted/rollout-demo.jsonl"),
		"user: OLD (kept)", "user: Summary: chose B", "user: new", "assistant: new reply")
	wantSaid(t, readFile(t, inputs+"/27-codex-rollback/rollout-demo.jsonl"), "user: turn 1", "assistant: r1")
	for name, cwd := range map[string]string{
		"rollout-cold.jsonl.zst": "/work/demo", "rollout-both.jsonl": "/home/dev/demo", "rollout-misnamed.jsonl": "/work/demo",
	} {
		r := readFile(t, inputs+"/29-codex-zst/"+name)
		wantSaid(t, r, "user: cold session", "assistant: still readable")
		if r.Receipt.SessionID != "codex:019a-demo" || *r.Surface.Header.Cwd != cwd {
			t.Errorf("%s: id %q, cwd %q", name, r.Receipt.SessionID, *r.Surface.Header.Cwd)
		}
	}
}

// Each rollout is listed once: the one that lies there plain and packed, the one
// that is only packed, and the one whose name does not say that it is.
func TestPackedTwins(t *testing.T) {
	st, err := codex.Format.Open(inputs+"/29-codex-zst", conformance.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	entries, errs := listAll(st)
	var got []string
	for _, e := range entries {
		got = append(got, filepath.Base(e.Path)+" "+*e.Title+" "+*e.Cwd)
	}
	slices.Sort(got)
	want := []string{
		"rollout-both.jsonl cold session /home/dev/demo", "rollout-cold.jsonl.zst cold session /work/demo",
		"rollout-misnamed.jsonl cold session /work/demo",
	}
	if !slices.Equal(got, want) || len(errs) > 0 {
		t.Errorf("got  %q, %v\nwant %q", got, errs, want)
	}
}

func pack(t testing.TB, content string) string {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(enc.EncodeAll([]byte(content), nil))
}
