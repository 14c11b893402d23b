package opencode_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

// patience is how long a place may take, whatever is in it.
const patience = 3 * time.Minute

// look lists a place, gives titles, and looks up and reads every session in it and the
// ids given. It returns the conversations by id, and the errors. It fails t where the
// place takes too long, where a failure has no name, or where anything was changed.
func look(t *testing.T, root string, ids ...string) (told map[string]string, errs []error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	before := conformance.Tree(t, root)
	told = make(map[string]string)
	note := func(err error) {
		if err != nil {
			checkFault(t, ctx, err)
			errs = append(errs, err)
		}
	}
	st := open(t, root)
	for e, err := range st.List(ctx) {
		if note(err); err != nil {
			continue
		}
		_, err = st.Title(ctx, e)
		note(err)
		ids = append(ids, strings.TrimPrefix(e.ID, "opencode:"))
	}
	for _, id := range ids {
		refs, err := st.Lookup(ctx, id)
		note(err)
		for _, ref := range refs {
			r, err := st.Read(ctx, ref, store.ReadOptions{Hash: true, Verify: true})
			if note(err); err == nil {
				told[id] = text(r.Surface)
			}
		}
	}
	if ctx.Err() != nil {
		t.Fatalf("took longer than %v", patience)
	}
	if after := conformance.Tree(t, root); !slices.Equal(before, after) {
		t.Errorf("the place was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	return told, errs
}

func plainDB(t *testing.T, path string) {
	t.Helper()
	makeDB(t, path, append([]string{tablesV1, sessionV1("s", "T", 2000)}, inSQL("s", []msg{user("m1", 1, "hello")})...)...)
}

// A writer that holds the database, in every way that SQLite knows.
func TestHeldDatabase(t *testing.T) {
	for _, c := range []struct{ name, journal, hold string }{
		{"a log that is not written back", "wal", ""},
		{"a write in the log", "wal", "begin immediate; insert into message values ('m2','s',2,2,'{\"role\":\"user\"}')"},
		{"all for itself", "wal", "begin exclusive"},
		{"a lock for writing", "delete", "begin immediate"},
		{"all for itself, without a log", "delete", "begin exclusive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "opencode.db")
			plainDB(t, path)
			db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode("+c.journal+")&_pragma=wal_autocheckpoint(0)")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1)
			for _, s := range append(inSQL("s", []msg{user("m3", 3, "later")}), c.hold) {
				if _, err := db.Exec(s); err != nil {
					t.Fatal(err)
				}
			}
			told, errs := look(t, dir)
			if told["s"] != "user: hello\nuser: later\n" || len(errs) > 0 {
				t.Errorf("conversation %q, errors %v", told["s"], errs)
			}
		})
	}
}

// A database that is cut anywhere is damaged or shows what is whole; it never hangs.
func TestCutDatabase(t *testing.T) {
	dir := t.TempDir()
	plainDB(t, filepath.Join(dir, "whole.db"))
	whole, err := os.ReadFile(filepath.Join(dir, "whole.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 15, 16, 99, 100, 512, 4095, 4096, 4097, len(whole) / 2, len(whole) - 4096, len(whole) - 1} {
		place := filepath.Join(dir, fmt.Sprint(n))
		path := filepath.Join(place, "opencode.db")
		writeFile(t, path, string(whole[:n]))
		if err := os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		record(t, filepath.Join(place, "storage"), "beside", "")
		inFiles(t, filepath.Join(place, "storage"), "beside", []msg{user("m1", 1, "in files")})
		told, errs := look(t, place, "s")
		if told["beside"] != "user: in files\n" {
			t.Errorf("cut to %d: the files beside it show %q, errors %v", n, told["beside"], errs)
		}
		if n > 0 && len(errs) == 0 && told["s"] != "user: hello\n" {
			t.Errorf("cut to %d: no error, and %q is shown", n, told["s"])
		}
	}
}

// Tables that are not as OpenCode makes them show what can be known.
func TestOddSchemas(t *testing.T) {
	const insert = "insert into session values ('s','p',null,'/w','T',null,1000,2000);"
	tables := strings.Split(tablesV1, "\n")
	parts := inSQL("s", []msg{user("m1", 1, "hello")})
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name string
		rows []string
		want string // the conversation of s
	}{
		{"nothing", []string{"create table x (a)"}, ""},
		{"sessions alone", []string{tables[0], insert}, ""},
		{"no parts", []string{tables[0], tables[1], insert, parts[0]}, ""},
		{"no messages", []string{tables[0], tables[2], insert, parts[1]}, ""},
		{"messages without data", []string{tables[0], "create table message (id, session_id)", insert}, ""},
		{"other types", []string{
			"create table session (id blob, parent_id integer, directory real, title blob, revert integer, time_created text, time_updated blob)",
			"insert into session values ('s',null,1.5,x'ff00',7,'soon',x'00')", tables[1], tables[2], parts[0], parts[1],
		}, "user: hello\n"},
		{"no rowids", []string{
			strings.Replace(tables[0], ");", ") without rowid;", 1), strings.Replace(tables[1], ");", ") without rowid;", 1),
			strings.Replace(tables[2], ");", ") without rowid;", 1), insert, parts[0], parts[1],
		}, "user: hello\n"},
		{"names in capitals", []string{strings.ToUpper(tables[0]), strings.ToUpper(tables[1]), strings.ToUpper(tables[2]), insert, parts[0], parts[1]}, "user: hello\n"},
		{"the same id twice", []string{strings.ReplaceAll(tables[0], " primary key", ""), tables[1], tables[2], insert, insert, parts[0], parts[1]}, "user: hello\n"},
		{"data that is no JSON", []string{
			tablesV1, insert, parts[0], parts[1], "insert into message values ('m2','s',2,2,null), ('m3','s',3,3,7), ('m4','s',4,4,x'ff'), ('m5','s',5,5,'')",
			"insert into part values ('p2','m1','s',1,1,null), ('p3','m1','s',1,1,1.5), ('p4','m1','s',1,1,x'7b22'), ('p5','m1','s',1,1,'{\"type\":')",
		}, "user: hello\n"},
		{"parts that are deep", []string{
			tablesV1, insert, parts[0], parts[1],
			"insert into part values ('p2','m1','s',1,1," + quote(`{"type":"text","text":`+strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000)+"}") + ")",
		}, "user: hello\n"},
		{"huge outputs", []string{
			tablesV1, insert, parts[0], parts[1],
			"insert into part values ('p2','m1','s',1,1,'{\"type\":\"tool\",\"output\":\"' || hex(zeroblob(4000000)) || '\"}')",
			"insert into part values ('p3','m1','s',1,1,zeroblob(8000000))",
			"insert into message values ('m2','s',2,2,'{\"role\":\"user\",\"summary\":{\"diffs\":\"" + long + "\"}}')",
		}, "user: hello\n"},
		{"forks and parents in a circle", []string{
			strings.Replace(tables[0], "revert text", "revert text, fork_session_id text", 1), tables[1], tables[2],
			"insert into session values ('s','p','s','/w','T',null,'t',1,2), ('t','p','s','/w','T',null,'s',1,2)",
			"insert into message values ('m2','s',2,2,'{\"role\":\"assistant\",\"parentID\":\"m3\",\"summary\":true,\"finish\":\"stop\"}'), ('m3','s',3,3,'{\"role\":\"assistant\",\"parentID\":\"m2\",\"summary\":true,\"finish\":\"stop\"}')",
			parts[0], parts[1],
		}, "user: hello\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			makeDB(t, filepath.Join(dir, "opencode.db"), c.rows...)
			told, errs := look(t, dir, "s")
			if told["s"] != c.want || len(errs) > 0 {
				t.Errorf("conversation %q, want %q; errors %v", told["s"], c.want, errs)
			}
		})
	}
}

// A long session is read in a time that grows with it: the tables have no index here.
func TestLongSession(t *testing.T) {
	const n = longSession
	dir := t.TempDir()
	makeDB(t, filepath.Join(dir, "opencode.db"), tablesV1, sessionV1("s", "T", 2000),
		fmt.Sprintf(`with recursive i(n) as (select 1 union all select n+1 from i where n<%d)
			insert into message select printf('m%%06d',n),'s',n,n,'{"role":"user"}' from i`, n),
		fmt.Sprintf(`with recursive i(n) as (select 1 union all select n+1 from i where n<%d)
			insert into part select printf('p%%06d',n),printf('m%%06d',n),'s',n,n,'{"type":"'||case when n%%2 then 'text' else 'file' end||'","text":"said '||n||'"}' from i`, n))
	told, errs := look(t, dir)
	if got := strings.Count(told["s"], "\n"); got != n/2 || len(errs) > 0 {
		t.Errorf("%d messages, want %d; errors %v", got, n/2, errs)
	}
}

// Links that lead back into the tree are not followed round.
func TestLinksInACircle(t *testing.T) {
	dir := t.TempDir()
	storage := filepath.Join(dir, "storage")
	record(t, storage, "s", `,"title":"T"`)
	inFiles(t, storage, "s", []msg{user("m1", 1, "hello")})
	for name, to := range map[string]string{
		"session/p/up": "../..", "session/again": "p", "session/self": "self", "session/p/t.json": "t.json",
		"message/s/m2.json": "m2.json", "message/s/m3.json": "../s", "message/t": "t", "part/m1/p9.json": "p9.json",
		"part/m1/up": "..", "part/m4": "../part", "storage": ".",
	} {
		path := filepath.Join(storage, name)
		if err := os.Symlink(to, path); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Symlink(".", filepath.Join(dir, "project")); err != nil {
		t.Fatal(err)
	}
	told, _ := look(t, dir, "t", "up")
	if told["s"] != "user: hello\n" {
		t.Errorf("conversation %q", told["s"])
	}
}
