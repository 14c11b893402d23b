package opencode_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/opencode"
)

// Upgrades leave the older generations where they were, and stop half way.
func TestUnionOfGenerations(t *testing.T) {
	dir := t.TempDir()
	storage := filepath.Join(dir, "storage")
	for _, id := range []string{"json", "v1", "v2", "half1"} {
		record(t, storage, id, `,"title":"`+id+` in files"`)
		inFiles(t, storage, id, []msg{user("m1", 1, "from files")})
	}
	var rows []string
	rows = append(rows, tablesV1, tablesV2,
		sessionV1("v1", "v1 in v1", 3000), sessionV1("v2", "v2 in v1", 9000), sessionV1("half1", "half1 in v1", 2000), sessionV1("half2", "half2 in v1", 3000))
	rows = append(rows, inSQL("v1", []msg{user("a1", 1, "from v1")})...)
	rows = append(rows, inSQL("v2", []msg{user("b1", 1, "from v1")})...)
	rows = append(rows, inSQL("half2", []msg{user("c1", 1, "from v1")})...)
	rows = append(rows, sessionV2("v2", "v2 in v2", 4000), sessionV2("half2", "half2 in v2", 4000),
		`insert into session_message values ('d1','v2','user',0,1,1,'{"text":"from v2"}')`)
	makeDB(t, filepath.Join(dir, "opencode.db"), rows...)
	makeDB(t, filepath.Join(dir, "opencode-local.db"), append([]string{
		tablesV1, sessionV1("v1", "v1 in another channel, older", 2000), sessionV1("local", "only here", 1000),
	}, inSQL("v1", []msg{user("e1", 1, "older")})...)...)
	writeFile(t, filepath.Join(dir, "opencode.db.bak"), "not a database")

	st := open(t, dir)
	want := map[string][2]string{
		"json": {"json in files", "from files"}, "v1": {"v1 in v1", "from v1"}, "v2": {"v2 in v2", "from v2"},
		"half1": {"half1 in v1", "from files"}, "half2": {"half2 in v2", "from v1"}, "local": {"only here", ""},
	}
	entries := list(t, st)
	if len(entries) != len(want) {
		t.Errorf("%d entries, want %d: %v", len(entries), len(want), entries)
	}
	for _, e := range entries {
		id := strings.TrimPrefix(e.ID, "opencode:")
		w := want[id]
		if optional(e.Title) != w[0] {
			t.Errorf("%s: title %q, want %q", id, optional(e.Title), w[0])
		}
		r := read(t, st, id)
		got := strings.TrimSpace(strings.TrimPrefix(text(r.Surface), "user: "))
		if got != w[1] {
			t.Errorf("%s: conversation %q, want %q", id, got, w[1])
		}
		if half := strings.HasPrefix(id, "half"); half != (len(r.Receipt.Notes) == 1) {
			t.Errorf("%s: notes %q", id, r.Receipt.Notes)
		}
	}
}

// Of an upgrade that stopped half way the files have the rest, message by message. A
// database that was written since knows what is gone.
func TestUnionOfMessages(t *testing.T) {
	all := []msg{user("m1", 1, "one", "more"), assistant("m2", 2, "", "two"), user("m3", 3, "three"), assistant("m4", 4, "", "four")}
	first := all[0]
	first.parts = first.parts[:1]
	bare := func(m msg) msg { m.parts = nil; return m }
	changed := user("m1", 1, "one in the database", "more")
	for _, c := range []struct {
		name    string
		updated int
		revert  string
		rows    []msg
		want    string
		damaged int64
		notes   int
	}{
		{name: "whole", updated: 2000, rows: all, want: "user: one\n\nmore\nassistant: two\nuser: three\nassistant: four\n"},
		{name: "no parts", updated: 2000, rows: []msg{bare(all[0]), bare(all[1]), bare(all[2]), bare(all[3])}, want: "user: one\n\nmore\nassistant: two\nuser: three\nassistant: four\n", notes: 1},
		{name: "the first message, in part", updated: 2000, rows: []msg{first}, want: "user: one\n\nmore\nassistant: two\nuser: three\nassistant: four\n", notes: 1},
		{name: "what both have", updated: 2000, rows: []msg{changed, all[1]}, want: "user: one in the database\n\nmore\nassistant: two\nuser: three\nassistant: four\n", notes: 1},
		{name: "a pending revert", updated: 2000, revert: `{"messageID":"m3"}`, rows: []msg{bare(all[0])}, want: "user: one\n\nmore\nassistant: two\n", notes: 2},
		{name: "messages deleted since", updated: 2001, rows: all[:2], want: "user: one\n\nmore\nassistant: two\n"},
		{name: "all deleted since", updated: 2001, want: ""},
		{name: "written since, and parts are lost", updated: 2001, rows: []msg{all[0], bare(all[1])}, want: "user: one\n\nmore\n", damaged: 1, notes: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			storage := filepath.Join(dir, "storage")
			record(t, storage, "s", "")
			inFiles(t, storage, "s", all)
			rows := append([]string{tablesV1, sessionV1("s", "T", c.updated)}, inSQL("s", c.rows)...)
			if c.revert != "" {
				rows = append(rows, "update session set revert="+quote(c.revert))
			}
			makeDB(t, filepath.Join(dir, "opencode.db"), rows...)
			r := read(t, open(t, dir), "s")
			if got := text(r.Surface); got != c.want || r.Receipt.DamagedRecords != c.damaged || len(r.Receipt.Notes) != c.notes {
				t.Errorf("conversation\n%s\nwant\n%s\nreceipt %+v", got, c.want, r.Receipt)
			}
		})
	}
}

// A beta of v2 had not renamed its tables yet, and late versions of v1 had an empty
// table of v2 already.
func TestTablesOfBetweenVersions(t *testing.T) {
	dir := t.TempDir()
	beta := strings.Replace(tablesV2, "session_v2", "session", 1)
	makeDB(t, filepath.Join(dir, "beta.db"), beta, "insert into session values ('s',null,'/w','B',null,1000,2000)",
		`insert into session_message values ('m1','s','user',7,1,1,'{"text":"beta"}')`)
	makeDB(t, filepath.Join(dir, "late.db"), append([]string{
		tablesV1, strings.Split(tablesV2, "\n")[1], sessionV1("s", "L", 2000),
	}, inSQL("s", []msg{user("m1", 1, "late")})...)...)
	for name, want := range map[string]string{"beta": "user: beta\n", "late": "user: late\n"} {
		r := read(t, open(t, filepath.Join(dir, name+".db")), "s")
		if got := text(r.Surface); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The layout of mid 2025 keeps no directory in the record: the messages know it.
func TestOldFiles(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "project", "Users-x-kiln", "storage", "session")
	writeFile(t, filepath.Join(root, "info", "ses_1.json"), `{"id":"ses_1","title":"Kiln","time":{"created":1000,"updated":2000}}`)
	writeFile(t, filepath.Join(root, "message", "ses_1", "msg_1.json"), `{"id":"msg_1","role":"user","time":{"created":1}}`)
	writeFile(t, filepath.Join(root, "part", "ses_1", "msg_1", "prt_1.json"), `{"type":"text","text":"hello"}`)
	writeFile(t, filepath.Join(root, "message", "ses_1", "msg_2.json"), `{"id":"msg_2","role":"assistant","path":{"cwd":"/w/kiln"},"time":{"created":2,"completed":3}}`)
	writeFile(t, filepath.Join(root, "part", "ses_1", "msg_2", "prt_2.json"), `{"type":"text","text":"hi"}`)
	st := open(t, dir)
	if got := list(t, st); len(got) != 1 || optional(got[0].Title) != "Kiln" {
		t.Errorf("listed %v", got)
	}
	r := read(t, st, "ses_1")
	if got := text(r.Surface); got != "user: hello\nassistant: hi\n" || optional(r.Surface.Header.Cwd) != "/w/kiln" {
		t.Errorf("conversation %q in %q", got, optional(r.Surface.Header.Cwd))
	}
}

func TestTitles(t *testing.T) {
	dir := t.TempDir()
	storage := filepath.Join(dir, "storage")
	titles := map[string]string{ // by session: the title in the record
		"a": "New session - 2026-08-04T07:00:00.000Z", "b": "New session - 2026-08-04T07:00:00.000Z (fork #2)",
		"c": "Child session - 2026-08-04T07:00:00.000Z", "d": "", "e": "New session - the second",
	}
	var rows []string
	for id, title := range titles {
		record(t, storage, "f"+id, `,"title":"`+title+`"`)
		messages := []msg{
			{id: id + "0", time: 1, data: `{"role":"user"}`, parts: []string{`{"type":"text","text":"injected","synthetic":true}`}},
			assistant(id+"1", 2, "", "answer"), user(id+"2", 3, "typed first"), user(id+"3", 4, "typed later"),
		}
		inFiles(t, storage, "f"+id, messages)
		rows = append(append(rows, sessionV1("s"+id, title, 2000)), inSQL("s"+id, messages)...)
	}
	rows = append(rows, "insert into session_v2 values ('sv',null,'/w',null,null,1,2)",
		`insert into session_message values ('x','sv','user',3,1,1,'{"text":"typed first"}')`, sessionV2("empty", "", 1))
	makeDB(t, filepath.Join(dir, "opencode.db"), append([]string{tablesV1, tablesV2}, rows...)...)
	st := open(t, dir)
	for _, e := range list(t, st) {
		own, shown := "<none>", "typed first"
		switch e.ID {
		case "opencode:se", "opencode:fe":
			own, shown = titles["e"], titles["e"]
		case "opencode:sb", "opencode:fb": // OpenCode shows that of a fork
			own, shown = titles["b"], titles["b"]
		case "opencode:empty":
			shown = "<none>"
		}
		got, err := st.Title(t.Context(), e)
		if optional(e.Title) != own || optional(got) != shown || err != nil {
			t.Errorf("%s: listed %q, title %q, %v; want %q, %q", e.ID, optional(e.Title), optional(got), err, own, shown)
		}
		r := read(t, st, strings.TrimPrefix(e.ID, "opencode:"))
		if optional(r.Surface.Title) != own {
			t.Errorf("%s: the surface's title is %q, want %q", e.ID, optional(r.Surface.Title), own)
		}
	}
}

// Third parties write times as ISO 8601, and leave columns out.
func TestLenientRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opencode.db")
	makeDB(t, path, "create table session (id text, title text, time_created text, time_updated timestamp)",
		"create table message (id text, session_id text, data text)",
		"create table part (id text, message_id text, session_id text, data blob)",
		"insert into session values ('s','T','2026-08-04T07:00:00.000Z','2026-08-04 08:00:00')",
		`insert into message values ('m2','s','{"role":"assistant","time":{"created":"2026-08-04T07:00:02Z","completed":1},"path":{"cwd":"/w"}}')`,
		`insert into message values ('m9','s','{"role":"user","time":{"created":"2026-08-04T07:00:01Z"}}')`,
		`insert into part values ('p1','m9','s','{"type":"text","text":"q"}')`, `insert into part values ('p2','m2','s',cast('{"type":"text","text":"a"}' as blob))`)
	st := open(t, path)
	e := list(t, st)[0]
	if e.CreatedAt != 1785826800000 || e.UpdatedAt != 1785830400000 {
		t.Errorf("created %d, updated %d", e.CreatedAt, e.UpdatedAt)
	}
	r := read(t, st, "s")
	if got := text(r.Surface); got != "user: q\nassistant: a\n" || optional(r.Surface.Header.Cwd) != "/w" {
		t.Errorf("conversation %q in %q", got, optional(r.Surface.Header.Cwd))
	}
}

// Views and generated columns can compute for ever; only plain tables are read.
func TestHostileSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opencode.db")
	endless := "with recursive n(i) as (select 1 union all select i+1 from n) select 'x' as id, i as title from n"
	makeDB(t, path, "create table message (id text, session_id text, data text)",
		"create view session as "+endless, "create view session_v2 as "+endless,
		"create table session_message (id text, session_id text, seq integer, type text, data text as (hex(zeroblob(900000000))))")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	st := open(t, path)
	for e, err := range st.List(ctx) {
		t.Errorf("listed %v, %v", e, err)
	}
	if refs, err := st.Lookup(ctx, "x"); len(refs) != 0 || err != nil {
		t.Errorf("Lookup = %v, %v", refs, err)
	}
}

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	abs := func(s string) string { return filepath.Join(dir, filepath.FromSlash(s)) }
	join := func(list []string) string { return strings.ReplaceAll(strings.Join(list, " "), dir, "") }
	cases := []struct {
		name, goos string
		vars       map[string]string
		want       string
	}{
		{"default", "linux", map[string]string{"HOME": abs("h")}, "/h/.local/share/opencode"},
		{"xdg", "linux", map[string]string{"HOME": abs("h"), "XDG_DATA_HOME": abs("x")}, "/x/opencode"},
		{"mac", "darwin", map[string]string{"HOME": abs("h")}, "/h/.local/share/opencode /h/Library/Application Support/opencode"},
		{"windows", "windows", map[string]string{"HOME": abs("h"), "APPDATA": abs("a")}, "/h/.local/share/opencode /a/opencode"},
		{"no home", "linux", nil, ""},
		{"a database elsewhere", "linux", map[string]string{"HOME": abs("h"), "OPENCODE_DB": abs("my.db")}, "/h/.local/share/opencode /my.db"},
		{"a database in memory", "linux", map[string]string{"HOME": abs("h"), "OPENCODE_DB": ":memory:"}, "/h/.local/share/opencode"},
	}
	for _, c := range cases {
		e := env(c.vars)
		e.GOOS = c.goos
		if got := join(opencode.Format.Roots(e)); got != c.want {
			t.Errorf("%s: roots %q, want %q", c.name, got, c.want)
		}
	}
}

// The environment says which database is OpenCode's own; a place that is named is
// read as it is.
func TestDatabaseByEnvironment(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "opencode")
	for _, name := range []string{"opencode", "opencode-local", "mine"} {
		makeDB(t, filepath.Join(data, name+".db"), tablesV1, sessionV1(name, "", 1))
	}
	makeDB(t, filepath.Join(dir, "other.db"), tablesV1, sessionV1("other", "", 1))
	record(t, filepath.Join(data, "storage"), "files", "")
	cases := []struct {
		vars map[string]string
		want string
	}{
		{nil, "files opencode opencode-local"},
		{map[string]string{"OPENCODE_DISABLE_CHANNEL_DB": "true"}, "files opencode"},
		{map[string]string{"OPENCODE_DISABLE_CHANNEL_DB": "0"}, "files opencode opencode-local"},
		{map[string]string{"OPENCODE_DB": "mine.db"}, "files mine"},
		{map[string]string{"OPENCODE_DB": filepath.Join(dir, "other.db")}, "files other"},
		{map[string]string{"OPENCODE_DB": ":memory:"}, "files"},
		{map[string]string{"OPENCODE_DB": "absent.db"}, "files"},
		{map[string]string{"OPENCODE_DB": "mine.db", "XDG_DATA_HOME": "/elsewhere"}, "files opencode opencode-local"},
	}
	for _, c := range cases {
		vars := map[string]string{"XDG_DATA_HOME": dir}
		for k, v := range c.vars {
			vars[k] = v
		}
		st, err := opencode.Format.Open(data, env(vars))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list(t, st) {
			got = append(got, strings.TrimPrefix(e.ID, "opencode:"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: listed %q, want %q", c.vars, got, c.want)
		}
	}
}

func TestBareFiles(t *testing.T) {
	dir := t.TempDir()
	one, two, none := filepath.Join(dir, "one.db"), filepath.Join(dir, "two.db"), filepath.Join(dir, "none.db")
	makeDB(t, one, append([]string{
		tablesV1, sessionV1("s", "T", 1), "insert into session values ('child','p','s','/w','C',null,1,1)",
	}, inSQL("s", []msg{user("m1", 1, "hello")})...)...)
	makeDB(t, two, tablesV1, sessionV1("s", "T", 1), sessionV1("t", "T", 1))
	makeDB(t, none, "create table x (a)")
	for path, want := range map[string]string{one: "user: hello\n", two: "holds 2 sessions", none: "holds no OpenCode session"} {
		r, err := opencode.Format.ReadFile(t.Context(), path, store.ReadOptions{Hash: true})
		got := ""
		if err == nil {
			got = text(r.Surface)
			if len(r.Receipt.SHA256) != 64 {
				t.Errorf("sha256 %q", r.Receipt.SHA256)
			}
		} else {
			got = err.Error()
		}
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", filepath.Base(path), got, want)
		}
	}
	rec := filepath.Join(fixtures, "storage/session/proj1/ses_tail.json")
	r, err := opencode.Format.ReadFile(t.Context(), rec, store.ReadOptions{})
	if err != nil || r.Surface.Header.ID != "opencode:ses_tail" || len(r.Surface.Events) != 5 {
		t.Errorf("%v, %v", r, err)
	}
	// From a pipe it comes without a name, and without its messages.
	data, err := os.ReadFile(rec)
	if err != nil {
		t.Fatal(err)
	}
	spooled := filepath.Join(dir, "spool-1")
	writeFile(t, spooled, string(data))
	r, err = opencode.Format.ReadFile(t.Context(), spooled, store.ReadOptions{})
	if err != nil || r.Surface.Header.ID != "opencode:ses_tail" || len(r.Surface.Events) != 0 || len(r.Receipt.Notes) != 1 {
		t.Errorf("without a name: %+v, %v", r, err)
	}
	for path, want := range map[string]bool{rec: true, one: true, filepath.Join(fixtures, "v2.sql"): false, filepath.Join(fixtures, "v1.expected-list.json"): false} {
		head, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := opencode.Format.Recognise(filepath.Base(path), head); got != want {
			t.Errorf("Recognise(%s) = %v", path, got)
		}
	}
}

// The hand-written database of the inputs. Its answer was never completed, so by the
// rules it is not there yet; what counts here is that nothing is left beside it.
func TestInputDatabase(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile("../../../testdata/inputs/33-opencode-db/opencode.db")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "opencode.db"), string(data))
	st := open(t, dir)
	if e := list(t, st); len(e) != 1 || optional(e[0].Title) != "Demo" || optional(e[0].Cwd) != "/work/demo" {
		t.Errorf("listed %v", e)
	}
	if got := text(read(t, st, "ses_demo").Surface); got != "user: hello\n" {
		t.Errorf("conversation %q", got)
	}
	entries, err := os.ReadDir(dir)
	after, _ := os.ReadFile(filepath.Join(dir, "opencode.db"))
	if err != nil || len(entries) != 1 || string(after) != string(data) {
		t.Errorf("the directory has %v now, %v; the database changed: %v", entries, err, string(after) != string(data))
	}
}

func TestDamageInAListing(t *testing.T) {
	dir := t.TempDir()
	storage := filepath.Join(dir, "storage")
	record(t, storage, "good", "")
	writeFile(t, filepath.Join(storage, "session", "p", "half.json"), `{"id":`)
	writeFile(t, filepath.Join(storage, "session", "global.json"), `{}`)
	writeFile(t, filepath.Join(dir, "opencode.db"), strings.Repeat("no database ", 100))
	links := map[string]string{"again": "p", "loop": "..", "gone": "/nonexistent", "p/link.json": "good.json"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(storage, "session", name)); err != nil {
			t.Skip(err)
		}
	}
	var ids, failures []string
	for e, err := range open(t, dir).List(t.Context()) {
		if err != nil {
			failures = append(failures, string(fault.Of(err).Rule)+" "+fault.Of(err).Subject)
		} else {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) != 2 { // good, and link.json, whose name is its id
		t.Errorf("listed %v", ids)
	}
	got := fmt.Sprint(failures)
	for _, want := range []string{"damaged-database", "half.json", "gone"} {
		if !strings.Contains(got, want) {
			t.Errorf("failures %s; want one that names %s", got, want)
		}
	}
	if refs, err := open(t, dir).Lookup(t.Context(), "../p/good"); len(refs) != 0 || err == nil {
		t.Errorf("Lookup of a path = %v, %v", refs, err)
	}
}

// A record that stays half is passed over: the messages say enough.
func TestDamagedRecord(t *testing.T) {
	dir := t.TempDir()
	storage := filepath.Join(dir, "storage")
	path := filepath.Join(storage, "session", "p", "s.json")
	writeFile(t, path, `{"id":"s","dir`)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := opencode.Format.ReadFile(t.Context(), path, store.ReadOptions{}); fault.KindOf(err) != fault.Damaged {
		t.Errorf("without messages: %v", err)
	}
	inFiles(t, storage, "s", []msg{user("m1", 1, "hello"), assistant("m2", 2, `"path":{"cwd":"/w"},"time":{"created":1,"completed":2}`, "hi")})
	r := read(t, open(t, dir), "s")
	if got := text(r.Surface); got != "user: hello\nassistant: hi\n" || r.Receipt.DamagedRecords != 1 || optional(r.Surface.Header.Cwd) != "/w" {
		t.Errorf("conversation %q, receipt %+v", got, r.Receipt)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, root := range []string{"v1.db", "storage"} {
		st := open(t, filepath.Join(fixtures, root))
		path := filepath.Join(fixtures, root)
		if root == "storage" {
			path = filepath.Join(path, "session/proj1/ses_basic.json")
		}
		if _, err := st.Read(ctx, store.Ref{ID: "opencode:ses_basic", Path: path}, store.ReadOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", root, err)
		}
	}
}
