package opencode_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const finished = `"finish":"stop","time":{"created":1,"completed":2}`

// The rules of messages with parts, each read from a database and from files.
func TestRulesOfMessages(t *testing.T) {
	compaction := func(id string, time int, more string) msg {
		return msg{id: id, time: time, data: `{"role":"user"}`, parts: []string{`{"type":"compaction","auto":true` + more + `}`}}
	}
	summary := func(id string, time int, parent, text string) msg {
		return assistant(id, time, `"summary":true,"parentID":"`+parent+`",`+finished, text)
	}
	cases := []struct {
		name     string
		revert   string
		messages []msg
		want     string
		dropped  int64
		note     string
		damaged  int64
		unknown  bool // nothing can be said of the checkpoint's text
	}{
		{
			name:     "blocks are joined by a blank line, in the order of their ids, and trimmed",
			messages: []msg{user("m1", 1, " one", "two"), assistant("m2", 2, "", "", "three", "four\n\n")},
			want:     "user: one\n\ntwo\nassistant: three\n\nfour\n",
		},
		{
			name:     "order by time, then by id",
			messages: []msg{user("m3", 1, "first"), user("m1", 2, "second"), user("m2", 2, "third")},
			want:     "user: first\nuser: second\nuser: third\n",
		},
		{
			name: "what nobody typed, and what was not finished",
			messages: []msg{
				{id: "m1", time: 1, data: `{"role":"user","summary":{"title":"named by a model"}}`, parts: []string{
					`{"type":"text","text":"nudge","synthetic":true}`, `{"type":"text","text":"note","ignored":true}`,
					`{"type":"file","filename":"x"}`,
				}},
				assistant("m2", 2, `"time":{"created":1}`, "growing"),
				assistant("m3", 3, `"error":{"name":"APIError"},"time":{"created":1,"completed":2}`, "failed"),
				// A summary that was aborted is none, and no answer either.
				assistant("m3b", 3, `"summary":true,"finish":"stop","parentID":"m1","error":{"name":"MessageAbortedError"},"time":{"created":1,"completed":2}`, "half a summary"),
				assistant("m4", 4, `"error":null,"time":{"created":1,"completed":2}`, "kept"),
				{id: "m5", time: 5, data: `{"role":"assistant","time":{"created":1,"completed":2}}`, parts: []string{
					`{"type":"reasoning","text":"private"}`, `{"type":"tool","text":"ls","state":{"output":"x"}}`, `{"type":"text","text":"injected","synthetic":true}`,
				}},
			},
			want: "assistant: kept\n",
		},
		{
			// As 1.18.33 left them: each was in its next request.
			name: "what was aborted, and what the program left behind as it was killed",
			messages: []msg{
				user("m1", 1, "a"),
				assistant("m2", 2, `"error":{"name":"MessageAbortedError","data":{"message":"Aborted"}},"time":{"created":1,"completed":2}`, "as far as it came"),
				user("m3", 3, "b"),
				{id: "m4", time: 4, data: `{"role":"assistant","time":{"created":4}}`, parts: []string{
					`{"type":"step-start"}`, `{"type":"text","text":"Let me run it.","time":{"start":1,"end":2}}`, `{"type":"tool","state":{"status":"running"}}`,
					`{"type":"text","text":"still gro","time":{"start":1}}`,
				}},
				{id: "m5", time: 5, data: `{"role":"assistant","error":{"name":"MessageAbortedError"},"time":{"created":1,"completed":2}}`},
			},
			want: "user: a\nassistant: as far as it came\nuser: b\nassistant: Let me run it.\n",
		},
		{
			name: "the oldest prompts have no parts",
			messages: []msg{
				{id: "m1", time: 1, data: `{"role":"user","summary":{"title":"Sort the list.","body":""}}`},
				{id: "m2", time: 2, data: `{"role":"user","summary":{"title":"Sort it","body":"Sort it by date."}}`},
				{id: "m3", time: 3, data: `{"role":"user","summary":{"title":"Short","body":"Long."}}`},
				{id: "m4", time: 4, data: `{"role":"user","summary":{"title":"x"}}`, parts: []string{`{"type":"file"}`}},
				{id: "m5", time: 5, data: `{"role":"user","summary":{"diffs":[{"before":"` + strings.Repeat("d", 100_000) + `"}],"title":"Long diff \ud800."}}`},
			},
			want: "user: Sort the list.\nuser: Sort it by date.\nuser: Short\n\nLong.\nuser: Long diff \xed\xa0\x80.\n",
		},
		{
			name: "compacted twice, the second one failed",
			messages: []msg{
				user("m1", 1, "old"), compaction("m2", 2, ""), summary("m3", 3, "m2", "first summary"),
				user("m4", 4, "new"),
				compaction("m5", 5, ""), assistant("m6", 6, `"summary":true,"parentID":"m5","error":{"name":"x"},`+finished, "broken"),
				user("m7", 7, "newest"),
			},
			want: "* first summary\nuser: new\nuser: newest\n",
		},
		{
			name: "compacted twice, the tail reaches over the first",
			messages: []msg{
				user("m1", 1, "old"), compaction("m2", 2, ""), summary("m3", 3, "m2", "first"),
				assistant("m4", 4, "", "kept"), compaction("m5", 5, `,"tail_start_id":"m2"`), summary("m6", 6, "m5", "second"),
			},
			want: "* second\nassistant: kept\n",
		},
		{
			name: "a tail whose first message is gone",
			messages: []msg{
				user("m1", 1, "old"), user("m3", 3, "tail"), compaction("m4", 4, `,"tail_start_id":"m2"`), summary("m5", 5, "m4", "sum"),
			},
			want: "* sum\nuser: old\nuser: tail\n",
		},
		{
			name: "a summary without a request, without a finish, before its request",
			messages: []msg{
				user("m1", 1, "a"), summary("m2", 2, "m1", "no compaction part"),
				compaction("m4", 4, ""), assistant("m5", 5, `"summary":true,"parentID":"m4","time":{"created":1,"completed":2}`, "unfinished"),
				summary("m6", 6, "m9", "too early"), compaction("m9", 9, ""),
			},
			want: "user: a\n",
		},
		{
			name:     "an empty summary is a checkpoint that says nothing",
			messages: []msg{user("m1", 1, "old"), compaction("m2", 2, ""), summary("m3", 3, "m2", " "), user("m4", 4, "new")},
			want:     "user: new\n", unknown: true,
		},
		{
			name: "a pending revert", revert: `{"messageID":"m3"}`,
			messages: []msg{user("m1", 1, "a"), assistant("m2", 2, "", "b"), user("m3", 3, "c"), assistant("m4", 4, "", "d")},
			want:     "user: a\nassistant: b\n", dropped: 1,
		},
		{
			name: "a pending revert of a compaction", revert: `{"messageID":"m2","snapshot":"x"}`,
			messages: []msg{user("m1", 1, "a"), compaction("m2", 2, ""), summary("m3", 3, "m2", "sum")},
			want:     "user: a\n", dropped: 1,
		},
		{
			name: "a pending revert to inside a message", revert: `{"messageID":"m2","partID":"m2-p1"}`,
			messages: []msg{user("m1", 1, "a"), assistant("m2", 2, "", "b", "hidden"), user("m3", 3, "c")},
			want:     "user: a\nassistant: b\n", dropped: 1,
		},
		{
			name: "a revert goes by place, not by id", revert: `{"messageID":"m3"}`,
			messages: []msg{user("m8", 1, "a"), assistant("m9", 2, "", "b"), user("m1", 3, "c"), assistant("m2", 4, "", "d"), user("m3", 5, "e"), assistant("m4", 6, "", "f")},
			want:     "user: a\nassistant: b\nuser: c\nassistant: d\n", dropped: 1,
		},
		{
			name: "a revert to a part that is not there", revert: `{"messageID":"m2","partID":"m1"}`,
			messages: []msg{user("m1", 1, "a"), assistant("m2", 2, "", "b"), user("m3", 3, "c")},
			want:     "user: a\nassistant: b\n", dropped: 1, note: "a pending revert names a part that is not there: it hides nothing of that part's message",
		},
		{
			name: "interrupted by a person",
			messages: []msg{
				user("m1", 1, "a"), assistant("m2", 2, `"error":{"name":"MessageAbortedError"},"time":{"created":2,"completed":2}`, "half"),
				user("m3", 3, "b"), assistant("m4", 4, `"error":{"name":"MessageAbortedError"},"time":{"created":4}`, "without an end"),
			},
			want: "user: a\nassistant: half\nuser: b\n",
		},
		{
			name: "killed while it answered, and asked again",
			messages: []msg{
				user("m1", 1, "a"), assistant("m2", 2, `"time":{"created":2}`, "half"),
				user("m3", 3, "b"), assistant("m4", 4, `"time":{"created":4}`, "growing"),
			},
			want: "user: a\nassistant: half\nuser: b\n",
		},
		{
			name: "messages that have lost their parts",
			messages: []msg{
				user("m1", 1, "a"),
				{id: "m2", time: 2, data: `{"role":"user"}`},
				{id: "m3", time: 3, data: `{"role":"assistant","time":{"created":3,"completed":3}}`},
				{id: "m4", time: 4, data: `{"role":"assistant","time":{"created":4}}`},
			},
			want: "user: a\n", damaged: 2,
		},
		{
			name: "a revert that hides nothing", revert: `{"messageID":"m9"}`,
			messages: []msg{user("m1", 1, "a")},
			want:     "user: a\n", note: "a pending revert names a message that is not there: it hides nothing",
		},
		{
			name: "damaged records are passed over",
			messages: []msg{
				user("m1", 1, "a"),
				{id: "m2", time: 2, data: `{"role":`},
				{id: "m3", time: 3, data: `{"role":"user"}`, parts: []string{`{"type":"text","text":"whole"}`, `{"type":"te`}},
			},
			want: "user: a\nuser: whole\n", damaged: 2,
		},
		{
			name:     "strings are JavaScript's",
			messages: []msg{{id: "m1", time: 1, data: `{"role":"user"}`, parts: []string{`{"type":"text","text":"\ud83d \ud83d\ude80\u2028z"}`}}},
			want:     "user: \xed\xa0\xbd \U0001F680\u2028z\n",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			revert, field := "null", ""
			if c.revert != "" {
				revert, field = quote(c.revert), `,"revert":`+c.revert
			}
			makeDB(t, filepath.Join(dir, "a", "opencode.db"), append([]string{
				tablesV1, "insert into session values ('s','p',null,'/w','T'," + revert + ",1000,2000)",
			}, inSQL("s", c.messages)...)...)
			storage := filepath.Join(dir, "b", "storage")
			record(t, storage, "s", `,"title":"T"`+field)
			inFiles(t, storage, "s", c.messages)
			for _, root := range []string{"a", "b"} {
				r := read(t, open(t, filepath.Join(dir, root)), "s")
				if got := text(r.Surface); got != c.want {
					t.Errorf("%s: conversation =\n%swant\n%s", r.Receipt.Format, got, c.want)
				}
				if r.Receipt.DroppedBranches != c.dropped || r.Receipt.DamagedRecords != c.damaged {
					t.Errorf("%s: dropped %d, damaged %d; want %d, %d", r.Receipt.Format, r.Receipt.DroppedBranches, r.Receipt.DamagedRecords, c.dropped, c.damaged)
				}
				if want := int64(len(c.messages)) - 1 - lost(c.messages); *r.Receipt.CapturedThroughSeq != want || *r.Surface.CapturedThroughSeq != want {
					t.Errorf("captured through %d, want %d", *r.Receipt.CapturedThroughSeq, want)
				}
				if c.note != "" && !slices.Contains(r.Receipt.Notes, c.note) {
					t.Errorf("notes %q, want %q", r.Receipt.Notes, c.note)
				}
				if r.Receipt.BytesRead == 0 {
					t.Error("no bytes read")
				}
			}
		})
	}
}

// lost is how many messages cannot be parsed, and so have no place.
func lost(messages []msg) (n int64) {
	for _, m := range messages {
		if m.data == `{"role":` {
			n++
		}
	}
	return n
}

func TestRulesOfV2(t *testing.T) {
	row := func(seq int, typ, data string) string {
		return fmt.Sprintf("insert into session_message values ('m%d','s','%s',%d,%d,1,%s)", seq, typ, seq, seq, quote(data))
	}
	long := strings.Repeat("o", 100_000)
	done := `"time":{"created":1,"completed":2}`
	cases := []struct {
		name   string
		revert string
		rows   []string
		want   string
		notes  int
		last   int64
	}{
		{
			name: "kinds of rows",
			rows: []string{
				row(1, "user", `{"text":" typed "}`), row(4, "synthetic", `{"text":"x"}`), row(6, "system", `{"text":"x"}`), row(7, "skill", `{"text":"x"}`),
				row(8, "assistant", `{"content":[{"type":"text","text":"a"},{"type":"tool"},{"type":"reasoning","text":"r"},{"type":"text","text":"b"}],`+done+`}`),
				row(9, "assistant", `{"content":[{"type":"text","text":"no"}],"error":{"type":"x"},`+done+`}`),
				row(10, "assistant", `{"content":[{"type":"text","text":"no"}],"time":{"created":1}}`),
				row(30, "shell", `{"command":"ls"}`),
			},
			want: "user: typed\nassistant: a\n\nb\n", last: 30,
		},
		{
			name: "long rows are cut down without a change to their texts",
			rows: []string{
				row(1, "user", `{"files":[{"data":"`+long+`"}],"text":"\ud83d typed"}`),
				row(2, "assistant", `{"content":[7,{"type":"tool","output":"`+long+`"},{"type":"text","text":"a \ud83d \u0041"},"x",{"type":"text","text":"b"}],`+done+`,"model":{"id":"m"}}`),
				row(3, "assistant", `{"content":[{"type":"text","text":"`+long+`"}],"error":{"type":"x"},`+done+`}`),
				row(4, "assistant", `{"content":[{"type":"text","text":"`+long+`"}],"time":{"created":1}}`),
				row(5, "assistant", `{"content":[{"type":"text","text":"`+long+`"`),
			},
			want: "user: \xed\xa0\xbd typed\nassistant: a \xed\xa0\xbd A\n\nb\n", notes: 1, last: 5,
		},
		{
			name: "what compaction keeps of the recent part belongs to its summary",
			rows: []string{
				row(1, "user", `{"text":"old"}`), row(2, "compaction", `{"status":"completed","summary":"sum","recent":"user: hi"}`),
				row(3, "user", `{"text":"new"}`), row(4, "compaction", `{"status":"running","summary":"half"}`),
			},
			want: "* sum\n\nuser: hi\nuser: new\n", last: 4,
		},
		{
			name: "an opaque compaction, with a readable one before it",
			rows: []string{
				row(1, "user", `{"text":"old"}`), row(2, "compaction", `{"status":"completed","summary":"sum"}`), row(3, "user", `{"text":"new"}`),
				row(4, "compaction", `{"status":"completed","summary":"","providerContext":{"items":[]}}`), row(5, "user", `{"text":"newest"}`),
			},
			want: "* sum\nuser: new\nuser: newest\n", notes: 1, last: 5,
		},
		{
			name: "a pending revert over a compaction", revert: `{"messageID":"m2"}`,
			rows: []string{
				row(1, "user", `{"text":"old"}`), row(2, "compaction", `{"status":"completed","summary":"sum"}`), row(3, "user", `{"text":"new"}`),
			},
			want: "user: old\n", notes: 1, last: 3,
		},
		{
			name: "a revert to a message that is gone", revert: `{"messageID":"m9"}`,
			rows: []string{row(1, "user", `{"text":"old"}`)}, want: "user: old\n", last: 1, notes: 1,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "opencode.db")
			revert := "null"
			if c.revert != "" {
				revert = quote(c.revert)
			}
			makeDB(t, path, append([]string{tablesV2, "insert into session_v2 values ('s',null,'/w','T'," + revert + ",1000,2000)"}, c.rows...)...)
			r := read(t, open(t, path), "s")
			if got := text(r.Surface); got != c.want {
				t.Errorf("conversation =\n%swant\n%s", got, c.want)
			}
			if len(r.Receipt.Notes) != c.notes || *r.Receipt.CapturedThroughSeq != c.last {
				t.Errorf("notes %q, captured through %d; want %d notes, %d", r.Receipt.Notes, *r.Receipt.CapturedThroughSeq, c.notes, c.last)
			}
		})
	}
}
