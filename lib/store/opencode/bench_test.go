package opencode_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/store"
)

// bigDB is a database with other sessions around one of n messages, each with a
// short text and size bytes of tool output.
func bigDB(b testing.TB, n, size int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "opencode.db")
	makeDB(b, path, tablesV1, "create index message_session_idx on message (session_id)", "create index part_message_idx on part (message_id)")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	output := strings.Repeat("tool output ", size/12)
	for _, sid := range []string{"before", "s", "after"} {
		exec(b, tx, sessionV1(sid, "T", 1))
		for i := range n {
			mid := fmt.Sprintf("%s-%06d", sid, i)
			exec(b, tx, "insert into message values (?,?,?,?,?)", mid, sid, i, i, `{"role":"assistant","time":{"created":1,"completed":2}}`)
			exec(b, tx, "insert into part values (?,?,?,1,1,?)", mid+"a", mid, sid, `{"type":"tool","state":{"output":"`+output+`"}}`)
			exec(b, tx, "insert into part values (?,?,?,1,1,?)", mid+"b", mid, sid, `{"type":"text","text":"an answer of some words"}`)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	return path
}

func exec(b testing.TB, tx *sql.Tx, query string, args ...any) {
	if _, err := tx.Exec(query, args...); err != nil {
		b.Fatal(err)
	}
}

// A session of 2,000 messages and 60 MB in a database three times that size.
func BenchmarkRead(b *testing.B) {
	st := open(b, bigDB(b, 2000, 30_000))
	b.ReportAllocs()
	for b.Loop() {
		if r := read(b, st, "s"); len(r.Surface.Events) != 2000 {
			b.Fatal(len(r.Surface.Events))
		}
	}
}

func BenchmarkList(b *testing.B) {
	path := filepath.Join(b.TempDir(), "opencode.db")
	var rows []string
	for i := range 10_000 {
		rows = append(rows, sessionV1(fmt.Sprint(i), "Title", i))
	}
	makeDB(b, path, tablesV1, "begin;"+strings.Join(rows, ";")+";commit")
	st := open(b, path)
	for b.Loop() {
		if n := len(list(b, st)); n != 10_000 {
			b.Fatal(n)
		}
	}
}

// Memory follows the surface: 30 MB of tool output pass by SQLite's page cache only.
func TestReadKeepsToolOutputOut(t *testing.T) {
	st := open(t, bigDB(t, 300, 100_000))
	refs, err := st.Lookup(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := st.Read(t.Context(), refs[0], store.ReadOptions{})
	runtime.ReadMemStats(&after)
	if err != nil || len(r.Surface.Events) != 300 {
		t.Fatalf("%v, %v", r, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes were allocated for a surface of %d bytes", grown, len(r.Surface.AppendJSON(nil)))
	}
}
