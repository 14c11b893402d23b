package opencode_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// walk lists a place and reads everything in it, each answer checked for being one
// that the rest of the toolkit can use. It must end soon whatever the files hold.
func walk(t *testing.T, root string) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	st := open(t, root)
	for e, err := range st.List(ctx) {
		if err != nil {
			checkFault(t, ctx, err)
			continue
		}
		if _, err := st.Title(ctx, e); err != nil {
			checkFault(t, ctx, err)
		}
		r, err := st.Read(ctx, store.Ref{ID: e.ID, Path: e.Path}, store.ReadOptions{})
		if err != nil {
			checkFault(t, ctx, err)
			continue
		}
		printed := string(r.Surface.AppendJSON(nil))
		if _, err := session.ParseSurface(printed); err != nil {
			t.Errorf("the surface does not read back: %v\n%s", err, printed)
		}
		if last := r.Surface.CapturedThroughSeq; len(r.Surface.Events) > 0 {
			for _, ev := range r.Surface.Events {
				if last == nil || ev.Seq > *last {
					t.Errorf("seq %d, captured through %v", ev.Seq, last)
				}
			}
		}
	}
}

// tempDir is a new directory for each run: T.TempDir may give several runs of one
// fuzz target the same.
func tempDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "opencode-fuzz-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func checkFault(t *testing.T, ctx context.Context, err error) {
	if ctx.Err() != nil {
		t.Fatalf("did not end: %v", err)
	}
	if fault.KindOf(err) == fault.Unexpected {
		t.Errorf("unnamed failure: %v", err)
	}
}

func FuzzDatabase(f *testing.F) {
	for _, name := range []string{"v1.db", "v2.db"} {
		data, err := os.ReadFile(filepath.Join(fixtures, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint32(0), uint64(0))
		f.Add(data, uint32(4096), uint64(0xFF00FF00))
		f.Add(data[:len(data)/2], uint32(18), uint64(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint32, patch uint64) {
		if len(data) > 1<<20 {
			return
		}
		data = append([]byte(nil), data...)
		for i := range 8 { // a small change in the middle, which mutation of 60 KB seldom makes
			if p := int(at) + i; p < len(data) {
				data[p] ^= byte(patch >> (8 * i))
			}
		}
		path := filepath.Join(tempDir(t), "opencode.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		walk(t, path)
	})
}

// FuzzRecords gives one session's records as text, to both ways of keeping them.
func FuzzRecords(f *testing.F) {
	f.Add(`{"role":"user"}`, `{"type":"text","text":"hello"}`, `{"messageID":"m2"}`)
	f.Add(`{"role":"assistant","time":{"created":1,"completed":2},"summary":true,"finish":"stop","parentID":"m1"}`, `{"type":"compaction","tail_start_id":"m0"}`, ``)
	f.Add(`{"role":"user","summary":{"title":"t","body":"b"}}`, `{"type":"text","text":"\ud800","synthetic":true}`, `{"messageID":"m1","partID":"p"}`)
	f.Add(`{"type":"compaction","status":"completed","summary":"s","time":{"created":-1e400}}`, `[]`, `null`)
	f.Add(`{"text":"typed","content":[{"type":"text","text":"a"}],"time":{"completed":"x"}}`, `{`, `{"messageID":7}`)
	f.Fuzz(func(t *testing.T, message, part, revert string) {
		if strings.ContainsRune(message+part+revert, 0) {
			return // SQL text ends there
		}
		dir := tempDir(t)
		messages := []msg{
			user("m0", 0, "first"),
			{id: "m1", time: 1, data: message, parts: []string{part, part}},
			assistant("m2", 2, `"summary":true,"parentID":"m1",`+finished, "sum"),
			{id: "m3", time: 3, data: message, parts: []string{part}},
		}
		field := ""
		if v, err := jstext.Parse(revert); err == nil {
			field = `,"revert":` + v.Raw()
		}
		storage := filepath.Join(dir, "storage")
		record(t, storage, "files", field)
		inFiles(t, storage, "files", messages)
		rows := append([]string{tablesV1, tablesV2, sessionV1("v1", "", 1), sessionV2("v2", "", 1), "update session set revert=" + quote(revert), "update session_v2 set revert=" + quote(revert)}, inSQL("v1", messages)...)
		for i, typ := range []string{"user", "compaction", "assistant"} {
			rows = append(rows, "insert into session_message values ('m"+typ+"','v2','"+typ+"',"+string(rune('0'+i))+",1,1,"+quote(message)+")")
		}
		makeDB(t, filepath.Join(dir, "opencode.db"), rows...)
		walk(t, dir)
	})
}
