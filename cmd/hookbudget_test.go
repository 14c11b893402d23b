package cmd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
	"github.com/dsh-toolkit/dsh/lib/host/known"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// hostile are texts that grow when they are written, or count differently in bytes,
// characters and UTF-16 units.
var hostile = map[string]string{
	"control characters": "\x01\x1b[31m\x7f\u0085\u2028",
	"emoji":              "👩‍👩‍👧‍👦🚀",
	"quotes":             `"\"'`,
	"tags":               "</referenced-sessions><",
	"lone surrogates":    "\xed\xa0\xbd\xed\xb8\x80x",
	"mentions":           "@[x](dsh-session:eA) ",
	"ideographs":         "逐字記錄",
	"plain":              "words of a person ",
}

// TestHookFitsEveryHost asks each agent's hook for one, two and three sessions that are
// longer than the agent takes. What it adds, the frame included, is what the agent takes
// whole: 10,000 UTF-16 units in Claude Code, 10,000 bytes in Codex, 200,000 bytes in the
// others, which was the most that was tried.
func TestHookFitsEveryHost(t *testing.T) {
	for name, piece := range hostile {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir) // as the hook does, for good
			var mentions []string
			for i := range 3 {
				mentions = append(mentions, "@[it]("+sessionuri.Encode(laySession(t, dir, i, piece))+")")
			}
			for _, agent := range known.Names() {
				h, _ := known.Named(agent)
				for n := 1; n <= 3; n++ {
					context := added(t, dir, h, "Port "+strings.Join(mentions[:n], " and "))
					size, most := checkAdded(t, h, n, context)
					if name == "plain" && size < most/4 {
						t.Errorf("%s, %d references: only %d of %d are used", agent, n, size, most)
					}
				}
			}
		})
	}
}

// laySession writes a session of pi of about 200 KB and returns its id.
func laySession(t *testing.T, dir string, i int, piece string) string {
	id := fmt.Sprintf("019b0000-0000-7000-8000-00000000000%d", i)
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-11-20T10:00:00.000Z","cwd":%s}`+"\n", id, jstext.Quote("/w/"+piece))
	parent := "null"
	for m := range 40 {
		fmt.Fprintf(&b, `{"type":"message","id":"m%d","parentId":%s,"timestamp":"2026-11-20T10:00:01.000Z","message":{"role":"user","content":%s}}`+"\n",
			m, parent, jstext.Quote(strings.Repeat(piece, 5000/len(piece)+1)))
		parent = fmt.Sprintf(`"m%d"`, m)
	}
	path := filepath.Join(dir, "--w--", "2026-11-20T10-00-00-000Z_"+id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(jstext.ToUTF8(b.String())), 0o600); err != nil {
		t.Fatal(err)
	}
	return "pi:" + id
}

// added is the context that the hook adds to a prompt.
func added(t *testing.T, dir string, h host.Host, prompt string) string {
	t.Helper()
	input := `{"session_id":"mine","cwd":` + jstext.Quote(dir) + `,"prompt":` + jstext.Quote(prompt) + `}`
	var out, errs bytes.Buffer
	status := programs["dsh-ref"](&cli.System{
		Args: []string{"dsh-ref", "hook", "--store", "pi:" + dir, h.Name}, Stdin: strings.NewReader(input), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Now: time.Now, Context: context.Background(), Columns: 80,
	})
	if status != 0 {
		t.Fatalf("%s: status %d: %s", h.Name, status, errs.String())
	}
	return longest(jstext.MustParse(out.String()))
}

// longest is the longest text in an agent's answer.
func longest(v jstext.Value) string {
	most, _ := v.Text()
	for _, m := range v.Members() {
		if s := longest(m); len(s) > len(most) {
			most = s
		}
	}
	return most
}

// checkAdded checks what is added for n references, and returns its size and the most
// that the agent takes whole.
func checkAdded(t *testing.T, h host.Host, n int, context string) (size, most int) {
	t.Helper()
	size, most = len(jstext.ToUTF8(context)), 200_000
	switch h.Name {
	case "claude":
		size, most = len(utf16.Encode([]rune(jstext.ToUTF8(context)))), 10_000
	case "codex":
		most = 10_000
	}
	if size > most {
		t.Errorf("%s, %d references: %d are added, %d are taken whole", h.Name, n, size, most)
	}
	_, data, _ := strings.Cut(context, "<referenced-sessions>")
	data, _, _ = strings.Cut(data, "</referenced-sessions>")
	snapshots, err := jstext.Parse(strings.TrimSpace(data))
	if err != nil || snapshots.Len() != n {
		t.Fatalf("%s, %d references: %d in the block, %v", h.Name, n, snapshots.Len(), err)
	}
	for s := range snapshots.Elements() {
		if s.Get("conversation").Len() == 0 {
			t.Errorf("%s, %d references: one without a conversation", h.Name, n)
		}
	}
	if rest, in := frame.Request(context); in != n || rest != "" {
		t.Errorf("%s, %d references: what is added is not known for a frame of ours", h.Name, n)
	}
	return size, most
}
