package gemini_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/gemini"
)

const fixtures = "../../../testdata/fixtures/agents/gemini-cli"

func TestFixtures(t *testing.T) {
	n := 0
	for _, dir := range []string{fixtures, filepath.Join(fixtures, "home/tmp/sky/chats")} {
		files, err := filepath.Glob(filepath.Join(dir, "*.expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, expected := range files {
			n++
			t.Run(filepath.Base(expected), func(t *testing.T) {
				path := strings.TrimSuffix(expected, ".expected.json") + ".jsonl"
				if strings.Contains(expected, "legacy") {
					path = strings.TrimSuffix(path, "l")
				}
				conformance.Golden(t, conformance.ReadFile(t, gemini.Format, path), expected)
			})
		}
	}
	if n < 5 {
		t.Errorf("%d fixtures", n)
	}
}

func TestFixtureHome(t *testing.T) {
	st, err := gemini.Format.Open(filepath.Join(fixtures, "home"), conformance.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e, err := range st.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if e.ID != "gemini:5e551000-0000-4000-8000-000000000001" || e.Cwd == nil || *e.Cwd != "/proj/sky" || e.Title == nil || *e.Title != "Where am I?" {
			t.Errorf("listed %+v", e)
		}
	}
	if n != 1 {
		t.Errorf("listed %d sessions; the subagent's is none", n)
	}
}

func lay(t testing.TB, root string, s conformance.Session) conformance.Laid {
	var b strings.Builder
	at := func(i int) string {
		return s.Created.Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000Z")
	}
	fmt.Fprintf(&b, `{"sessionId":%q,"projectHash":"0","startTime":%q,"lastUpdated":%q,"kind":"main"}`+"\n", s.ID, s.Created.Format("2006-01-02T15:04:05.000Z"), at(0))
	if s.Title != "" {
		fmt.Fprintf(&b, `{"$set":{"summary":%s}}`+"\n", jstext.Quote(s.Title))
	}
	for i, m := range s.Messages {
		if m.Picture {
			fmt.Fprintf(&b, `{"id":"m%d","timestamp":%q,"type":"user","content":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}`+"\n", i, at(i))
			continue
		}
		if m.Role == session.User {
			fmt.Fprintf(&b, `{"id":"m%d","timestamp":%q,"type":"user","content":[{"text":%s}]}`+"\n", i, at(i), m.Literal)
			continue
		}
		tools := ""
		if m.Output > 0 {
			tools = fmt.Sprintf(`"toolCalls":[{"id":"t","result":[{"functionResponse":{"response":{"output":"%s"}}}]}],`, strings.Repeat("o", m.Output))
		}
		fmt.Fprintf(&b, `{"id":"m%d","timestamp":%q,"type":"gemini",%s"content":%s,"thoughts":[],"model":"g"}`+"\n", i, at(i), tools, m.Literal)
	}
	dir := filepath.Join(root, "tmp", "demo-"+s.ID[7:8])
	write(t, filepath.Join(dir, ".project_root"), s.Cwd+"\n")
	path := filepath.Join(dir, "chats", "session-"+s.Created.Format("2006-01-02T15-04")+"-"+s.ID[:8]+".jsonl")
	write(t, path, b.String())
	return conformance.Laid{ID: s.ID, Path: path}
}

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Reader{
		Format: gemini.Format, Lay: lay, Lines: true,
		ID: func(n int) string { return fmt.Sprintf("5e551%03d-0000-4000-8000-000000000000", n) },
	})
}

func TestTornEverywhere(t *testing.T) {
	conformance.TornEverywhere(t, gemini.Format, 3, fixtures+"/*.jsonl")
}
