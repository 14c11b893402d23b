package dshlog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/diskname"
)

func header(version int, id, extra string) string {
	return fmt.Sprintf(`{"type":"session","version":%d,"id":%q,"createdAt":1700000000000%s,"delegationDepth":0}`+"\n", version, id, extra)
}

func user(seq int, text string) string {
	return fmt.Sprintf(`{"type":"user/message","seq":%d,"time":1,"data":{"content":[{"type":"text","text":%q}],"source":{"kind":"user"}},"surfaceOp":"append"}`+"\n", seq, text)
}

func title(seq int, text string) string {
	return fmt.Sprintf(`{"type":"session/title","seq":%d,"time":1,"data":{"title":%q}}`+"\n", seq, text)
}

func write(t testing.TB, root, path, content string) string {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func ids(entries []store.Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.ID)
	}
	return out
}

func TestLayouts(t *testing.T) {
	root := t.TempDir()
	write(t, root, "cwd-0123456789ab/early.jsonl", header(0, "early", `,"cwd":"/a"`))
	write(t, root, "_no-cwd/nowhere.jsonl", header(0, "nowhere", ""))
	write(t, root, "_no-cwd/late/session.jsonl", header(0, "late", ""))
	write(t, root, "--a--/x~002Fy/session.v1.jsonl", header(1, "x/y", `,"cwd":"/a"`))
	write(t, root, "--a--/x~002Fy/session.lock", "")
	write(t, root, "--a--/x~002Fy/attachments/session.jsonl", "not a log")
	write(t, root, "--a--/not~an~id/session.jsonl", header(0, "not~an~id", ""))
	write(t, root, "--a--/empty/attachment.png", "")
	write(t, root, "--a--/notes.txt", "hello")
	write(t, root, ".dsh-toolkit", "mark")
	s := open(t, root)
	entries, errs := list(t, s)
	if got := ids(entries); !slices.Equal(got, []string{"early", "late", "nowhere", "x/y"}) || len(errs) > 0 {
		t.Errorf("listed %q, %v", got, errs)
	}
	for _, id := range []string{"early", "late", "nowhere", "x/y"} {
		if _, err := readID(t, s, id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{"", "no such", "empty", "not~an~id", ".", "..", "/", "\x00", strings.Repeat("long", 5000), "\xff"} {
		if refs, err := s.Lookup(ctx, id); err != nil || len(refs) > 0 {
			t.Errorf("Lookup(%.20q) = %v, %v, want none", id, refs, err)
		}
	}
}

func TestEntry(t *testing.T) {
	root := t.TempDir()
	path := write(t, root, "--a--/fork/session.v2.jsonl",
		header(2, "fork", `,"cwd":"/a","parentSession":"parent","isSeeded":true`)+user(0, "x")+title(1, "old")+title(2, "New <title>"))
	write(t, root, "--a--/child/session.jsonl", header(0, "child", `,"parentSession":"parent"`)+title(0, ""))
	s := open(t, root)
	entries, errs := list(t, s)
	if len(entries) != 2 || len(errs) > 0 {
		t.Fatal(entries, errs)
	}
	child, fork := entries[0], entries[1]
	if fork.CopiedFrom != "parent" || fork.Path != path || fork.CreatedAt != 1700000000000 || fork.Title != nil || *fork.Cwd != "/a" {
		t.Errorf("%+v", fork)
	}
	if child.CopiedFrom != "" || child.Cwd != nil {
		t.Errorf("%+v", child)
	}
	for e, want := range map[*store.Entry]string{&fork: `"New <title>"`, &child: `""`} {
		if got, err := s.Title(ctx, *e); err != nil || quoted(got) != want {
			t.Errorf("title of %s: %s, %v, want %s", e.ID, quoted(got), err, want)
		}
	}
}

// A title that is not of the log's own must not be shown: in a text, behind damage,
// in a torn tail.
func TestTitleIsTheFolds(t *testing.T) {
	root := t.TempDir()
	body := header(0, "x", "") + title(0, "right") + user(1, title(9, "in a text"))
	for name, rest := range map[string]string{
		"torn":   strings.TrimSuffix(title(2, "torn"), "\n"),
		"damage": "{bad\n" + title(2, "behind damage"),
		"fold":   `{"type":"user/message","seq":2,"surfaceOp":"append","sourceEventSeqs":[7]}` + "\n",
	} {
		path := write(t, root, "_no-cwd/x.jsonl", body+rest)
		got, err := open(t, root).Title(ctx, store.Entry{ID: "x", Path: path})
		if err != nil || quoted(got) != `"right"` {
			t.Errorf("%s: %s, %v", name, quoted(got), err)
		}
	}
}

func TestGenerations(t *testing.T) {
	root := t.TempDir()
	dir := "--a--/x/"
	for _, name := range []string{
		"session.jsonl", "session.v2.jsonl.zstd", "session.v3.jsonl", "session.v04.jsonl", "session.V4.jsonl", "session.v4.jsonl.tmp",
	} {
		write(t, root, dir+name, header(0, "x", ""))
	}
	s := open(t, root)
	newest := func() (out []string) {
		refs, err := s.Lookup(ctx, "x")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range refs {
			out = append(out, filepath.Base(r.Path))
		}
		slices.Sort(out)
		return out
	}
	if got := newest(); !slices.Equal(got, []string{"session.v3.jsonl"}) {
		t.Errorf("newest %q", got)
	}
	// Ten is more than nine.
	write(t, root, dir+"session.v9.jsonl", "whatever")
	write(t, root, dir+"session.v10.jsonl", "whatever")
	if got := newest(); !slices.Equal(got, []string{"session.v10.jsonl"}) {
		t.Errorf("newest %q", got)
	}
	_, err := readID(t, s, "x")
	if fault.KindOf(err) != fault.Unsupported || !strings.Contains(err.Error(), "session format 10 is newer than this tool reads (4)") {
		t.Errorf("error %v", err)
	}
	// A raw and a packed one of the same generation: which is it?
	write(t, root, dir+"session.v10.jsonl.zstd", "whatever")
	if got := newest(); len(got) != 2 {
		t.Errorf("newest %q, want both", got)
	}
	if _, err := (&store.Set{Stores: []store.Store{s}}).Find(ctx, "x"); fault.KindOf(err) != fault.Unreadable || strings.Count(err.Error(), "session.v10") != 2 {
		t.Errorf("error %v, want one that names both", err)
	}
}

func TestSameIDTwice(t *testing.T) {
	root := t.TempDir()
	a := write(t, root, "--a--/x/session.jsonl", header(0, "x", `,"cwd":"/a"`))
	b := write(t, root, "--b--/x/session.jsonl", header(0, "x", `,"cwd":"/b"`))
	s := open(t, root)
	_, err := (&store.Set{Stores: []store.Store{s}}).Find(ctx, "x")
	if fault.KindOf(err) != fault.Unreadable || !strings.Contains(err.Error(), fmt.Sprintf("%q", a)) || !strings.Contains(err.Error(), fmt.Sprintf("%q", b)) {
		t.Errorf("error %v, want one that names both", err)
	}
	if entries, errs := list(t, s); len(entries) != 2 || len(errs) > 0 {
		t.Errorf("listed %v, %v", entries, errs)
	}
}

func TestOtherID(t *testing.T) {
	root := t.TempDir()
	write(t, root, "--a--/x/session.jsonl", header(0, "y", ""))
	s := open(t, root)
	for _, err := range []error{
		func() error { _, err := readID(t, s, "x"); return err }(),
		func() error { _, errs := list(t, s); return errors.Join(errs...) }(),
	} {
		if fault.KindOf(err) != fault.Unreadable || !strings.Contains(err.Error(), `"y"`) || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("error %v", err)
		}
	}
	if refs, err := s.Lookup(ctx, "y"); err != nil || len(refs) > 0 {
		t.Errorf("Lookup by the header's id: %v, %v", refs, err)
	}
}

func TestLinks(t *testing.T) {
	base := t.TempDir()
	write(t, base, "real/--a--/x/session.jsonl", header(0, "x", ""))
	write(t, base, "real/cwd-0123456789ab/y.jsonl", header(0, "y", ""))
	write(t, base, "elsewhere/z/session.jsonl", header(0, "z", ""))
	for link, to := range map[string]string{
		"root": "real", "real/--alias--": "--a--", "real/--a--/loop": "..", "real/--out--": "../elsewhere",
		"real/--gone--": "/nonexistent", "real/loop": "loop", "real/--a--/self": ".", "real/--b--": "../real",
		"real/cwd-0123456789ab/w.jsonl": "y.jsonl",
	} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, filepath.Join(base, "root"))
	entries, errs := list(t, s)
	if got := ids(entries); !slices.Equal(got, []string{"x", "y", "z"}) {
		t.Errorf("listed %q", got)
	}
	var names []string
	for _, err := range errs {
		if fault.KindOf(err) != fault.Unreadable {
			t.Errorf("error %v", err)
		}
		names = append(names, err.Error())
	}
	if all := strings.Join(names, "\n"); len(errs) != 2 || !strings.Contains(all, "--gone--") || !strings.Contains(all, `/loop"`) {
		t.Errorf("errors %q, want the two links that lead nowhere", names)
	}
	for _, id := range []string{"x", "y", "z"} {
		if _, err := readID(t, s, id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// What cannot be read is one error each, and hides nothing else.
func TestUnreadable(t *testing.T) {
	root := t.TempDir()
	write(t, root, "--a--/good/session.jsonl", header(0, "good", ""))
	write(t, root, "--a--/torn/session.jsonl", header(0, "torn", "")[:20])
	write(t, root, "--a--/hollow/session.jsonl", "")
	write(t, root, "--a--/text/session.jsonl", "hello\n")
	write(t, root, "--a--/dir/session.jsonl/x", "")
	write(t, root, "--a--/bad/session.jsonl", header(0, "bad", `,"cwd":5`))
	s := open(t, root)
	entries, errs := list(t, s)
	if got := ids(entries); !slices.Equal(got, []string{"good"}) || len(errs) != 5 {
		t.Errorf("listed %q, %v", got, errs)
	}
	for _, err := range errs {
		if k := fault.KindOf(err); k != fault.Damaged && k != fault.Unreadable || !strings.Contains(err.Error(), "session.jsonl") {
			t.Errorf("error %v", err)
		}
	}
	for id, kind := range map[string]fault.Kind{"torn": fault.Damaged, "hollow": fault.Damaged, "text": fault.Damaged, "dir": fault.Unreadable, "bad": fault.Damaged} {
		if _, err := readID(t, s, id); fault.KindOf(err) != kind {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := dshlog.Open(filepath.Join(root, "--a--/good/session.jsonl"), environment(nil)); fault.KindOf(err) != fault.Unreadable {
		t.Errorf("opened a file as a root: %v", err)
	}
	if _, err := dshlog.Format.ReadFile(ctx, filepath.Join(root, "none"), store.ReadOptions{}); fault.KindOf(err) != fault.Unreadable {
		t.Errorf("read what is not there: %v", err)
	}
}

// Under the eyes of everybody but root, directories can be closed.
func TestClosedDirectory(t *testing.T) {
	root := t.TempDir()
	write(t, root, "--a--/good/session.jsonl", header(0, "good", ""))
	path := write(t, root, "--b--/x/session.jsonl", header(0, "x", ""))
	for _, closed := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		if err := os.Chmod(closed, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(closed, 0o755) })
	}
	s := open(t, root)
	entries, errs := list(t, s)
	if os.Geteuid() == 0 { // who may read everything
		if len(entries) != 2 || len(errs) > 0 {
			t.Errorf("listed %v, %v", ids(entries), errs)
		}
		return
	}
	if len(entries) != 1 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "--b--") {
		t.Errorf("listed %v, %v", ids(entries), errs)
	}
	if _, err := s.Lookup(ctx, "x"); fault.KindOf(err) != fault.Unreadable {
		t.Errorf("looked up behind a closed door: %v", err)
	}
}

func TestRoots(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		home string
		want []string
	}{
		{"plain", nil, "/h", []string{"/h/.dsh/sessions", "/h/.local/state/dsh-toolkit/sessions"}},
		{"own home", map[string]string{"DSH_HOME": "/d"}, "/h", []string{"/d/sessions", "/h/.local/state/dsh-toolkit/sessions"}},
		{"own state", map[string]string{"XDG_STATE_HOME": "/s"}, "/h", []string{"/h/.dsh/sessions", "/s/dsh-toolkit/sessions"}},
		{"relative state", map[string]string{"XDG_STATE_HOME": "s"}, "/h", []string{"/h/.dsh/sessions", "/h/.local/state/dsh-toolkit/sessions"}},
		{"no home", nil, "", nil},
	} {
		env := environment(c.env)
		env.Home = c.home
		if got := dshlog.Format.Roots(env); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRecognise(t *testing.T) {
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"x", header(0, "x", ""), true},
		{"x", header(9, "x", ""), true},
		{"x", `{"type":"session","version":0,"id":5,"createdAt":1,"delegationDepth":0}` + "\n", true},
		{"session.jsonl", `{"type":"session","version":3,"id":"x","timestamp":"2026","cwd":"/a"}` + "\n", false},
		{"session.jsonl", `{"type":"user","uuid":"x"}` + "\n", false},
		{"session.v4.jsonl", "", true},
		{"x.jsonl.zstd", "\x28\xb5\x2f\xfdxx", true},
		{"x.jsonl.zst", "\x28\xb5\x2f\xfdxx", false},
		{"x", "", false},
	} {
		if got := dshlog.Format.Recognise(c.name, []byte(c.head)); got != c.want {
			t.Errorf("%s, %.60q: %v", c.name, c.head, got)
		}
	}
}

func TestRangesAreWrittenOut(t *testing.T) {
	root := t.TempDir()
	log := header(1, "x", "") + user(0, "a") + user(1, "b") + user(2, "c") +
		`{"type":"user/message","sourceEventSeqs":[[0,1],2],"seq":3,"time":1,"data":{},"surfaceOp":{"op":"replace","start":0,"end":2}}` + "\n"
	write(t, root, "_no-cwd/x/session.v1.jsonl", log)
	r, err := readID(t, open(t, root), "x")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"user/message","sourceEventSeqs":[0,1,2],"seq":3,"time":1,"data":{},"surfaceOp":{"op":"replace","start":0,"end":2}}`
	if len(r.Surface.Events) != 1 || r.Surface.Events[0].JSON.JSON() != want || r.Surface.Events[0].SourceEventSeqs.Raw() != "[0,1,2]" {
		t.Errorf("got %s", r.Surface.AppendJSON(nil))
	}
	// Many events that each name everything before them.
	var b strings.Builder
	b.WriteString(header(1, "x", "") + user(0, "a"))
	for seq := 1; seq < 3000; seq++ {
		fmt.Fprintf(&b, `{"type":"user/message","seq":%d,"sourceEventSeqs":[[0,%d]],"surfaceOp":"append"}`+"\n", seq, seq-1)
	}
	write(t, root, "_no-cwd/x/session.v1.jsonl", b.String())
	_, err = readID(t, open(t, root), "x")
	var f *fault.Error
	if !errors.As(err, &f) || f.Rule != "sources-too-many" || f.Kind != fault.Damaged {
		t.Errorf("error %v", err)
	}
}

func TestBothLayoutsOfOneID(t *testing.T) {
	root := t.TempDir()
	id := "a/b"
	segment, _ := diskname.EncodeID(id)
	write(t, root, "_no-cwd/"+segment+".jsonl", header(0, id, ""))
	write(t, root, "_no-cwd/"+segment+"/session.jsonl", header(0, id, ""))
	refs, err := open(t, root).Lookup(context.Background(), id)
	if err != nil || len(refs) != 2 {
		t.Errorf("%v, %v, want both", refs, err)
	}
}
