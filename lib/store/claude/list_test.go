package claude_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/claude"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

const (
	cwd = `"cwd":"/w"`
	at  = `"timestamp":"2026-08-01T10:00:00.000Z"`
)

func customTitle(s string) string { return `{"type":"custom-title","customTitle":"` + s + `"}` }
func aiTitle(s string) string     { return `{"type":"ai-title","aiTitle":"` + s + `"}` }
func lastPrompt(s string) string  { return `{"type":"last-prompt","lastPrompt":"` + s + `"}` }

// filler is n bytes of lines that say nothing.
func filler(n int) string {
	line := sys("f", "u1", "x", `"content":"`+strings.Repeat("f", 1000)+`"`) + "\n"
	return strings.Repeat(line, n/len(line)+1)
}

// framed is a request behind a frame, and clipped what the agent notes of a prompt.
func framed(request string) string {
	block := frame.Write(frame.InPrompt, [][]byte{[]byte(`{"sessionId":"x","label":"x","cwd":null,"capturedThroughSeq":1,"conversation":[]}`)})
	return frame.Prompt(block, request)
}

func clipped(prompt string) string {
	return strings.ReplaceAll(prompt[:200], "\n", " ") + "…"
}

// A session in which nothing but a snapshot was said is listed, without a title.
func TestListFrameAlone(t *testing.T) {
	st := storeOf(t, map[string]string{"-w/" + uuid(1) + ".jsonl": usr("u1", "", framed("")) + "\n" + lastPrompt(clipped(framed(""))) + "\n"})
	entries, errs := conformance.ListAll(st)
	if len(entries) != 1 || len(errs) > 0 || entries[0].Title != nil {
		t.Errorf("listed %+v, %v", entries, errs)
	}
}

func TestListTitles(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string // empty: not listed
	}{
		{"custom over generated", []string{customTitle("A"), usr("u1", "", "p"), aiTitle("B")}, "A"},
		{"the last custom one", []string{customTitle("A"), usr("u1", "", "p"), customTitle("B")}, "B"},
		{"taken back", []string{customTitle("A"), usr("u1", "", "p"), customTitle(""), aiTitle("B")}, "B"},
		{"generated over last prompt", []string{usr("u1", "", "p"), aiTitle("B"), lastPrompt("l")}, "B"},
		{"last prompt over first", []string{usr("u1", "", "p"), lastPrompt("l")}, "l"},
		{"last prompt is plumbing", []string{usr("u1", "", "p"), lastPrompt("<task-notification>x")}, "p"},
		{"a summary of this file", []string{`{"type":"summary","summary":"S","leafUuid":"u1"}`, usr("u1", "", "p")}, "S"},
		{"a summary of another file", []string{`{"type":"summary","summary":"S","leafUuid":"zz"}`, usr("u1", "", "p")}, "p"},
		{"the first real prompt", []string{usr("u0", "", "x", isMeta), result("u1", "u0"), usr("u2", "u1", "<bash-input>ls</bash-input>"), usr("u3", "u2", "real\n one"), usr("u4", "u3", "next")}, "real one"},
		{"a command for want of a prompt", []string{usr("u1", "", "<command-name>/plan</command-name><command-args>june</command-args>")}, "/plan june"},
		{"title behind the head", []string{usr("u1", "", "p"), filler(100_000), customTitle("A")}, "A"},
		{"title before the tail", []string{usr("u1", "", "p"), customTitle("A"), filler(200_000)}, "A"},
		{"first prompt behind an image", []string{usr("u1", "", `[{"type":"image","source":"`+strings.Repeat("A", 300_000)+`"},{"type":"text","text":"what is it?"}]`)}, "what is it?"},
		{"last prompt with a frame", []string{usr("u1", "", "p"), usr("u2", "u1", framed("the last")), lastPrompt(clipped(framed("the last")))}, "the last"},
		{"the same, far from the ends", []string{usr("u1", "", "p"), filler(200_000), usr("u2", "u1", framed("the last")), filler(200_000), lastPrompt(clipped(framed("the last")))}, "the last"},
		{"last prompt is a frame alone", []string{usr("u1", "", "p"), usr("u2", "u1", framed("")), lastPrompt(clipped(framed("")))}, "p"},
		{"last prompt looks like a frame", []string{usr("u1", "", "p"), usr("u2", "u1", "## Referenced sessions\n\nI ask of them."), lastPrompt("## Referenced sessions  I ask of them.")}, "## Referenced sessions I ask of them."},
		{"last prompt with a frame, of no prompt", []string{usr("u1", "", "p"), lastPrompt("## Referenced sessions  and more…")}, "## Referenced sessions and more…"},
		{"title and no prompt", []string{customTitle("A")}, "A"},
		{"nothing said", []string{usr("u0", "", "x", isMeta), sys("s", "u0", "x")}, ""},
		{"a sidechain's file", []string{usr("u1", "", "task", aside), customTitle("A")}, ""},
		{"empty", nil, ""},
	} {
		content := strings.Join(c.lines, "\n") + "\n"
		st := storeOf(t, map[string]string{"-w/" + uuid(1) + ".jsonl": content})
		entries, errs := conformance.ListAll(st)
		got := ""
		if len(entries) == 1 {
			got = *entries[0].Title
		}
		if got != c.want || len(errs) > 0 || len(entries) > 1 {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, errs, c.want)
		}
	}
}

// What a listing shows of a directory is what the reading says.
func TestCwd(t *testing.T) {
	line := func(id, parent, dir string, extra ...string) string {
		return usr(id, parent, "p", append(extra, at, `"cwd":`+fmt.Sprintf("%q", dir))...)
	}
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"moved", []string{line("u1", "", "/a"), line("u2", "u1", "/b")}, "/b[/a]"},
		{"moved and back", []string{line("u1", "", "/a"), line("u2", "u1", "/b"), line("u3", "u2", "/a")}, "/a[/b]"},
		{"wandered below", []string{line("u1", "", "/a/"), line("u2", "u1", "/a/src")}, "/a/[/a/src]"},
		{"a name that only begins so", []string{line("u1", "", "/a"), line("u2", "u1", "/ab")}, "/ab[/a]"},
		{"below a drive", []string{line("u1", "", `C:\a`), line("u2", "u1", `C:\a\b`)}, `C:\a[C:\a\b]`},
		{"a subagent elsewhere", []string{line("u1", "", "/a"), line("s1", "u1", "/b", aside)}, "/a[]"},
		{"first by a subagent", []string{line("u1", "", "/a"), line("s1", "u1", "/b", aside), line("u2", "u1", "/b")}, "/b[/a]"},
		{"first in a damaged record", []string{line("u1", "", "/a"), "x" + line("d", "u1", "/b"), line("u2", "u1", "/b")}, "/b[/a]"},
		{"twice on one line", []string{line("u1", "", "/a"), line("u2", "u1", "/b") + line("u3", "u2", "/c"), line("u4", "u3", "/b")}, "/b[/a /c]"},
		{"in the tail", []string{line("u1", "", "/a"), filler(200_000), line("u2", "u1", "/b")}, "/b[/a]"},
	} {
		content := strings.Join(c.lines, "\n") + "\n"
		st := storeOf(t, map[string]string{"-a/" + uuid(1) + ".jsonl": content})
		entries, _ := conformance.ListAll(st)
		if len(entries) != 1 {
			t.Fatalf("%s: %d entries", c.name, len(entries))
		}
		if got := fmt.Sprint(*entries[0].Cwd, entries[0].OtherCwds); got != c.want {
			t.Errorf("%s: listed %q, want %q", c.name, got, c.want)
		}
		if r := readFile(t, entries[0].Path); *r.Surface.Header.Cwd != *entries[0].Cwd {
			t.Errorf("%s: read with %q, listed with %q", c.name, *r.Surface.Header.Cwd, *entries[0].Cwd)
		}
	}
}

func TestListFiles(t *testing.T) {
	said := func(session string) string {
		return usr("u1", "", "p of "+session, at, `"sessionId":"`+session+`"`) + "\n"
	}
	st := storeOf(t, map[string]string{
		"projects/-a/" + uuid(1) + ".jsonl":                           said(uuid(1)),
		"projects/-a/" + uuid(1) + "/subagents/agent-x.jsonl":         said(uuid(1)),
		"projects/-a/" + uuid(1) + "/tool-results/t.txt":              "x",
		"projects/-a/" + uuid(1) + "/subagents/" + uuid(8) + ".jsonl": said(uuid(1)),
		"projects/-a/agent-y.jsonl":                                   said(uuid(1)),
		"projects/-a/sessions-index.json":                             "{}",
		"projects/-a/copy of it.jsonl":                                said(uuid(1)),
		"projects/-a/" + uuid(2) + ".jsonl.bak":                       said(uuid(2)),
		"projects/-a/made-by-hand.jsonl":                              said("by-hand"),
		"projects/-b/" + uuid(1) + ".jsonl":                           said(uuid(1)), // moved; see below
		"projects/" + uuid(3) + ".jsonl":                              said(uuid(3)),
		"history.jsonl":                                               said(uuid(4)),
	})
	newer := filepath.Join(st.Root(), "projects/-b", uuid(1)+".jsonl")
	if err := os.Chtimes(newer, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	entries, errs := conformance.ListAll(st)
	got := make(map[string]string)
	for _, e := range entries {
		rel, _ := filepath.Rel(st.Root(), e.Path)
		got[e.ID] = rel
	}
	want := map[string]string{
		"claude:" + uuid(1): "projects/-b/" + uuid(1) + ".jsonl", "claude:" + uuid(3): "projects/" + uuid(3) + ".jsonl",
		"claude:by-hand": "projects/-a/made-by-hand.jsonl",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(errs) > 0 {
		t.Errorf("got  %v, %v\nwant %v", got, errs, want)
	}
	for id, path := range want {
		refs, err := st.Lookup(context.Background(), strings.TrimPrefix(id, "claude:"))
		if err != nil || len(refs) != 1 || refs[0].ID != id || refs[0].Path != filepath.Join(st.Root(), path) {
			t.Errorf("looked up %q: got %v, %v; want %q", id, refs, err, path)
		}
	}
}

func TestRelations(t *testing.T) {
	first := usr("u1", "", "same start", at, cwd)
	st := storeOf(t, map[string]string{
		"-a/" + uuid(1) + ".jsonl": first + "\n",
		"-a/" + uuid(2) + ".jsonl": first + "\n" + usr("u2", "u1", "resumed into a new file") + "\n",
		"-a/" + uuid(3) + ".jsonl": usr("x1", "", "same start", at, cwd, `"forkedFrom":{"sessionId":"`+uuid(2)+`","messageUuid":"u1"}`) + "\n",
		"-a/" + uuid(4) + ".jsonl": usr("u1", "", "another start", at, cwd) + "\n",
	})
	if err := os.Chtimes(filepath.Join(st.Root(), "-a", uuid(1)+".jsonl"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	entries, _ := conformance.ListAll(st)
	lineages := make(map[string]string)
	for _, e := range entries {
		n := e.ID[len(e.ID)-1:]
		want := map[string]string{"1": "", "2": "claude:" + uuid(1), "3": "claude:" + uuid(2), "4": ""}[n]
		if e.CopiedFrom != want {
			t.Errorf("%s: copied from %q, want %q", n, e.CopiedFrom, want)
		}
		lineages[n] = readFile(t, e.Path).Receipt.Lineage
	}
	if l := lineages; l["1"] == "" || l["1"] != l["2"] || l["1"] != l["3"] || l["1"] == l["4"] {
		t.Errorf("lineages %v", l)
	}
}

func TestRoots(t *testing.T) {
	for _, c := range []struct {
		vars map[string]string
		home string
		goos string
		want string
	}{
		{nil, "/home/x", "linux", "[/home/x/.claude/projects /home/x/.config/claude/projects]"},
		{nil, "/Users/x", "darwin", "[/Users/x/.claude/projects /Users/x/.config/claude/projects]"},
		{nil, "/c/x", "windows", "[/c/x/.claude/projects /c/x/.config/claude/projects]"},
		{map[string]string{"CLAUDE_CONFIG_DIR": "/cfg"}, "/home/x", "linux", "[/cfg/projects]"},
		{map[string]string{"CLAUDE_CONFIG_DIR": "/a, /b"}, "/home/x", "linux", "[/a, /b/projects /a/projects /b/projects]"},
		{nil, "", "linux", "[]"},
	} {
		env := store.Env{Getenv: func(k string) string { return c.vars[k] }, Home: c.home, GOOS: c.goos}
		if got := fmt.Sprint(claude.Format.Roots(env)); got != c.want {
			t.Errorf("%v, home %q on %s: got %s, want %s", c.vars, c.home, c.goos, got, c.want)
		}
	}
}

func TestOpenRefusesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := claude.Format.Open(path, conformance.Env(t)); err == nil {
		t.Error("a file was opened as a store")
	}
}

// A session that begins with a picture goes by what was said next: a prompt, else the
// first answer. One whose only prompt is a local command is none.
func TestListedWithoutText(t *testing.T) {
	picture := `[{"type":"image","source":{"data":"AAAA"}}]`
	document := `[{"type":"document","source":{"data":"AAAA"}}]`
	clear := usr("c", "", "<command-name>/clear</command-name>")
	printed := sys("o", "c", "local_command", `"content":"<local-command-stdout></local-command-stdout>"`)
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"the next prompt":        {[]string{usr("u1", "", picture), ans("a1", "u1", "m1", "a cat"), usr("u2", "a1", "and this?")}, "and this?"},
		"the next command":       {[]string{usr("u1", "", picture), ans("a1", "u1", "m1", "a cat"), usr("u2", "a1", "<command-name>/draw</command-name>"), ans("a2", "u2", "m2", "ok")}, "/draw"},
		"the first answer":       {[]string{usr("u1", "", picture), ans("a0", "u1", "m0", "no", `"isApiErrorMessage":true`), ans("a1", "a0", "m1", "a cat"), ans("a2", "a1", "m2", "and more")}, "a cat"},
		"a document":             {[]string{usr("u1", "", document), ans("a1", "u1", "m1", "a form")}, "a form"},
		"no answer":              {[]string{usr("u1", "", picture)}, "[Image]"},
		"a huge picture":         {[]string{usr("u1", "", strings.Replace(picture, "AAAA", strings.Repeat("A", 5<<20), 1)), ans("a1", "u1", "m1", "a cat")}, "a cat"},
		"cleared, then picture":  {[]string{clear, printed, usr("u1", "o", picture), ans("a1", "u1", "m1", "a cat")}, "a cat"},
		"not a person's picture": {[]string{usr("u1", "", picture, isMeta), ans("a1", "u1", "m1", "a cat")}, ""},
		"cleared, and no more":   {[]string{clear, printed}, ""},
		"a command alone":        {[]string{usr("c", "", "<command-name>/deploy</command-name>"), ans("a1", "c", "m1", "ok")}, "/deploy"},
	} {
		t.Run(name, func(t *testing.T) {
			st := storeOf(t, map[string]string{"-p/" + uuid(1) + ".jsonl": strings.Join(c.lines, "\n") + "\n"})
			entries, errs := conformance.ListAll(st)
			got := ""
			for _, e := range entries {
				got = *e.Title
			}
			if got != c.want || len(entries) > 1 || len(errs) > 0 {
				t.Errorf("listed as %q (%d entries, %v), want %q", got, len(entries), errs, c.want)
			}
		})
	}
}
