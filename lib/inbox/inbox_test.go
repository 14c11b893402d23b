package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

var ctx = context.Background()

var start = time.UnixMilli(1_700_000_000_000)

// open opens an inbox in a new place, with a clock that stands still.
func open(t testing.TB) (*inbox.Inbox, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state", "inbox")
	return openAt(t, dir), dir
}

func openAt(t testing.TB, dir string) *inbox.Inbox {
	t.Helper()
	box, err := inbox.Open(dir, inbox.Options{Now: func() time.Time { return start }, Keep: 20})
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func text(s string) jstext.Value {
	return jstext.MustParse(`[{"type":"text","text":` + jstext.Quote(s) + `}]`)
}

func send(t testing.TB, box *inbox.Inbox, d inbox.Draft) inbox.Record {
	t.Helper()
	if d.To == "" {
		d.To = "t"
	}
	if !d.Content.Exists() {
		d.Content = text("hello")
	}
	r, err := box.Enqueue(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func list(t testing.TB, box *inbox.Inbox) []inbox.Record {
	t.Helper()
	rs, err := box.List(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// ids is "id:state" of each record.
func ids(rs []inbox.Record) string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = r.ID + ":" + string(r.State)
	}
	return strings.Join(out, " ")
}

func wantList(t testing.TB, box *inbox.Inbox, want string) {
	t.Helper()
	if got := ids(list(t, box)); got != want {
		t.Errorf("the queue is %q, want %q", got, want)
	}
}

func rule(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return ""
	}
	return f.Rule
}

func TestEnqueue(t *testing.T) {
	box, dir := open(t)
	r := send(t, box, inbox.Draft{ID: "a/b", Content: jstext.MustParse(` [ {"text":"\ud800\u0041é<","type":"text", "n":1.0} ] `)})
	const want = `{"id":"a/b","to":"t","kind":"send","seq":0,"content":[{"text":"\ud800Aé<","type":"text","n":1}],"source":{"kind":"user"},"contexts":[]}`
	if got := string(r.AppendJSON(nil)); got != want {
		t.Errorf("record:\n got %s\nwant %s", got, want)
	}
	if r.Time != start.UnixMilli() || r.State != inbox.Waiting {
		t.Errorf("time %d, state %q", r.Time, r.State)
	}
	files, err := filepath.Glob(filepath.Join(dir, "t", "new", "0000000000000000.send.*.0.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files in new: %q, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	const wantFile = `{"id":"a/b","to":"t","kind":"send","content":[{"text":"\ud800Aé<","type":"text","n":1}],"source":{"kind":"user"},"contexts":[],"time":1700000000000}` + "\n"
	if string(b) != wantFile {
		t.Errorf("file:\n got %s\nwant %s", b, wantFile)
	}
}

func TestInjectPrintsMeta(t *testing.T) {
	box, _ := open(t)
	source := jstext.MustParse(`{"kind":"plugin","plugin":"clock"}`)
	for meta, want := range map[string]string{
		`{"b":1,"a":[]}`: `,"meta":{"b":1,"a":[]}}`,
		`null`:           `,"meta":null}`,
		``:               `"plugin":"clock"}}`,
	} {
		d := inbox.Draft{Kind: inbox.Inject, Source: source}
		if meta != "" {
			d.Meta = jstext.MustParse(meta)
		}
		got := string(send(t, box, d).AppendJSON(nil))
		if !strings.HasSuffix(got, want) || strings.Contains(got, "contexts") {
			t.Errorf("meta %s: %s", meta, got)
		}
		r := list(t, box)
		if again := string(r[len(r)-1].AppendJSON(nil)); again != got {
			t.Errorf("listed:\n got %s\nwant %s", again, got)
		}
	}
}

// Every file is the owner's alone, whatever the umask.
func TestModes(t *testing.T) {
	box, dir := open(t)
	send(t, box, inbox.Draft{})
	d, err := box.Drive(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	seen := 0
	err = filepath.WalkDir(filepath.Dir(dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		seen++
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = fs.ModeDir | 0o700
		}
		if info.Mode() != want {
			t.Errorf("%s: mode %v, want %v", path, info.Mode(), want)
		}
		return nil
	})
	if err != nil || seen < 10 {
		t.Errorf("walked over %d files: %v", seen, err)
	}
}

func TestTargets(t *testing.T) {
	box, dir := open(t)
	long := strings.Repeat("x/é", 4000)
	targets := []string{
		"plain", "Plain", ".", "..", "a/b", "a\\b", "\n\x00", "\xed\xa0\x80", "é", "~", "~~",
		long, long + "x", strings.Repeat("a", 200), strings.Repeat("a", 201), "new", "lock", strings.Repeat("\u2028", 90),
	}
	for i, to := range targets {
		r := send(t, box, inbox.Draft{To: to, ID: fmt.Sprint(i)})
		if r.Seq != 0 {
			t.Errorf("%.40q shares its queue with another", to)
		}
	}
	for i, to := range targets {
		rs, err := box.List(ctx, to)
		if err != nil || len(rs) != 1 || rs[0].To != to || rs[0].ID != fmt.Sprint(i) {
			t.Errorf("List(%.40q) = %v, %v", to, rs, err)
		}
	}
	dirs, err := os.ReadDir(dir)
	if err != nil || len(dirs) != len(targets) {
		t.Errorf("%d directories, want %d: %v", len(dirs), len(targets), err)
	}
}

func TestBadTargets(t *testing.T) {
	box, dir := open(t)
	for _, to := range []string{"", "\xff", "a\xed\xa0\x80\xed\xb0\x80"} {
		if _, err := box.Enqueue(ctx, inbox.Draft{To: to, Content: text("x")}); rule(err) != inbox.RuleMalformed {
			t.Errorf("Enqueue to %q: %v", to, err)
		}
		if _, err := box.List(ctx, to); rule(err) != inbox.RuleMalformed {
			t.Errorf("List(%q): %v", to, err)
		}
		if _, err := box.Drive(ctx, to); rule(err) != inbox.RuleMalformed {
			t.Errorf("Drive(%q): %v", to, err)
		}
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
}

func TestOpenRelative(t *testing.T) {
	for _, dir := range []string{"", "inbox", "./x"} {
		if _, err := inbox.Open(dir, inbox.Options{Now: time.Now}); fault.KindOf(err) != fault.Usage {
			t.Errorf("Open(%q): %v", dir, err)
		}
	}
}

// The clock plays no part in the order.
func TestClockGoesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "inbox")
	now := start
	box, err := inbox.Open(dir, inbox.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 10 {
		id := fmt.Sprint(i)
		send(t, box, inbox.Draft{ID: id})
		want = append(want, id+":waiting")
		now = now.Add(-24 * time.Hour)
	}
	wantList(t, box, strings.Join(want, " "))
	d, err := box.Drive(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i := range 10 {
		c, err := d.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if c.Record.ID != fmt.Sprint(i) || c.Record.Time != start.Add(time.Duration(-i)*24*time.Hour).UnixMilli() {
			t.Errorf("record %d is %q of %d", i, c.Record.ID, c.Record.Time)
		}
		if err := c.Done(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSameID(t *testing.T) {
	box, _ := open(t)
	draft := inbox.Draft{ID: "k", Content: jstext.MustParse(`[{"type":"text","text":"x","a":1}]`)}
	other := draft
	other.Content = text("y")
	first := send(t, box, draft)

	check := func(state inbox.State) {
		t.Helper()
		// The same message in another spelling.
		again := draft
		again.Content = jstext.MustParse(`[ {"a":1.0, "text":"\u0078", "type":"text"} ]`)
		r := send(t, box, again)
		if r.Seq != first.Seq || r.State != state || string(r.AppendJSON(nil)) != string(first.AppendJSON(nil)) {
			t.Errorf("%s: got %q %s", state, r.State, r.AppendJSON(nil))
		}
		for name, d := range map[string]inbox.Draft{
			"content": other,
			"kind":    {ID: "k", Kind: inbox.Steer, Content: draft.Content},
			"source":  {ID: "k", Source: jstext.MustParse(`{"kind":"x"}`), Content: draft.Content},
			"context": {ID: "k", Content: draft.Content, Contexts: jstext.MustParse(`[{"content":[],"source":{"kind":"x"}}]`)},
		} {
			d.To = "t"
			if _, err := box.Enqueue(ctx, d); rule(err) != inbox.RuleConflict || fault.KindOf(err) != fault.Usage {
				t.Errorf("%s, another %s: %v", state, name, err)
			}
		}
	}
	check(inbox.Waiting)
	d, err := box.Drive(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := d.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	check(inbox.Claimed)
	if err := c.Done(); err != nil {
		t.Fatal(err)
	}
	check(inbox.Done)
	wantList(t, box, "")

	// A cancelled message does not come back because somebody sends it again.
	send(t, box, inbox.Draft{ID: "c"})
	if _, err := box.Cancel(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	if r := send(t, box, inbox.Draft{ID: "c"}); r.State != inbox.Dropped {
		t.Errorf("cancelled, then sent again: %q", r.State)
	}
	wantList(t, box, "")
}

// An id is forgotten when Keep others have been finished after it, and only then.
func TestKeep(t *testing.T) {
	box, dir := open(t) // keeps 20
	d, err := box.Drive(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	finish := func(id string) {
		t.Helper()
		send(t, box, inbox.Draft{ID: id})
		c, err := d.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Done(); err != nil {
			t.Fatal(err)
		}
	}
	finish("first")
	for i := range 19 {
		finish(fmt.Sprint(i))
	}
	if r := send(t, box, inbox.Draft{ID: "first"}); r.State != inbox.Done {
		t.Errorf("after 19 others: %q", r.State)
	}
	finish("last")
	if r := send(t, box, inbox.Draft{ID: "first"}); r.State != inbox.Waiting || r.Seq != 21 {
		t.Errorf("after 20 others: %q, seq %d", r.State, r.Seq)
	}
	files, err := os.ReadDir(filepath.Join(dir, "t", "done"))
	if err != nil || len(files) != 20 {
		t.Errorf("%d files kept: %v", len(files), err)
	}
}

// Many writers with one id make one record; with many ids, one line without gaps.
func TestConcurrentWriters(t *testing.T) {
	box, dir := open(t)
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			own, err := inbox.Open(dir, inbox.Options{Now: time.Now})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				for _, id := range []string{fmt.Sprintf("%d-%02d", w, i), fmt.Sprintf("all-%02d", i)} {
					if _, err := own.Enqueue(ctx, inbox.Draft{To: "t", ID: id, Content: text(id[len(id)-2:])}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	rs := list(t, box)
	if len(rs) != (writers+1)*each {
		t.Errorf("%d records, want %d", len(rs), (writers+1)*each)
	}
	last := make(map[string]string)
	for i, r := range rs {
		if r.Seq != int64(i) {
			t.Errorf("record %d has seq %d", i, r.Seq)
		}
		w, n, _ := strings.Cut(r.ID, "-")
		if n <= last[w] && last[w] != "" {
			t.Errorf("writer %s: %s after %s", w, n, last[w])
		}
		last[w] = n
	}
}

func TestListDamaged(t *testing.T) {
	box, dir := open(t)
	for _, id := range []string{"a", "b", "c"} {
		send(t, box, inbox.Draft{ID: id})
	}
	files, err := filepath.Glob(filepath.Join(dir, "t", "new", "*"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	slices.Sort(files)
	whole, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"empty": "", "cut": string(whole[:len(whole)-3]), "zeros": strings.Repeat("\x00", 80),
		"another id": strings.Replace(string(whole), `"b"`, `"x"`, 1), "another target": strings.Replace(string(whole), `"to":"t"`, `"to":"u"`, 1),
		"another kind": strings.Replace(string(whole), `"kind":"send"`, `"kind":"steer"`, 1), "no content": strings.Replace(string(whole), `"content"`, `"contents"`, 1),
		"not UTF-8": strings.Replace(string(whole), `hello`, "\xff", 1), "an array": "[]",
	} {
		if content == string(whole) {
			t.Fatalf("%s changes nothing", name)
		}
		if err := os.WriteFile(files[1], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		rs, err := box.List(ctx, "t")
		if got := ids(rs); got != "a:waiting c:waiting" || fault.KindOf(err) != fault.Damaged || !strings.Contains(fmt.Sprint(err), files[1]) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	// It stops the driver when it is its turn, not before, until it is cancelled.
	d, err := box.Drive(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if c, err := d.Next(ctx); err != nil || c.Record.ID != "a" {
		t.Fatalf("first: %v, %v", c, err)
	}
	for range 2 {
		if c, err := d.Next(ctx); rule(err) != inbox.RuleDamaged {
			t.Fatalf("second: %v, %v", c, err)
		}
	}
	if got, err := box.Cancel(ctx, "t"); err != nil || ids(got.Dropped) != "c:dropped" || ids(got.Aborting) != "a:claimed" {
		t.Errorf("Cancel = %q, %q, %v", ids(got.Dropped), ids(got.Aborting), err)
	}
	if c, err := d.TryNext(ctx); c != nil || err != nil {
		t.Errorf("in the end: %v, %v", c, err)
	}
}

// Names that are not ours are nobody's business.
func TestForeignFiles(t *testing.T) {
	box, dir := open(t)
	send(t, box, inbox.Draft{ID: "a"})
	const key = "0123456789abcdef0123456789abcdef"
	for _, name := range []string{
		".hidden", "README", "1.send." + key + ".0.json", "0000000000000009.post." + key + ".0.json",
		"0000000000000009.send." + strings.ToUpper(key) + ".0.json", "0000000000000009.send." + key + ".00.json",
		"0000000000000009.send." + key + ".0.json.tmp", "0000000000000009.send." + key + ".0.dropped.json",
		"9999999999999999.send." + key + ".0.json", "-000000000000009.send." + key + ".0.json", "0000000000000009.send." + key + ".+1.json",
	} {
		if err := os.WriteFile(filepath.Join(dir, "t", "new", name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantList(t, box, "a:waiting")
	if r := send(t, box, inbox.Draft{ID: "b"}); r.Seq != 1 {
		t.Errorf("seq %d", r.Seq)
	}
}
