package codex_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/codex"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

// rollout is the path of a thread's rollout below a home, hh being the hour.
func rollout(hh, thread string) string {
	return "sessions/2026/08/02/rollout-2026-08-02T" + hh + "-00-00-" + thread + ".jsonl"
}

func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

func storeOf(t testing.TB, files map[string]string) store.Store {
	t.Helper()
	return conformance.StoreOf(t, codex.Format, files)
}

func name(thread, s string) string {
	return event(fmt.Sprintf(`{"type":"thread_name_updated","thread_id":"%s","thread_name":"%s"}`, thread, s))
}

func filler(n int) string {
	l := line("world_state", `{"x":"`+strings.Repeat("f", 1000)+`"}`)
	return strings.Repeat(l+"\n", n/len(l)) + l
}

func TestListTitles(t *testing.T) {
	const one = "019a0000-0000-7000-8000-000000000001"
	index := func(s string) string { return `{"id":"` + one + `","thread_name":"` + s + `"}` + "\n" }
	long := strings.Repeat("b", 100_000)
	block := frame.Write(frame.InPrompt, [][]byte{[]byte(`{"sessionId":"x","label":"x","cwd":null,"capturedThroughSeq":1,"conversation":[]}`)})
	for _, c := range []struct {
		name, index string
		lines       []string
		want        string // empty: not listed; "-": listed without
	}{
		{"index over log", index("A") + index("B"), []string{metaOf(one), usr("p"), name(one, "C")}, "B"},
		{"log", "", []string{metaOf(one), usr("p"), name(one, "A"), name(one, "B")}, "B"},
		{"an ancestor's name", "", []string{metaOf(one), usr("p"), name("other", "A")}, "p"},
		{"torn index", index("A") + `{"id":"` + one, []string{metaOf(one), usr("p")}, "A"},
		{"name behind the head", "", []string{metaOf(one), usr("p"), filler(100_000), name(one, "A")}, "A"},
		{"first real prompt", "", []string{metaOf(one), usr("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS></INSTRUCTIONS>"), usr("real\n one"), usr("two")}, "real one"},
		{"the ide's request", "", []string{metaOf(one), usr("# Context from my IDE setup:\n\n## My request for Codex:\ngo")}, "go"},
		{"events only", "", []string{metaOf(one), event(`{"type":"user_message","message":"p"}`)}, "p"},
		{"a long first line", "", []string{metaOf(one, `"base_instructions":{"text":"`+long+`"}`), usr("p")}, "p"},
		{"long instructions before it", "", []string{metaOf(one), usr("<user_instructions>" + long + "</user_instructions>"), usr("p")}, "p"},
		{"far behind", "", []string{metaOf(one), filler(5 << 20), usr("p")}, "-"},
		{"a frame before it", "", []string{metaOf(one), usr(block + frame.RequestHeading + "go")}, "go"},
		{"a frame alone", "", []string{metaOf(one), usr(block)}, "-"},
		{"a frame alone first", "", []string{metaOf(one), usr(block), usr("go")}, "go"},
		{"nothing said", "", []string{metaOf(one), usr("<environment_context></environment_context>")}, ""},
		{"empty", "", nil, ""},
	} {
		content := ""
		if c.lines != nil {
			content = lines(c.lines...)
		}
		files := map[string]string{rollout("10", one): content}
		if c.index != "" {
			files["session_index.jsonl"] = c.index
		}
		entries, errs := conformance.ListAll(storeOf(t, files))
		got := ""
		if len(entries) == 1 {
			got = "-"
			if entries[0].Title != nil {
				got = *entries[0].Title
			}
		}
		if got != c.want || len(errs) > 0 {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, errs, c.want)
		}
	}
}

func TestListFiles(t *testing.T) {
	said := func(id string, extra ...string) string { return lines(metaOf(id, extra...), usr("p of "+id)) }
	st := storeOf(t, map[string]string{
		rollout("01", uuid(1)):             said(uuid(1)),
		rollout("02", uuid(2)):             said(uuid(2), `"source":{"subagent":"review"}`),
		rollout("03", uuid(3)):             said(uuid(3), `"thread_source":"guardian_review"`),
		rollout("04", uuid(4)):             said(uuid(4), `"parent_thread_id":"`+uuid(1)+`"`),
		rollout("05", uuid(5)):             said(uuid(5), `"source":{"custom":"atlas"}`),
		rollout("06", uuid(6)):             said(uuid(6), `"source":"exec"`, `"forked_from_id":"`+uuid(1)+`"`),
		rollout("07", uuid(7)):             "not a line of Codex\n" + said(uuid(7)),
		rollout("08", uuid(8)):             said(uuid(8)),
		rollout("09", uuid(8)+"_"+uuid(9)): lines(metaOf(uuid(8)), usr("reverted")),
		rollout("10", uuid(10)) + ".zst":   pack(t, said(uuid(10))),
		"archived_sessions/rollout-2026-07-01T10-00-00-" + uuid(11) + ".jsonl": said(uuid(11)),
		"archived_sessions/rollout-2026-08-02T01-00-00-" + uuid(1) + ".jsonl":  said(uuid(1)), // just being moved
		rollout("12", uuid(12)):           "", // just being unpacked
		rollout("12", uuid(12)) + ".zst":  pack(t, said(uuid(12))),
		"history.jsonl":                   `{"text":"typed"}` + "\n",
		"sessions/2026/08/02/notes.jsonl": said(uuid(13)),
		// Names that somebody else gave.
		"sessions/2026/08/02/rollout-kept.jsonl": said(uuid(14)),
		"sessions/2026/08/02/rollout-copy.jsonl": said(uuid(5)),
	})
	entries, errs := conformance.ListAll(st)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s %s archived %v from %q", strings.TrimPrefix(e.ID, "codex:019a0000-0000-7000-8000-0000000000"), *e.Title, e.Archived, e.CopiedFrom))
	}
	slices.Sort(got)
	want := []string{
		"01 p of " + uuid(1) + ` archived false from ""`, "05 p of " + uuid(5) + ` archived false from ""`,
		"06 p of " + uuid(6) + ` archived false from "codex:` + uuid(1) + `"`, "07 p of " + uuid(7) + ` archived false from ""`, `08 reverted archived false from ""`,
		"10 p of " + uuid(10) + ` archived false from ""`, "11 p of " + uuid(11) + ` archived true from ""`, "12 p of " + uuid(12) + ` archived false from ""`,
		"14 p of " + uuid(14) + ` archived false from ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(errs) > 0 {
		t.Errorf("errors %v", errs)
	}
	for _, e := range entries {
		refs, err := st.Lookup(context.Background(), strings.TrimPrefix(e.ID, "codex:"))
		if err != nil || len(refs) != 1 || refs[0].Path != e.Path || refs[0].ID != e.ID {
			t.Errorf("looked up %q: got %v, %v; want %q", e.ID, refs, err, e.Path)
		}
	}
	// What is not listed can be read when it is named.
	if refs, err := st.Lookup(context.Background(), uuid(2)); err != nil || len(refs) != 1 {
		t.Errorf("a subagent's thread: %v, %v", refs, err)
	}
}

// A title that the index gives is the reading's, through the store and for the file
// alone.
func TestIndexTitle(t *testing.T) {
	st := storeOf(t, map[string]string{
		rollout("10", uuid(1)): lines(metaOf(uuid(1)), usr("p")),
		"session_index.jsonl":  `{"id":"` + uuid(1) + `","thread_name":"Named"}` + "\n",
	})
	path := filepath.Join(st.Root(), rollout("10", uuid(1)))
	part := conformance.Open(t, codex.Format, filepath.Join(st.Root(), "sessions"))
	for name, r := range map[string]*store.Reading{"store": readID(t, st, uuid(1)), "a part of it": readID(t, part, uuid(1)), "file": readFile(t, path)} {
		if r.Surface.Title == nil || *r.Surface.Title != "Named" {
			t.Errorf("%s: title %v", name, r.Surface.Title)
		}
	}
	if entries, _ := conformance.ListAll(part); len(entries) != 1 || *entries[0].Title != "Named" {
		t.Errorf("listed %+v", entries)
	}
}

func readID(t testing.TB, st store.Store, id string) *store.Reading {
	t.Helper()
	refs, err := st.Lookup(context.Background(), id)
	if err != nil || len(refs) != 1 {
		t.Fatalf("looked up %q: %v, %v", id, refs, err)
	}
	r, err := st.Read(context.Background(), refs[0], store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ordered is lines with ordinals, as paginated rollouts have them.
func ordered(from int, l ...string) string {
	for i := range l {
		l[i] = fmt.Sprintf(`{"ordinal":%d,`, from+i) + l[i][1:]
	}
	return lines(l...)
}

func TestForks(t *testing.T) {
	root := ordered(0, metaOf(uuid(1), `"history_mode":"paginated"`), usr("one"), ans("1"), usr("two"), ans("2"), compacted(fixed+"LATER", item("user", fixed+"LATER")), usr("after the fork"))
	base := func(thread string, ordinal int) string {
		return fmt.Sprintf(`"history_base":{"thread_id":"%s","end_ordinal_exclusive":%d}`, thread, ordinal)
	}
	byOffset := fmt.Sprintf(`"history_base":{"thread_id":"%s","end_byte_offset":%d}`, uuid(1), strings.Index(root, `{"ordinal":3`))
	files := map[string]string{
		rollout("01", uuid(1)): root,
		rollout("02", uuid(2)): lines(metaOf(uuid(2), base(uuid(1), 5)), usr("three"), ans("3")),
		rollout("03", uuid(3)): lines(metaOf(uuid(3), base(uuid(2), 99)), back(2), usr("four")), // over both files' turns
		rollout("04", uuid(4)): lines(metaOf(uuid(4), byOffset), usr("three")),
		rollout("05", uuid(5)): lines(metaOf(uuid(5), base(uuid(77), 5)), usr("alone")),
		rollout("06", uuid(6)): lines(metaOf(uuid(6), base(uuid(6), 5)), usr("its own ancestor")),
		rollout("07", uuid(7)): lines(metaOf(uuid(7), base(uuid(8), 5)), usr("in a circle")),
		rollout("08", uuid(8)): lines(metaOf(uuid(8), base(uuid(7), 5)), usr("the other")),
		// A revert: a second rollout of the same thread, which begins with the first.
		rollout("09", uuid(9)):              ordered(0, metaOf(uuid(9)), usr("kept"), ans("k"), usr("reverted")),
		rollout("10", uuid(9)+"_"+uuid(10)): lines(metaOf(uuid(9), base(uuid(9), 3)), usr("instead")),
		// Before 0.154 a fork was a whole copy, with its ancestor's lines.
		rollout("11", uuid(11)): lines(metaOf(uuid(11), `"forked_from_id":"`+uuid(1)+`"`), metaOf(uuid(1)), usr("one"), name(uuid(1), "ANCESTOR"), ans("1"), usr("mine")),
		// A subagent starts with a copy of its parent's history.
		rollout("12", uuid(12)): ordered(0, metaOf(uuid(12), `"subagent_history_start_ordinal":3`), usr("parent's"), ans("p"), usr("task"), ans("done")),
	}
	files[rollout("13", uuid(13))+".zst"] = pack(t, root)
	files[rollout("14", uuid(14))] = lines(metaOf(uuid(14), base(uuid(13), 3)), usr("of a packed one"))
	st := storeOf(t, files)
	for _, c := range []struct {
		n       int
		notes   int
		lineage int
		want    []string
	}{
		{1, 0, 1, []string{"summary: LATER", "user: after the fork"}},
		{2, 0, 1, []string{"user: one", "assistant: 1", "user: two", "assistant: 2", "user: three", "assistant: 3"}},
		{3, 0, 1, []string{"user: one", "assistant: 1", "user: four"}},
		{4, 0, 1, []string{"user: one", "assistant: 1", "user: three"}},
		{5, 1, 5, []string{"user: alone"}},
		{6, 1, 6, []string{"user: its own ancestor"}},
		{7, 1, 8, []string{"user: the other", "user: in a circle"}},
		{9, 0, 9, []string{"user: kept", "assistant: k", "user: instead"}},
		{11, 0, 1, []string{"user: one", "assistant: 1", "user: mine"}},
		{12, 0, 12, []string{"user: task", "assistant: done"}},
		{14, 0, 1, []string{"user: one", "assistant: 1", "user: of a packed one"}},
	} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			r := readID(t, st, uuid(c.n))
			conformance.Said(t, r, c.want...)
			if len(r.Receipt.Notes) != c.notes || r.Receipt.SessionID != "codex:"+uuid(c.n) {
				t.Errorf("receipt %+v", r.Receipt)
			}
			if want := "codex:" + uuid(c.lineage); r.Receipt.Lineage != want {
				t.Errorf("lineage %q, want %q", r.Receipt.Lineage, want)
			}
			if r.Surface.Title != nil {
				t.Errorf("title %q", *r.Surface.Title)
			}
		})
	}
}

func TestRoots(t *testing.T) {
	for _, c := range []struct {
		vars       map[string]string
		home, goos string
		want       string
	}{
		{nil, "/home/x", "linux", "[/home/x/.codex]"},
		{nil, "/Users/x", "darwin", "[/Users/x/.codex]"},
		{nil, "/c/x", "windows", "[/c/x/.codex]"},
		{map[string]string{"CODEX_HOME": "/cfg"}, "/home/x", "linux", "[/cfg]"},
		{nil, "", "linux", "[]"},
	} {
		env := store.Env{Getenv: func(k string) string { return c.vars[k] }, Home: c.home, GOOS: c.goos}
		if got := fmt.Sprint(codex.Format.Roots(env)); got != c.want {
			t.Errorf("%v, home %q on %s: got %s, want %s", c.vars, c.home, c.goos, got, c.want)
		}
	}
}

// noise is a line of n bytes that packs badly, so that a packed head holds a part
// of it only.
func noise(n int) string {
	var b strings.Builder
	for sum := [32]byte{}; b.Len() < n; {
		sum = sha256.Sum256(sum[:])
		fmt.Fprintf(&b, "%x", sum)
	}
	return line("world_state", `"`+b.String()+`"`)
}

func TestRecognise(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		want bool
	}{
		"wrapped":          {lines(meta, usr("x")), true},
		"packed":           {pack(t, lines(meta, usr("x"))), true},
		"packed, cut":      {pack(t, lines(meta, strings.Repeat(noise(1000)+"\n", 300))) + "cut", true},
		"bare":             {`{"id":"a","timestamp":"t","instructions":null}` + "\n", true},
		"a long line":      {meta[:len(meta)-2] + `,"base_instructions":"` + strings.Repeat("x", 64<<10), true},
		"another packed":   {pack(t, `{"type":"session","version":3,"id":"x"}`+"\n"), false},
		"id and time only": {`{"id":"a","timestamp":"t"}` + "\n", false},
		"gemini":           {`{"sessionId":"a","projectHash":"b"}` + "\n" + `{"id":"c","timestamp":"t","type":"user"}` + "\n", false},
	} {
		if got := codex.Format.Recognise("x", []byte(c.head[:min(len(c.head), 64<<10)])); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	dense := []byte(pack(t, lines(meta, noise(300_000)))[:64<<10])
	if !codex.Format.Recognise("rollout-x.jsonl.zst", dense) || codex.Format.Recognise("session.jsonl.zst", dense) {
		t.Error("a packed file whose first block is cut is not recognised by its name alone")
	}
}
