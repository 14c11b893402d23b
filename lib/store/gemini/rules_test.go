package gemini_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/gemini"
)

const header = `{"sessionId":"s-1","projectHash":"h","startTime":"2026-08-03T08:00:00.000Z","lastUpdated":"2026-08-03T08:00:00.000Z","kind":"main"}`

// conversation reads a file's lines; a checkpoint is "* text".
func conversation(t testing.TB, name string, lines ...string) (string, *store.Reading) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, strings.Join(lines, "\n")+"\n")
	r, err := gemini.Format.ReadFile(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return text(t, r), r
}

func text(t testing.TB, r *store.Reading) string {
	var out []string
	for _, turn := range conformance.Conversation(t, r.Surface) {
		head := string(turn.Role) + ": "
		if turn.Checkpoint {
			head = "* "
		}
		out = append(out, head+turn.Text)
	}
	return strings.Join(out, "\n")
}

func user(id, content string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-08-03T08:00:01.000Z","type":"user","content":%s}`, id, content)
}

func model(id, content string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-08-03T08:00:02.000Z","type":"gemini","content":%s}`, id, content)
}

func set(messages ...string) string {
	return `{"$set":{"messages":[` + strings.Join(messages, ",") + `]}}`
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"a string", user("1", `"hello"`), "user: hello"},
		{"a part", user("1", `{"text":"hello"}`), "user: hello"},
		{"parts and strings", user("1", `["a ",{"text":"b"},{"inlineData":{}},{"text":"c"}]`), "user: a bc"},
		{"halves that meet", user("1", `[{"text":"\ud83d"},{"text":"\ude80"}]`), "user: \U0001F680"},
		{"shown content", strings.Replace(user("1", `"expanded"`), `"content"`, `"displayContent":"typed","content"`, 1), "user: typed"},
		{"a custom command as it was typed", strings.Replace(user("1", `"expanded"`), `"content"`, `"displayContent":[{"text":"/plan june"}],"content"`, 1), "user: /plan june"},
		{"empty shown content", strings.Replace(user("1", `"real"`), `"content"`, `"displayContent":[],"content"`, 1), "user: real"},
		{"a local command", user("1", `"/stats"`), ""},
		{"help", user("1", `" ?"`), ""},
		{"blank", user("1", `" \n"`), ""},
		{"session context", user("1", `"<session_context>\nx\n</session_context>"`), ""},
		{"a hook's part", user("1", `[{"text":"typed"},{"text":"<hook_context>x</hook_context>"}]`), "user: typed"},
		{"the editor's part", user("1", `[{"text":"Here is the user's editor context as a JSON object:\n{}"},{"text":"typed"}]`), "user: typed"},
		{"the editor's change", user("1", `"Here is a summary of changes in the user's editor context:\n{}"`), ""},
		{"a loop", user("1", `"System: Potential loop detected. Details: x"`), ""},
		{"go on", user("1", `"System: Please continue."`), ""},
		{"a nudge", user("1", `[{"text":"Please continue."}]`), ""},
		{"not a nudge", user("1", `"Please continue. And then stop."`), "user: Please continue. And then stop."},
		{"background", user("1", `"Background execution update:\n<user_input>\nx\n</user_input>\n\nInstruction."`), ""},
		{"a tool's result", user("1", `[{"functionResponse":{"id":"x"}},{"text":"result"}]`), ""},
		{"steering", user("1", `"User steering update:\n<user_input>\nLess </user_input> of it.\n</user_input>\nInternal."`), "user: Less </user_input> of it."},
		{"steering with a result", user("1", `[{"functionResponse":{}},{"text":"User steering update:\n<user_input>\nless\n</user_input>\nInternal."}]`), "user: less"},
		{"steering without a frame", user("1", `"User steering update: what is it?"`), "user: User steering update: what is it?"},
		{"references", user("1", `[{"text":"Read @a.txt"},{"text":"\n--- Content from referenced files ---"},{"text":"\nContent from @a.txt:\n"},{"text":"A"}]`), "user: Read @a.txt"},
		{"references without a line end", user("1", `[{"text":"Read @a.txt\n--- Content from referenced files ---"},{"text":"Content from @a.txt:\n"}]`), "user: Read @a.txt"},
		{"references mentioned", user("1", `"what is --- Content from referenced files --- for?"`), "user: what is --- Content from referenced files --- for?"},
		{"an answer", model("1", `"yes"`), "assistant: yes"},
		{"an answer of parts", model("1", `[{"text":"hidden","thought":true},{"text":"a","thought":false},{"text":"b"},{"functionCall":{"name":"x"},"text":"no"}]`), "assistant: ab"},
		{"only a tool", model("1", `""`), ""},
		{"acknowledgement", model("1", `[{"text":"Got it. Thanks for the additional context!"}]`), ""},
		{"notices", `{"id":"1","type":"info","content":"x"}` + "\n" + `{"id":"2","type":"error","content":"x"}` + "\n" + `{"id":"3","type":"warning","content":"x"}` + "\n" + `{"id":"4","type":"new","content":"x"}`, ""},
	} {
		if got, _ := conversation(t, "session-x.jsonl", header, c.line); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReplay(t *testing.T) {
	snapshot := user("n1", `"notes <state_snapshot>\n<state_snapshot>older</state_snapshot>\nnew\n</state_snapshot> tail"`)
	for _, c := range []struct {
		name    string
		lines   []string
		want    string
		dropped int64
		last    int64
		title   string
	}{
		{
			name:  "a newer version stands in the place of the older",
			lines: []string{header, model("m1", `"one"`), user("m2", `"two"`), model("m1", `"one, later"`)},
			want:  "assistant: one, later\nuser: two", last: 3,
		},
		{
			name:  "only the last list counts",
			lines: []string{header, user("m1", `"gone"`), set(user("a", `"gone too"`)), set(user("b", `"kept"`), model("c", `"old"`)), model("c", `"new"`), user("d", `"after"`)},
			want:  "user: kept\nassistant: new\nuser: after", last: 5,
		},
		{
			name:  "rewind",
			lines: []string{header, user("m1", `"a"`), user("m2", `"b"`), model("m3", `"c"`), `{"$rewindTo":"m2"}`, user("m4", `"d"`), `{"$rewindTo":"m4"}`, user("m2", `"e"`)},
			want:  "user: a\nuser: e", dropped: 2, last: 7,
		},
		{
			name:  "rewound twice without a word between leaves one end",
			lines: []string{header, user("m1", `"a"`), user("m2", `"b"`), user("m3", `"c"`), `{"$rewindTo":"m3"}`, `{"$rewindTo":"m2"}`, user("m4", `"d"`)},
			want:  "user: a\nuser: d", dropped: 1, last: 6,
		},
		{
			name:  "rewind to nowhere takes all",
			lines: []string{header, user("m1", `"a"`), `{"$rewindTo":"m9"}`, `{"$rewindTo":"m9"}`, user("m2", `"b"`)},
			want:  "user: b", dropped: 1, last: 4,
		},
		{
			name:  "rewind into a list",
			lines: []string{header, set(user("a", `"kept"`), user("b", `"gone"`)), `{"$rewindTo":"b"}`, user("b", `"again"`)},
			want:  "user: kept\nuser: again", dropped: 1, last: 3,
		},
		{
			name: "compressed twice",
			lines: []string{
				header, set(user("s1", `"<state_snapshot>first</state_snapshot>"`), model("k", `"Got it. Thanks for the additional context!"`)), user("m1", `"between"`),
				set(user("x", `"before it"`), snapshot, user("m1", `"kept"`)), model("m2", `"answer"`),
			},
			want: "* <state_snapshot>\n<state_snapshot>older</state_snapshot>\nnew\n</state_snapshot>\nuser: kept\nassistant: answer", last: 4,
		},
		{
			name:  "a snapshot that somebody shows",
			lines: []string{header, strings.Replace(snapshot, `"content"`, `"displayContent":"what is this?","content"`, 1)},
			want:  "user: what is this?", last: 1,
		},
		{
			name:  "titles come and go",
			lines: []string{header, `{"$set":{"summary":"first"}}`, `{"$set":{"summary":"second ","lastUpdated":"x"}}`, user("m1", `"a"`)},
			want:  "user: a", last: 3, title: "second",
		},
		{
			name:  "a title that was taken away",
			lines: []string{header, `{"$set":{"summary":"first"}}`, `{"$set":{"summary":null}}`, user("m1", `"a"`)},
			want:  "user: a", last: 3,
		},
		{
			name:  "an older record on one line",
			lines: []string{`{"sessionId":"s-1","projectHash":"h","messages":[` + user("m1", `"a"`) + "," + model("m2", `"b"`) + `],"summary":"old"}`, user("m2", `"c"`)},
			want:  "user: a\nuser: c", last: 1, title: "old",
		},
		{
			name:  "messages without ids",
			lines: []string{header, `{"type":"user","content":"a"}`, `{"type":"user","content":"b"}`},
			want:  "user: a\nuser: b", last: 2,
		},
		{
			name:  "lines that are none of ours",
			lines: []string{header, `{"x":1}`, `{"$set":7}`, `{"$set":{"messages":7}}`, `{"$rewindTo":null,"id":"x"}`, user("m1", `"a"`)},
			want:  "user: a", last: 5,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, r := conversation(t, "session-x.jsonl", c.lines...)
			if got != c.want {
				t.Errorf("conversation\n%s\nwant\n%s", got, c.want)
			}
			title := ""
			if r.Surface.Title != nil {
				title = *r.Surface.Title
			}
			rc := r.Receipt
			if rc.DroppedBranches != c.dropped || *rc.CapturedThroughSeq != c.last || title != c.title || rc.SessionID != "gemini:s-1" {
				t.Errorf("dropped %d, captured through %d, title %q, id %q; want %d, %d, %q", rc.DroppedBranches, *rc.CapturedThroughSeq, title, rc.SessionID, c.dropped, c.last, c.title)
			}
			if rc.Checkpoint != strings.HasPrefix(c.want, "*") || rc.SealedCheckpoint {
				t.Errorf("checkpoint %v, sealed %v", rc.Checkpoint, rc.SealedCheckpoint)
			}
		})
	}
}

// The seqs of a replaced list lead up to its record, so those behind it keep theirs.
func TestSeqs(t *testing.T) {
	_, r := conversation(t, "session-x.jsonl", header, user("1", `"x"`), user("2", `"x"`), user("3", `"x"`), set(user("a", `"a"`), user("b", `"b"`)), user("c", `"c"`))
	var got []int64
	for _, ev := range r.Surface.Events {
		got = append(got, ev.Seq)
	}
	if fmt.Sprint(got) != "[3 4 5]" {
		t.Errorf("seqs %v", got)
	}
}

func TestObjects(t *testing.T) {
	indented := "{\n  \"sessionId\": \"s-1\",\n  \"projectHash\": \"h\",\n  \"startTime\": \"2025-12-03T08:00:00.000Z\",\n  \"messages\": [\n    " +
		user("m1", `"<state_snapshot>x</state_snapshot>"`) + ",\n    {},\n    " + user("m2", `"typed"`) + "\n  ],\n  \"summary\": \"Old\"\n}"
	got, r := conversation(t, "session-x.json", indented)
	if got != "* <state_snapshot>x</state_snapshot>\nuser: typed" || *r.Surface.Title != "Old" || *r.Receipt.CapturedThroughSeq != 2 {
		t.Errorf("got %q, title %v, captured through %v", got, r.Surface.Title, *r.Receipt.CapturedThroughSeq)
	}
	if rc := r.Receipt; rc.DamagedRecords != 0 || rc.TornTail != 0 || rc.Format != "gemini json" {
		t.Errorf("receipt %+v", rc)
	}
	if got, _ := conversation(t, "session-x.json", strings.ReplaceAll(indented, "\n", "")); got != "* <state_snapshot>x</state_snapshot>\nuser: typed" {
		t.Errorf("on one line: %q", got)
	}
	path := filepath.Join(t.TempDir(), "session-x.json")
	for _, content := range []string{indented[:60], "[]", "{}x", "text"} {
		write(t, path, content)
		if _, err := gemini.Format.ReadFile(t.Context(), path, store.ReadOptions{}); err == nil {
			t.Errorf("%.20q was read", content)
		}
	}
}

func TestAnswersNameTheirModel(t *testing.T) {
	_, r := conversation(t, "session-x.jsonl", header, strings.Replace(model("1", `"a"`), `"type"`, `"model":"gemini-x","type"`, 1))
	if got := r.Surface.Events[0].Data.Get("provenance", "model"); !got.Is("gemini-x") || session.MessageOf(r.Surface.Events[0]).Role != session.Assistant {
		t.Errorf("model %s", got.Raw())
	}
}

// A message of a replacing list looks like a record. One that a cut leaves behind is none,
// and what was there before the list stays.
func TestCutList(t *testing.T) {
	list := set(user("a", `"in the list"`), user("b", `"too"`))
	for cut := 1; cut < len(list); cut++ {
		got, r := conversation(t, "session-x.jsonl", header, user("m1", `"before"`), list[:cut], user("m2", `"after"`))
		if got != "user: before\nuser: after" || r.Receipt.DamagedRecords != 1 {
			t.Errorf("%s: %q, %d damaged", list[:cut], got, r.Receipt.DamagedRecords)
		}
	}
}

// Without its first record a session has its file's name for an id, unless another
// record has its own; it is listed, found and read by the same one.
func TestFirstRecordDamaged(t *testing.T) {
	const name = "session-2026-08-03T08-00-5e551000"
	at, _ := time.Parse(time.RFC3339, "2026-08-03T08:00:00Z")
	const uuid = "5e551000-0000-4000-8000-000000000001"
	header := strings.Replace(header, "s-1", uuid, 1)
	filler := model("f", `"`+strings.Repeat("x", 70_000)+`"`)
	for _, c := range []struct {
		name string
		ext  string
		rest []string
		id   string // empty: no session
	}{
		{"cut", ".jsonl", []string{header[:20], user("1", `"one"`), model("2", `"two"`)}, name},
		{"cut before a value", ".jsonl", []string{`{"sessionId":`, user("1", `"one"`), model("2", `"two"`)}, name},
		{"glued", ".jsonl", []string{header[:20] + user("1", `"one"`), model("2", `"two"`)}, name},
		{"zeros", ".jsonl", []string{"\x00\x00\x00", user("1", `"one"`)}, name},
		{"written again", ".jsonl", []string{header[:20], header, user("1", `"one"`)}, uuid},
		{"named far behind", ".jsonl", []string{header[:20], user("1", `"one"`), filler, header, filler}, uuid},
		{"named nowhere in a long file", ".jsonl", []string{header[:20], user("1", `"one"`), filler, filler}, name},
		{"other lines", ".jsonl", []string{`{"se`, `{"x":1}`}, ""},
		{"older format", ".json", []string{"{", `"messages":[`, user("1", `"one"`), "]", "}"}, ""},
	} {
		root := t.TempDir()
		path := filepath.Join(root, "tmp", "p", "chats", name+c.ext)
		content := strings.Join(c.rest, "\n") + "\n"
		write(t, path, content)
		st := conformance.Open(t, gemini.Format, root)
		entries, _ := conformance.ListAll(st)
		if c.id == "" {
			if len(entries) > 0 {
				t.Errorf("%s: listed %+v", c.name, entries)
			}
			continue
		}
		id := "gemini:" + c.id
		if len(entries) != 1 || entries[0].ID != id {
			t.Errorf("%s: listed %+v", c.name, entries)
			continue
		}
		e := entries[0]
		title, err := st.Title(t.Context(), e)
		if err != nil || title == nil || *title != "one" || e.CreatedAt != at.UnixMilli() {
			t.Errorf("%s: title %v, %v, created at %d", c.name, title, err, e.CreatedAt)
		}
		refs, err := st.Lookup(t.Context(), c.id)
		if err != nil || len(refs) != 1 || refs[0].Path != path {
			t.Fatalf("%s: found %v, %v", c.name, refs, err)
		}
		r, err := st.Read(t.Context(), refs[0], store.ReadOptions{})
		if err != nil || !strings.HasPrefix(text(t, r), "user: one") || r.Receipt.SessionID != id || r.Surface.Header.CreatedAt != at.UnixMilli() || r.Receipt.DamagedRecords == 0 {
			t.Errorf("%s: %v, %+v", c.name, err, r)
		}
		if !gemini.Format.Recognise(name+c.ext, []byte(content)) {
			t.Errorf("%s: not recognised", c.name)
		}
	}
}
