package pi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/pi"
)

func place(t testing.TB, root, name, content string) string {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, root string) store.Store {
	t.Helper()
	return conformance.Open(t, pi.Format, root)
}

func entries(t testing.TB, st store.Store) map[string]store.Entry {
	t.Helper()
	all, errs := conformance.ListAll(st)
	out := make(map[string]store.Entry)
	for _, e := range all {
		out[e.ID] = e
	}
	if len(out) != len(all) || len(errs) > 0 {
		t.Errorf("listed %v, %v", all, errs)
	}
	return out
}

func optional(s *string) string {
	if s == nil {
		return "<none>"
	}
	return *s
}

func headOf(id, more string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-02T03:04:00Z","cwd":"/w"%s}`+"\n", id, more)
}

func name(s string) string {
	return fmt.Sprintf(`{"type":"session_info","id":"i","parentId":null,"name":%q}`+"\n", s)
}

// The last name counts, wherever it stands; a listing that has not seen all of a file
// does not guess.
func TestTitles(t *testing.T) {
	root := t.TempDir()
	long := user("z", "null", strings.Repeat("x", 100_000))
	for id, content := range map[string]string{
		"tail":    name("Stale") + user("a", "null", "first") + long + name("In the tail") + name(" "),
		"body":    name("Stale") + user("a", "null", "first") + long + name("In the body") + long,
		"head":    name("In the head") + user("a", "null", "first") + long,
		"none":    user("a", "null", "first prompt") + long,
		"behind":  strings.Replace(long, `"user"`, `"toolResult"`, 1) + user("a", "null", "far behind") + strings.Replace(long, `"user"`, `"toolResult"`, 1),
		"nothing": "",
	} {
		place(t, root, "sessions/--w--/t_"+id+".jsonl", headOf(id, "")+content)
	}
	st := open(t, root)
	listed := entries(t, st)
	for id, want := range map[string]string{
		"tail": "In the tail", "body": "In the body", "head": "In the head", "none": "first prompt", "behind": "far behind", "nothing": "<none>",
	} {
		e := listed["pi:"+id]
		for range 2 { // the second time from memory
			got, err := st.Title(t.Context(), e)
			if optional(got) != want || err != nil || e.Title != nil && *e.Title != want {
				t.Errorf("%s: listed %q, title %q, %v; want %q", id, optional(e.Title), optional(got), err, want)
			}
		}
	}
}

// A session that was copied, and went on in one of the places.
func TestSameIDTwice(t *testing.T) {
	root := t.TempDir()
	at := func(stamp, text string) string {
		return strings.Replace(user("a", "null", text), `"parentId"`, `"timestamp":"`+stamp+`","parentId"`, 1)
	}
	place(t, root, "sessions/--a--/t_x.jsonl", headOf("x", "")+at("2026-01-02T03:04:05Z", "older"))
	newer := place(t, root, "sessions/--b--/t_x.jsonl", headOf("x", "")+at("2026-01-03T03:04:05Z", "newer"))
	place(t, root, "sessions/--c--/t_x.jsonl", headOf("y", "")+at("2026-01-04T03:04:05Z", "another session"))
	st := open(t, root)
	listed := entries(t, st)
	if len(listed) != 2 || listed["pi:x"].Path != newer {
		t.Errorf("listed %v", listed)
	}
	for _, root := range []string{root, filepath.Join(root, "sessions")} {
		refs, err := open(t, root).Lookup(t.Context(), "x")
		if err != nil || len(refs) != 1 || filepath.Base(filepath.Dir(refs[0].Path)) != "--b--" {
			t.Errorf("%s: found %v, %v", root, refs, err)
		}
	}
}

func TestForks(t *testing.T) {
	first := `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":"one"}}` + "\n"
	lineage := func(content string) string {
		_, r := shown(t, content)
		return r.Lineage
	}
	origin := lineage(headOf("x", "") + first)
	if fork := lineage(headOf("y", `,"parentSession":"/s/t_x.jsonl"`) + first + user("b", `"a"`, "two")); fork != origin || origin == "" {
		t.Errorf("lineage %q, of its fork %q", origin, fork)
	}
	if other := lineage(headOf("z", "") + strings.Replace(first, "05Z", "06Z", 1)); other == origin {
		t.Errorf("another session has the lineage %q too", other)
	}
	root := t.TempDir()
	for id, more := range map[string]string{
		"a": `,"parentSession":"/s/2026-01-02T03-04-05-000Z_x.jsonl"`, "b": `,"branchedFrom":"C:\\my_s\\t_x.jsonl"`, "c": `,"parentSession":"/s/x.jsonl"`, "d": "",
	} {
		place(t, root, id+".jsonl", headOf(id, more)+first)
	}
	listed := entries(t, open(t, root))
	for id, want := range map[string]string{"a": "pi:x", "b": "pi:x", "c": "", "d": ""} {
		if got := listed["pi:"+id].CopiedFrom; got != want {
			t.Errorf("%s: copied from %q, want %q", id, got, want)
		}
	}
}

func TestBranches(t *testing.T) {
	label := `{"type":"label","id":"l","parentId":"a","label":"x"}` + "\n"
	_, r := shown(t, head+user("a", "null", "one")+label+user("b", `"a"`, "two")+user("c", `"b"`, "three")+user("d", `"b"`, "four")+user("e", `"a"`, "five"))
	if r.DroppedBranches != 2 {
		t.Errorf("%d branches, want 2: a label alone is none", r.DroppedBranches)
	}
	_, r = shown(t, strings.Replace(head, `"version":3`, `"version":4`, 1)+user("a", "null", "one"))
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "version 4") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestExpansions(t *testing.T) {
	for in, want := range map[string]string{
		"<file name=\"a\">\nsee </file> here\n</file>\ngo":                                    "go",
		"<file name=\"a\"></file><file name=\"b\">\n</file>":                                  "",
		"<file name=\"a\">\n1\n</file>\n<skill name=\"n\" location=\"l\">\nb\n</skill>\n\ngo": "/skill:n go",
		"what is <file name=\"a\">\n</file>?":                                                 "what is <file name=\"a\">\n</file>?",
	} {
		if got, _ := shown(t, head+user("a", "null", in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestRoots(t *testing.T) {
	for _, c := range []struct{ name, agent, sessions, want string }{
		{"default", "", "", "/h/.pi/agent"},
		{"agent", "/a", "", "/a"},
		{"home", "~/a", "~/s", "/h/s /h/a"},
		{"elsewhere", "", "/s", "/s /h/.pi/agent"},
		{"inside", "/a", "/a/sessions", "/a"},
		{"deeper inside", "/a", "/a/sessions/--w--", "/a"},
		{"beside", "/a", "/ab", "/ab /a"},
		{"too deep to be listed", "/a", "/a/x/y", "/a/x/y /a"},
	} {
		vars := map[string]string{"PI_CODING_AGENT_DIR": c.agent, "PI_CODING_AGENT_SESSION_DIR": c.sessions}
		got := pi.Format.Roots(store.Env{GOOS: "linux", Home: "/h", Getenv: func(k string) string { return vars[k] }})
		if s := filepath.ToSlash(strings.Join(got, " ")); s != c.want {
			t.Errorf("%s: roots %q, want %q", c.name, s, c.want)
		}
	}
}

// A directory of one's own holds session files without directories in between.
func TestFlatDirectory(t *testing.T) {
	root := t.TempDir()
	place(t, root, "t_x.jsonl", headOf("x", "")+user("a", "null", "one"))
	if listed := entries(t, open(t, root)); len(listed) != 1 || listed["pi:x"].ID == "" {
		t.Errorf("listed %v", listed)
	}
}
