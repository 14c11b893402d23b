package codex_test

import (
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
	return conformance.ReadFile(t, codex.Format, path)
}

func TestFixtures(t *testing.T) {
	conformance.Fixtures(t, codex.Format, fixtures, ".jsonl", 7)
	t.Run("packed", func(t *testing.T) {
		r := readFile(t, fixtures+"/basic.jsonl.zst")
		conformance.Golden(t, r, fixtures+"/basic.expected.json")
		if r.Receipt.Format != "codex jsonl zstd" {
			t.Errorf("format %q", r.Receipt.Format)
		}
	})
}

func TestFixtureReceipts(t *testing.T) {
	for name, want := range map[string]conformance.Marks{
		"basic":                         {},
		"bare-2025":                     {},
		"rollback":                      {Dropped: 1},
		"compaction-local":              {Checkpoint: true},
		"compaction-encrypted":          {Checkpoint: true, Sealed: true, Notes: 1},
		"live-torn":                     {Notes: 1},
		"edge-rollback-over-compaction": {Dropped: 1, Notes: 1},
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
	entries, errs := conformance.ListAll(conformance.Open(t, codex.Format, fixtures+"/home"))
	conformance.GoldenList(t, "codex", entries, errs, fixtures+"/home.expected-list.json")
	for _, e := range entries {
		if e.Archived && *e.Title != "Archived question." {
			t.Errorf("title %q, want the first prompt", *e.Title)
		}
	}
}

// reader lays rollouts below a root, in directories whose names begin with dir.
func reader(dir string) conformance.Reader {
	return conformance.Reader{
		Format: codex.Format,
		ID:     uuid,
		Lay: func(t testing.TB, root string, s conformance.Session) conformance.Laid {
			return lay(t, filepath.Join(root, dir+s.ID[len(s.ID)-2:]), s)
		},
		Lines: true,
	}
}

func uuid(n int) string { return fmt.Sprintf("019a0000-0000-7000-8000-%012d", n) }

func TestConformance(t *testing.T) {
	t.Run("home", func(t *testing.T) { conformance.Run(t, reader("sessions/2026/08/")) })
	t.Run("directory of rollouts", func(t *testing.T) { conformance.Run(t, reader("d")) })
}

func BenchmarkReader(b *testing.B) { conformance.Bench(b, reader("sessions/2026/08/")) }

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
		if m.Picture {
			add("event_msg", `{"type":"user_message","message":"","images":["data:image/png;base64,AAAA"]}`)
			add("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"<image>"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_text","text":"</image>"}]}`)
			continue
		}
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

func TestInputs(t *testing.T) {
	conformance.Said(t, readFile(t, inputs+"/25-codex-compacted/rollout-demo.jsonl"),
		"user: OLD (kept)", "user: Summary: chose B", "user: new", "assistant: new reply")
	conformance.Said(t, readFile(t, inputs+"/27-codex-rollback/rollout-demo.jsonl"), "user: turn 1", "assistant: r1")
	for name, cwd := range map[string]string{
		"rollout-cold.jsonl.zst": "/work/demo", "rollout-both.jsonl": "/home/dev/demo", "rollout-misnamed.jsonl": "/work/demo",
	} {
		r := readFile(t, inputs+"/29-codex-zst/"+name)
		conformance.Said(t, r, "user: cold session", "assistant: still readable")
		if r.Receipt.SessionID != "codex:019a-demo" || *r.Surface.Header.Cwd != cwd {
			t.Errorf("%s: id %q, cwd %q", name, r.Receipt.SessionID, *r.Surface.Header.Cwd)
		}
	}
}

// Each rollout is listed once: the one that lies there plain and packed, the one
// that is only packed, and the one whose name does not say that it is.
func TestPackedTwins(t *testing.T) {
	entries, errs := conformance.ListAll(conformance.Open(t, codex.Format, inputs+"/29-codex-zst"))
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

func TestTornEverywhere(t *testing.T) {
	conformance.TornEverywhere(t, codex.Format, 7, fixtures+"/*.jsonl")
}
