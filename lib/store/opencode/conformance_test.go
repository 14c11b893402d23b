package opencode_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/opencode"
)

func id(n int) string { return fmt.Sprintf("ses_%04d", n) }

// laidMessages are a session's messages as v1 and the files keep them.
func laidMessages(s conformance.Session) []msg {
	var out []msg
	for i, m := range s.Messages {
		out = append(out, msg{id: fmt.Sprintf("msg_%s_%03d", s.ID, i), time: i + 1, data: `{"role":"user"}`})
		last := &out[i]
		if m.Role == session.Assistant {
			last.data = `{"role":"assistant","time":{"created":1,"completed":2}}`
		}
		if m.Output > 0 {
			last.parts = append(last.parts, `{"type":"tool","state":{"status":"completed","output":"`+strings.Repeat("o", m.Output)+`"}}`)
		}
		if m.Picture {
			last.parts = append(last.parts, `{"type":"file","mime":"image/png","url":"data:image/png;base64,AAAA"}`)
			continue
		}
		last.parts = append(last.parts, `{"type":"text","text":`+m.Literal+`}`)
	}
	return out
}

func TestConformanceOfFiles(t *testing.T) {
	lay := func(t testing.TB, root string, s conformance.Session) conformance.Laid {
		storage := filepath.Join(root, "storage")
		record := fmt.Sprintf("{\n  \"id\": %q,\n  \"projectID\": \"p\",\n  \"directory\": %s,\n  \"title\": %s,\n  \"time\": {\"created\": %d, \"updated\": %d}\n}",
			s.ID, jstext.Quote(s.Cwd), jstext.Quote(s.Title), s.Created.UnixMilli(), s.Created.UnixMilli())
		path := filepath.Join(storage, "session", "p", s.ID+".json")
		writeFile(t, path, record)
		inFiles(t, storage, s.ID, laidMessages(s))
		return conformance.Laid{ID: s.ID, Path: path}
	}
	conformance.Run(t, conformance.Reader{
		Format: opencode.Format, ID: id, Lay: lay,
		Damage: func(t testing.TB, at conformance.Laid, text string) {
			parts, err := filepath.Glob(filepath.Join(filepath.Dir(at.Path), "../../part/*/*.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range parts {
				if data, err := os.ReadFile(p); err == nil && strings.Contains(string(data), text) {
					writeFile(t, p, string(data[:len(data)/2]))
				}
			}
		},
		// As OpenCode does: the parts of the new message, and the record again.
		Grow: func(t testing.TB, root string, s conformance.Session, n int) {
			m := laidMessages(s)[n-1]
			storage := filepath.Join(root, "storage")
			m.parts, s.Messages = m.parts[:1], nil
			inFiles(t, storage, s.ID, []msg{m})
			lay(t, root, s)
		},
		Without: map[string]string{"torn tail": "every record is a file of its own: one that is half written is damaged, or whole when it is read again"},
	})
}

// databases lays each session into a database of its own, as if it were of another
// release channel.
func databases(tables string, rows func(s conformance.Session, from int) []string, part string) conformance.Reader {
	path := func(root string, s conformance.Session) string { return filepath.Join(root, "opencode-"+s.ID+".db") }
	return conformance.Reader{
		Format: opencode.Format, ID: id,
		Lay: func(t testing.TB, root string, s conformance.Session) conformance.Laid {
			makeDB(t, path(root, s), append([]string{tables}, rows(s, 0)...)...)
			return conformance.Laid{ID: s.ID, Path: path(root, s)}
		},
		Damage: func(t testing.TB, at conformance.Laid, text string) {
			makeDB(t, at.Path, fmt.Sprintf("update %s set data=substr(data,1,length(data)/2) where data like '%%%s%%'", part, text))
		},
		Grow: func(t testing.TB, root string, s conformance.Session, n int) {
			db, err := sql.Open("sqlite", "file:"+path(root, s)+"?_txlock=immediate")
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			s.Messages = s.Messages[:n]
			if _, err := db.Exec("begin;" + strings.Join(rows(s, n-1), ";") + ";commit"); err != nil {
				t.Error(err)
			}
		},
		Without: map[string]string{"torn tail": "a transaction is there or not"},
	}
}

func TestConformanceOfV1(t *testing.T) {
	conformance.Run(t, databases(tablesV1, func(s conformance.Session, from int) []string {
		out := inSQL(s.ID, laidMessages(s)[from:])
		if from == 0 {
			out = append(out, fmt.Sprintf("insert into session values (%s,'p',null,%s,%s,null,%d,%d)", quote(s.ID), quote(s.Cwd), quote(s.Title), s.Created.UnixMilli(), s.Created.UnixMilli()))
		}
		return out
	}, "part"))
}

func TestConformanceOfV2(t *testing.T) {
	conformance.Run(t, databases(tablesV2, func(s conformance.Session, from int) []string {
		var out []string
		if from == 0 {
			out = append(out, fmt.Sprintf("insert into session_v2 values (%s,null,%s,%s,null,%d,%d)", quote(s.ID), quote(s.Cwd), quote(s.Title), s.Created.UnixMilli(), s.Created.UnixMilli()))
		}
		for i, m := range s.Messages[from:] {
			typ, data := "user", `{"text":`+m.Literal+`}`
			if m.Picture {
				data = `{"text":"","files":[{"mime":"image/png","uri":"data:image/png;base64,AAAA"}]}`
			}
			if m.Role == session.Assistant {
				typ = "assistant"
				data = `{"content":[{"type":"tool","state":{"output":"` + strings.Repeat("o", m.Output) + `"}},{"type":"text","text":` + m.Literal + `}],"time":{"completed":2}}`
			}
			out = append(out, fmt.Sprintf("insert or ignore into session_message values ('%s-%d',%s,'%s',%d,%d,1,%s)", s.ID, from+i, quote(s.ID), typ, from+i, from+i, quote(data)))
		}
		return out
	}, "session_message"))
}
