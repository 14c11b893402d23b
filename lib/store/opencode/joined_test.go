package opencode_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A move into the database that stopped half way left some messages there, or none of
// their parts, or some. The files have the rest, unless the session was used since.
func TestJoined(t *testing.T) {
	whole := []msg{
		user("m1", 1, "one", "more"), assistant("m2", 2, "", "two"),
		user("m3", 3, "three"), assistant("m4", 4, "", "four"),
	}
	compacted := []msg{
		user("m1", 1, "one"),
		{id: "m2", time: 2, data: `{"role":"user"}`, parts: []string{`{"type":"compaction","auto":false}`}},
		assistant("m3", 3, `"summary":true,"parentID":"m2",`+finished, "sum"), user("m4", 4, "four"),
	}
	all := "user: one\n\nmore\nassistant: two\nuser: three\nassistant: four\n"
	// cut is the messages with at most n parts of each.
	cut := func(messages []msg, n int) []msg {
		messages = slices.Clone(messages)
		for i, m := range messages {
			messages[i].parts = m.parts[:min(n, len(m.parts))]
		}
		return messages
	}
	damage := slices.Clone(whole)
	damage[1].data, damage[2].parts = `{"role":`, []string{`{"type":"te`}
	cases := []struct {
		name      string
		database  []msg
		files     []msg
		updated   int    // of the database; the files say 2000
		revert    string // of the database
		want      string
		note      string
		damaged   int64
		hidesMore bool
	}{
		{name: "no messages", files: whole, updated: 2000, want: all, note: "whole or in part: 4"},
		{name: "the first messages", database: whole[:2], files: whole, updated: 2000, want: all, note: "whole or in part: 2"},
		{name: "no parts", database: cut(whole, 0), files: whole, updated: 2000, want: all, note: "whole or in part: 4"},
		{name: "the first parts", database: cut(whole, 1), files: whole, updated: 2000, want: all, note: "whole or in part: 1"},
		{name: "what is damaged there", database: damage, files: whole, updated: 2000, want: all, note: "whole or in part: 2"},
		{name: "an empty compaction", database: cut(compacted, 0), files: compacted, updated: 2000, want: "* sum\nuser: four\n", note: "whole or in part: 3"},
		{name: "a pending revert", database: whole[:1], files: whole, updated: 2000, revert: `{"messageID":"m3"}`, want: "user: one\n\nmore\nassistant: two\n", note: "whole or in part: 3", hidesMore: true},
		{name: "whole", database: whole, files: whole, updated: 2000, want: all},
		{name: "newer files", database: whole[:2], files: whole, updated: 1500, want: all, note: "whole or in part: 2"},
		{name: "messages taken back since", database: whole[:2], files: whole, updated: 2001, want: "user: one\n\nmore\nassistant: two\n"},
		{name: "a part taken back since", database: cut(whole, 1), files: whole, updated: 2001, want: "user: one\nassistant: two\nuser: three\nassistant: four\n"},
		{name: "no parts, and used since", database: append(cut(whole, 0), user("m5", 5, "five")), files: whole, updated: 2001, want: "user: five\n", damaged: 4},
		{name: "no parts anywhere", database: cut(whole, 0), files: cut(whole, 0), updated: 2000, want: "", damaged: 4},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			storage := filepath.Join(dir, "storage")
			record(t, storage, "s", "")
			inFiles(t, storage, "s", c.files)
			revert := "null"
			if c.revert != "" {
				revert = quote(c.revert)
			}
			makeDB(t, filepath.Join(dir, "opencode.db"), append([]string{
				tablesV1, fmt.Sprintf("insert into session values ('s','p',null,'/w','',%s,1000,%d)", revert, c.updated),
			}, inSQL("s", c.database)...)...)
			st := open(t, dir)
			r := read(t, st, "s")
			if got := text(r.Surface); got != c.want {
				t.Errorf("conversation =\n%swant\n%s", got, c.want)
			}
			notes := strings.Join(r.Receipt.Notes, "; ")
			if told := strings.Contains(notes, "stopped half way"); told != (c.note != "") || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q in them", notes, c.note)
			}
			if r.Receipt.DamagedRecords != c.damaged || strings.Contains(notes, "messages without any part: 4") != (c.damaged > 0) {
				t.Errorf("damaged %d, notes %q; want %d", r.Receipt.DamagedRecords, notes, c.damaged)
			}
			if (r.Receipt.DroppedBranches == 1) != c.hidesMore {
				t.Errorf("dropped branches %d", r.Receipt.DroppedBranches)
			}
			title, err := st.Title(t.Context(), list(t, st)[0])
			if first, _, _ := strings.Cut(strings.TrimPrefix(c.want, "user: "), "\n"); err != nil || c.want != "" && !c.hidesMore && !strings.HasPrefix(c.want, "*") && !strings.HasPrefix(optional(title), first) && c.updated <= 2000 {
				t.Errorf("title %q, %v; the conversation begins with %q", optional(title), err, first)
			}
		})
	}
}

// Files of the newer layout whose move from the older one stopped half way.
func TestJoinedFiles(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "project", "x", "storage", "session")
	storage := filepath.Join(dir, "storage")
	record(t, storage, "s", "")
	inFiles(t, storage, "s", []msg{{id: "m1", time: 1, data: `{"role":"user"}`}})
	writeFile(t, filepath.Join(old, "info", "s.json"), `{"id":"s","title":"T","time":{"created":1000,"updated":2000}}`)
	for i, said := range []string{"one", "two"} {
		id := fmt.Sprintf("m%d", i+1)
		writeFile(t, filepath.Join(old, "message", "s", id+".json"), fmt.Sprintf(`{"role":"user","time":{"created":%d}}`, i+1))
		writeFile(t, filepath.Join(old, "part", "s", id, "p.json"), fmt.Sprintf(`{"type":"text","text":%q}`, said))
	}
	r := read(t, open(t, dir), "s")
	if got := text(r.Surface); got != "user: one\nuser: two\n" || r.Receipt.DamagedRecords != 0 || len(r.Receipt.Notes) != 1 {
		t.Errorf("conversation %q, receipt %+v", got, r.Receipt)
	}
}
