package opencode_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

const (
	tablesV1 = `create table session (id text primary key, project_id text, parent_id text, directory text, title text, revert text, time_created integer, time_updated integer);
		create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text);
		create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text);`
	tablesV2 = `create table session_v2 (id text primary key, parent_id text, directory text, title text, revert text, time_created integer, time_updated integer);
		create table session_message (id text primary key, session_id text, type text, seq integer, time_created integer, time_updated integer, data text);`
)

// makeDB makes a database at path from SQL.
func makeDB(t testing.TB, path string, statements ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func sessionV1(id, title string, updated int) string {
	return fmt.Sprintf("insert into session values ('%s','p',null,'/w','%s',null,1000,%d)", id, title, updated)
}

func sessionV2(id, title string, updated int) string {
	return fmt.Sprintf("insert into session_v2 values ('%s',null,'/w','%s',null,1000,%d)", id, title, updated)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// msg is a message of v1 with its text parts, as SQL or as files.
type msg struct {
	id, data string
	time     int
	parts    []string // the parts' data, in the order of their ids
}

func user(id string, time int, texts ...string) msg {
	m := msg{id: id, time: time, data: `{"role":"user"}`}
	for _, s := range texts {
		m.parts = append(m.parts, fmt.Sprintf(`{"type":"text","text":%q}`, s))
	}
	return m
}

func assistant(id string, time int, more string, texts ...string) msg {
	m := user(id, time, texts...)
	if more == "" {
		more = `"time":{"created":1,"completed":2}`
	}
	m.data = fmt.Sprintf(`{"role":"assistant",%s}`, more)
	return m
}

// inSQL is a session's messages as statements; the order of insertion is the
// opposite of the order of the ids.
func inSQL(sid string, messages []msg) []string {
	var out []string
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		out = append(out, fmt.Sprintf("insert or ignore into message values (%s,%s,%d,%d,%s)", quote(m.id), quote(sid), m.time, m.time, quote(m.data)))
		for j := len(m.parts) - 1; j >= 0; j-- {
			out = append(out, fmt.Sprintf("insert or ignore into part values (%s,%s,%s,1,1,%s)", quote(fmt.Sprintf("%s-p%d", m.id, j)), quote(m.id), quote(sid), quote(m.parts[j])))
		}
	}
	return out
}

func writeFile(t testing.TB, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inFiles writes a session's messages as JSON files below storage.
func inFiles(t testing.TB, storage, sid string, messages []msg) {
	t.Helper()
	for _, m := range messages {
		data := strings.TrimSuffix(m.data, "}")
		if !strings.Contains(data, `"time"`) {
			data += fmt.Sprintf(`,"time":{"created":%d}`, m.time)
		}
		data = strings.Replace(data, `"created":1,`, fmt.Sprintf(`"created":%d,`, m.time), 1)
		writeFile(t, filepath.Join(storage, "message", sid, m.id+".json"), data+`,"id":"wrong","sessionID":"wrong"}`)
		for j, p := range m.parts {
			writeFile(t, filepath.Join(storage, "part", m.id, fmt.Sprintf("%s-p%d.json", m.id, j)), p)
		}
	}
}

func record(t testing.TB, storage, sid, more string) {
	t.Helper()
	writeFile(t, filepath.Join(storage, "session", "p", sid+".json"), fmt.Sprintf(`{"id":"wrong","projectID":"p","directory":"/w","time":{"created":1000,"updated":2000}%s}`, more))
}
