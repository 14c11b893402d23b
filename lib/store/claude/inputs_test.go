package claude_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/claude"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

func TestInputs(t *testing.T) {
	for _, c := range []struct {
		path   string
		torn   int64
		notes  int
		wanted []string
	}{
		{path: "01-long-line-70k/session.jsonl", wanted: []string{"user: What does the probe print?", "assistant: It prints a long row of y."}},
		{path: "03-bom-crlf/session.jsonl", wanted: []string{"user: hello", "assistant: hi"}},
		{path: "05-torn-tail/session.jsonl", torn: 188, notes: 1, wanted: []string{"user: one", "assistant: two"}},
		{path: "07-welded-records/session.jsonl", wanted: []string{"user: first", "assistant: second"}},
		// SPEC 2 wins over the folder's README: strings stay lossless.
		{path: "09-lone-surrogate-escape/session.jsonl", wanted: []string{"user: cut \xed\xa0\xbd… ok 🚀 rev \xed\xb0\x80\xed\xa0\x80"}},
		{path: "19-claude-sibling-system/session.jsonl", wanted: []string{"user: question", "assistant: the delivered answer", "user: thanks, next", "assistant: next answer"}},
		{path: "21-claude-branch-dup-uuids/session.jsonl", wanted: []string{"user: one", "assistant: two", "user: three"}},
		{path: "23-claude-bg-copy/s-two.jsonl", notes: 1, wanted: []string{"user: shared start", "assistant: shared answer", "user: only here"}},
		{path: "45-recursive-reference/session.jsonl", wanted: []string{"user: please continue", "assistant: ok"}},
		{path: "47-hostile-title/session.jsonl", wanted: []string{"user: hi"}},
	} {
		t.Run(c.path, func(t *testing.T) {
			r := readFile(t, filepath.Join(inputs, c.path))
			conformance.Said(t, r, c.wanted...)
			if rc := r.Receipt; rc.TornTail != c.torn || rc.DamagedRecords != 0 || rc.DroppedBranches != 0 || len(rc.Notes) != c.notes {
				t.Errorf("receipt: %+v", rc)
			}
		})
	}
}

// Titles and directories are carried exactly; to show them safely is the
// programs' business.
func TestHostileTitle(t *testing.T) {
	st := storeOf(t, map[string]string{"-work/s-demo.jsonl": read(t, inputs+"/47-hostile-title/session.jsonl")})
	entries, errs := conformance.ListAll(st)
	if len(entries) != 1 || len(errs) > 0 {
		t.Fatalf("%v, %v", entries, errs)
	}
	want := "\x1b]0;owned\x07"
	e := entries[0]
	if e.Title == nil || *e.Title != strings.Repeat("L", len(*e.Title)) || len(*e.Title) < 9000 {
		t.Errorf("title %.40q, not the last one (and not %q)", *e.Title, want)
	}
	if *e.Cwd != "/work/\x1b[31mred" {
		t.Errorf("cwd %q", *e.Cwd)
	}
}

// A background copy is listed with its source, and the two readings can be told to
// hold the same beginning.
func TestBackgroundCopy(t *testing.T) {
	dir := inputs + "/23-claude-bg-copy/"
	st := storeOf(t, map[string]string{"-p/s-one.jsonl": read(t, dir+"s-one.jsonl"), "-p/s-two.jsonl": read(t, dir+"s-two.jsonl")})
	entries, _ := conformance.ListAll(st)
	from := make(map[string]string)
	for _, e := range entries {
		from[e.ID] = e.CopiedFrom
	}
	if fmt.Sprint(from) != "map[claude:s-demo: claude:s-two:claude:s-demo]" {
		t.Errorf("copied from: %v", from)
	}
	one, two := readFile(t, dir+"s-one.jsonl").Receipt.Lineage, readFile(t, dir+"s-two.jsonl").Receipt.Lineage
	if one != two || one == "" {
		t.Errorf("lineages %q and %q", one, two)
	}
	if other := readFile(t, fixtures+"/basic.jsonl").Receipt.Lineage; other == one || other == "" {
		t.Errorf("another session's lineage is %q", other)
	}
}

// The store of inputs/49-symlinked-home, made by its own script.
func TestSymlinkedHome(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"49-symlinked-home", "01-long-line-70k"} {
		if err := os.CopyFS(filepath.Join(dir, d), os.DirFS(filepath.Join(inputs, d))); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "gen.sh")
	cmd.Dir = filepath.Join(dir, "49-symlinked-home")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	env := conformance.Env(t)
	env.Home = filepath.Join(cmd.Dir, "home")
	st, err := claude.Format.Open(claude.Format.Roots(env)[0], env)
	if err != nil {
		t.Fatal(err)
	}
	entries, errs := conformance.ListAll(st)
	if len(entries) != 1 || entries[0].ID != "claude:s-demo" || filepath.Base(filepath.Dir(entries[0].Path)) != "-work-demo" {
		t.Errorf("listed %+v", entries)
	}
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "-gone") {
		t.Errorf("errors %v, want the dangling link named", errs)
	}
}

// A session that moved is listed under its newest directory, and the old one is
// there to be found by; two directories that share a slug are told apart by the
// records.
func TestMovedCwd(t *testing.T) {
	entries, errs := conformance.ListAll(conformance.Open(t, claude.Format, inputs+"/51-moved-cwd"))
	got := make(map[string]string)
	for _, e := range entries {
		got[e.ID] = fmt.Sprint(*e.Cwd, e.OtherCwds)
	}
	want := map[string]string{"claude:s-demo": "/work/new[/work/old]", "claude:s-1": "/work/測試[]", "claude:s-2": "/work/日本[]"}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(errs) > 0 {
		t.Errorf("got %v, %v, want %v", got, errs, want)
	}
	if r := readFile(t, inputs+"/51-moved-cwd/-work-old/s-moved.jsonl"); *r.Surface.Header.Cwd != "/work/new" {
		t.Errorf("read with cwd %q", *r.Surface.Header.Cwd)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func storeOf(t testing.TB, files map[string]string) store.Store {
	t.Helper()
	return conformance.StoreOf(t, claude.Format, files)
}
