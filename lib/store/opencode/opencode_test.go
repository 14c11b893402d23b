package opencode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/opencode"
)

const fixtures = "../../../testdata/fixtures/agents/opencode"

func env(vars map[string]string) store.Env {
	return store.Env{
		Getenv: func(k string) string { return vars[k] },
		Home:   vars["HOME"], GOOS: runtime.GOOS,
	}
}

func open(t testing.TB, root string) store.Store {
	t.Helper()
	st, err := opencode.Format.Open(root, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func read(t testing.TB, st store.Store, id string) *store.Reading {
	t.Helper()
	refs, err := st.Lookup(t.Context(), id)
	if err != nil || len(refs) != 1 {
		t.Fatalf("Lookup(%q) = %v, %v; want one place", id, refs, err)
	}
	r, err := st.Read(t.Context(), refs[0], store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func list(t testing.TB, st store.Store) []store.Entry {
	t.Helper()
	var out []store.Entry
	for e, err := range st.List(t.Context()) {
		if err != nil {
			t.Errorf("List: %v", err)
			continue
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b store.Entry) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// text is a surface as "role: text" lines, a checkpoint as "* text".
func text(s *session.Surface) string {
	var b strings.Builder
	for _, ev := range s.Events {
		m := session.MessageOf(ev)
		head := string(m.Role) + ": "
		if m.Checkpoint() {
			head = "* "
		}
		fmt.Fprintf(&b, "%s%s\n", head, session.Text(m.Content))
	}
	return b.String()
}

func optional(s *string) string {
	if s == nil {
		return "<none>"
	}
	return *s
}

func parseFile(t *testing.T, path string) jstext.Value {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return jstext.MustParse(jstext.Decode(data))
}

func wantOptional(v jstext.Value) string {
	if s, ok := v.Text(); ok {
		return s
	}
	return "<none>"
}

func TestFixtures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures, "*.expected.json"))
	if err != nil || len(files) < 17 {
		t.Fatalf("fixtures: %v, %v", files, err)
	}
	name := regexp.MustCompile(`^(storage|v\d)\.(\w+)\.expected\.json$`)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			m := name.FindStringSubmatch(filepath.Base(f))
			if m == nil {
				t.Fatalf("unknown name")
			}
			root := filepath.Join(fixtures, m[1])
			if m[1] != "storage" {
				root += ".db"
			}
			conformance.Golden(t, read(t, open(t, root), m[2]), f)
		})
	}
}

func TestFixtureLists(t *testing.T) {
	want := map[string]string{}
	for e := range parseFile(t, filepath.Join(fixtures, "v1.expected-list.json")).Elements() {
		id, _ := e.Get("sessionId").Text()
		want["opencode:"+id] = wantOptional(e.Get("cwd")) + " " + wantOptional(e.Get("title"))
	}
	for _, root := range []string{"v1.db", "storage", ""} {
		t.Run(root, func(t *testing.T) {
			got := map[string]string{}
			for _, e := range list(t, open(t, filepath.Join(fixtures, root))) {
				if _, twice := got[e.ID]; twice {
					t.Errorf("%s is listed twice", e.ID)
				}
				got[e.ID] = optional(e.Cwd) + " " + optional(e.Title)
				if e.CreatedAt != 1786000000000 || e.UpdatedAt != 1786000009000 || e.Kind != "opencode" {
					t.Errorf("%s: created %d, updated %d, kind %q", e.ID, e.CreatedAt, e.UpdatedAt, e.Kind)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("listed %v\nwant %v", got, want)
			}
		})
	}
}
