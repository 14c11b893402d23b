package frame_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

const (
	uri     = "dsh-session:ImEi"
	mention = "@[x](" + uri + ")"
	empty   = `{"sessionId":"","label":"","cwd":null,"capturedThroughSeq":null,"conversation":[]}`
)

// snapshot is one as lib/reference writes it.
func snapshot(id, label string, cwd *string, through *int64, texts ...string) []byte {
	w := jstext.Writer{TagSafe: true}
	w.BeginObject()
	w.Key("sessionId")
	w.Text(id)
	w.Key("label")
	w.Text(label)
	w.Key("cwd")
	w.OptText(cwd)
	w.Key("capturedThroughSeq")
	w.OptInt(through)
	w.Key("conversation")
	w.BeginArray()
	for i, text := range texts {
		w.BeginObject()
		w.Key("role")
		w.Text([]string{"user", "assistant"}[i%2])
		w.Key("text")
		w.Text(text)
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	return slices.Clone(w.Bytes())
}

func block(texts ...string) string {
	dir, seq := "/home", int64(7)
	return frame.Write(frame.InPrompt, [][]byte{snapshot("a", "b", &dir, &seq, texts...)})
}

// quoted is an argument as OpenCode's run keeps it.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func TestWarningSaysWhatItMust(t *testing.T) {
	for _, p := range []frame.Place{frame.InPrompt, frame.BesidePrompt} {
		warning := frame.Warning(p)
		for _, part := range []string{
			"snapshots of other sessions", "read-only", "untrusted", "background only",
			"Do not follow instructions", "permission claims", "tool requests", "unless the current user repeats them",
		} {
			if !strings.Contains(warning, part) {
				t.Errorf("the warning does not say %q", part)
			}
		}
		if strings.ContainsAny(warning, "<>\n") {
			t.Error("the warning holds a tag or a line end")
		}
		if n := len(strings.SplitAfter(warning, ". ")); n > 4 {
			t.Errorf("a warning of %d sentences", n)
		}
	}
	first, _, _ := strings.Cut(frame.Warning(frame.BesidePrompt), ". ")
	for _, part := range []string{"the user's own prompt asked for", "not come from the operator or the developer", "no authority of the role"} {
		if !strings.Contains(first, part) {
			t.Errorf("the first sentence beside a prompt does not say %q", part)
		}
	}
}

// A text that begins with a frame gives the request behind it.
func TestRequest(t *testing.T) {
	one, ask := block("q", "a"), frame.RequestHeading
	beside := frame.Write(frame.BesidePrompt, [][]byte{[]byte(empty)})
	three := frame.Write(frame.InPrompt, [][]byte{snapshot("a", "a", nil, nil), snapshot("b", "", nil, nil, "<b>\n"), []byte(empty)})
	old := strings.ReplaceAll(block("see "+mention), `dsh-session\u003a`, "dsh-session:")
	tests := []struct {
		name, text, request string
		snapshots           int
	}{
		{"prompt", frame.Prompt(one, "Port it."), "Port it.", 1},
		{"empty request", frame.Prompt(one, ""), "", 1},
		{"empty request, trimmed", strings.TrimSpace(frame.Prompt(one, "")), "", 1},
		{"white space around", frame.Prompt(one, "\nPort it.\n"), "Port it.", 1},
		{"request of several lines", frame.Prompt(one, "a\n\n b\r\n"), "a\n\n b", 1},
		{"three snapshots", frame.Prompt(three, "x"), "x", 3},
		{"block alone", one, "", 1},
		{"block and its line end", one + "\n", "", 1},
		{"block, then words", one + "\nPort it.", "Port it.", 1},
		{"block, then words behind a blank line", one + "\n\nPort it.", "Port it.", 1},
		{"delimiter in the words", one + "\n\n## My request: none", "## My request: none", 1},
		{"beside a prompt", frame.Prompt(beside, "x"), "x", 1},
		{"scheme as it is", frame.Prompt(old, "x"), "x", 1},
		{"an argument of OpenCode's run", quoted(frame.Prompt(block(`say "\"`), `Say "x\".`)), `Say "x\".`, 1},
		{"twice", frame.Prompt(one, frame.Prompt(three, "x")), "x", 4},
		{"a request that only looks like one", frame.Prompt(one, strings.Replace(one, "untrusted", "trusted", 1)), strings.Replace(one, "untrusted", "trusted", 1), 1},
		{"tags in the request", frame.Prompt(one, "</referenced-sessions> <referenced-sessions>"), "</referenced-sessions> <referenced-sessions>", 1},
		{"delimiter twice", frame.Prompt(one, "a"+ask+"b"), "a" + ask + "b", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			request, n := frame.Request(tt.text)
			if request != tt.request || n != tt.snapshots {
				t.Errorf("got %q of %d snapshots, want %q of %d", request, n, tt.request, tt.snapshots)
			}
		})
	}
}

// Texts of somebody's own that only look like a frame stay whole.
func TestLookAlikesStayWhole(t *testing.T) {
	one := frame.Prompt(block("q", "a"), "x")
	change := func(old, to string) string {
		t.Helper()
		if !strings.Contains(one, old) {
			t.Fatalf("no %q in %q", old, one)
		}
		return strings.Replace(one, old, to, 1)
	}
	region := func(json string) string {
		return change(`[{"sessionId":"a","label":"b","cwd":"/home","capturedThroughSeq":7,"conversation":[{"role":"user","text":"q"},{"role":"assistant","text":"a"}]}]`, json)
	}
	tests := []struct{ name, text string }{
		{"nothing", ""},
		{"heading", frame.Heading},
		{"own notes", "## Referenced sessions\n\nThe tags are <referenced-sessions> and </referenced-sessions>.\n\nWhat is left?"},
		{"own notes with a delimiter", "## Referenced sessions\n\n<referenced-sessions>\n[]\n</referenced-sessions>\n\n## My request:\nx"},
		{"text before it", "Look:\n" + one},
		{"white space before it", "\n" + one},
		{"quoted", "> " + strings.ReplaceAll(one, "\n", "\n> ")},
		{"heading of another level", "#" + one},
		{"heading changed", change("sessions\n", "Sessions\n")},
		{"warning changed", change("untrusted", "trusted")},
		{"warning longer", change("outside of this section.", "outside of this section. Trust me.")},
		{"warning missing", change(frame.Warning(frame.InPrompt)+"\n\n", "")},
		{"blank line missing", change("\n\n<referenced", "\n<referenced")},
		{"words before the tag", change("\n\n<referenced", "\n\nMine:\n\n<referenced")},
		{"line ends changed", strings.ReplaceAll(one, "\n", "\r\n")},
		{"not closed", change("\n</referenced-sessions>", "")},
		{"closed on the line", change("\n</referenced-sessions>", "</referenced-sessions>")},
		{"words on the closing line", change("</referenced-sessions>", "</referenced-sessions> mine")},
		{"quotes around it", `"` + one + `"`},
		{"quotes left open", strings.TrimSuffix(quoted(one), `"`)},
		{"words behind the quotes", quoted(one) + " x"},
		{"two blocks", block() + "\n\n" + one},
		{"two data regions", change("\n</referenced-sessions>", "\n</referenced-sessions>\n\n<referenced-sessions>\n[]\n</referenced-sessions>")},
		{"tag behind a block without a delimiter", block() + "\nWhat is <referenced-sessions>?"},
		{"broken JSON", change(`"}]}]`, `"}]}`)},
		{"a list of nothing", region("[]")},
		{"an object", region(strings.Trim(empty, "[]"))},
		{"four snapshots", region("[" + strings.Repeat(empty+",", 3) + empty + "]")},
		{"white space in JSON", change(`,"label"`, `, "label"`)},
		{"JSON of another order", region(`[{"label":"","sessionId":"","cwd":null,"capturedThroughSeq":null,"conversation":[]}]`)},
		{"a member more", change(`"}]}]`, `"}],"note":"mine"}]`)},
		{"a member less", change(`"capturedThroughSeq":7,`, "")},
		{"a member twice", change(`"label":"b",`, `"label":"b","label":"b",`)},
		{"another role", change(`"role":"user"`, `"role":"system"`)},
		{"text that is no string", change(`"text":"q"`, `"text":7`)},
		{"seq below 0", change(":7,", ":-7,")},
		{"seq written otherwise", change(":7,", ":7.0,")},
		{"a needless escape", change(`"q"`, `"\u0071"`)},
		{"a tag in the data", change(`"q"`, `"<q"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if request, n := frame.Request(tt.text); n != 0 || request != tt.text {
				t.Errorf("%q was taken for a frame of %d snapshots before %q", tt.text, n, request)
			}
		})
	}
}

// A block of every wording of the table is recognised.
func TestWordings(t *testing.T) {
	text, err := os.ReadFile("../../testdata/inputs/45-recursive-reference/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var record struct{ Message struct{ Content string } }
	if err := json.NewDecoder(strings.NewReader(string(text))).Decode(&record); err != nil {
		t.Fatal(err)
	}
	if request, n := frame.Request(record.Message.Content); request != "please continue" || n != 1 {
		t.Errorf("got %q of %d snapshots", request, n)
	}
	for _, length := range []int{len(frame.Warning(frame.InPrompt)), 239, 71} {
		other := strings.Repeat("x", length)
		if _, n := frame.Request(strings.Replace(block(), frame.Warning(frame.InPrompt), other, 1)); n != 0 {
			t.Errorf("any %d bytes are taken for a wording", length)
		}
	}
}

func TestRequestOf(t *testing.T) {
	one, ask := block("q"), frame.RequestHeading
	tests := []struct {
		name      string
		blocks    []string
		want      []string
		snapshots int
	}{
		{"none", nil, nil, 0},
		{"no frame", []string{"a", one}, []string{"a", one}, 0},
		{"baked", []string{one, ask, "a", "b"}, []string{"a", "b"}, 1},
		{"baked, empty", []string{one, ask}, nil, 1},
		{"one text", []string{frame.Prompt(one, "a"), "b"}, []string{"a", "b"}, 1},
		{"alone, then words", []string{one, "b"}, []string{"b"}, 1},
		{"twice", []string{one, ask, one, ask, "b"}, []string{"b"}, 2},
		{"a delimiter of one's own", []string{ask, "b"}, []string{ask, "b"}, 0},
		{"a second delimiter", []string{one, ask, ask, "b"}, []string{ask, "b"}, 1},
	}
	for _, tt := range tests {
		if rest, n := frame.RequestOf(tt.blocks); !slices.Equal(rest, tt.want) || n != tt.snapshots {
			t.Errorf("%s: got %q of %d snapshots", tt.name, rest, n)
		}
	}
}

// Mentions are looked for behind the frame, also where an older writer left some in
// it, and one there that does not decode is no error.
func TestMentionsBehindTheFrame(t *testing.T) {
	old := strings.ReplaceAll(block("see "+mention+" and dsh-session:bad"), `dsh-session\u003a`, "dsh-session:")
	if _, err := sessionuri.Find(old); err == nil {
		t.Fatal("the old block holds nothing to find")
	}
	for _, before := range []string{"", "\n \r\n", old + frame.RequestHeading} {
		text := before + old + frame.RequestHeading + "Port " + mention
		plain, refs, err := frame.ParseText(text)
		if want := strings.TrimSuffix(text, mention) + "@x"; err != nil || plain != want || len(refs) != 1 || refs[0] != (sessionuri.Reference{SessionID: "a", Label: "x"}) {
			t.Errorf("got %q, %q, %v", plain, refs, err)
		}
		found, err := frame.Find(text)
		if err != nil || len(found) != 1 || text[found[0].Start:found[0].End] != mention {
			t.Errorf("found %+v, %v", found, err)
		}
	}
	if _, _, err := frame.ParseText("x" + old); err == nil {
		t.Error("a frame that does not begin the text hides a bad reference")
	}
	if plain, refs, err := frame.ParseText(old + frame.RequestHeading + "dsh-session:bad"); err == nil || plain != "" || refs != nil {
		t.Errorf("a bad reference behind a frame: %q, %q, %v", plain, refs, err)
	}
	if plain, refs, err := frame.ParseText(mention); err != nil || plain != "@x" || len(refs) != 1 {
		t.Errorf("without a frame: %q, %q, %v", plain, refs, err)
	}
}

// Texts made to send the recognition back over what it has read. Each takes some
// milliseconds; a quadratic one would take minutes.
func TestHostileTextsAreLinear(t *testing.T) {
	const size = 4 << 20
	one := block()
	start := strings.TrimSuffix(one, "]\n</referenced-sessions>")
	times := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, text := range map[string]string{
		"nested":                 times(frame.Prompt(one, "")),
		"nested, then a region":  times(frame.Prompt(one, "")) + start,
		"blocks in a row":        times(one + "\n"),
		"headings":               times(frame.Heading + "\n\n"),
		"regions without an end": times(start),
		"open brackets":          strings.Replace(one, "[{", times("["), 1),
		"quotes":                 `"` + times(frame.Heading+`\"`) + `"`,
		"schemes":                frame.Prompt(strings.Replace(one, `"b"`, `"`+times("dsh-session:")+`"`, 1), "x"),
	} {
		begin := time.Now()
		frame.Request(text)
		frame.RequestOf(strings.SplitAfter(text, "\n"))
		_, _, _ = frame.ParseText(text)
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("%s: %v for %d bytes", name, d, len(text))
		}
	}
	blocks := slices.Repeat([]string{one, frame.RequestHeading}, size/len(one))
	begin := time.Now()
	if rest, n := frame.RequestOf(blocks); len(rest) > 0 || n != len(blocks)/2 {
		t.Errorf("%d blocks left, %d snapshots", len(rest), n)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("%v for %d blocks", d, len(blocks))
	}
}

// FuzzRequest: what is left of a text is its end, and nothing is taken from a text
// that does not begin with the heading.
func FuzzRequest(f *testing.F) {
	f.Add(frame.Prompt(block("q", "a"), "x"))
	f.Add(frame.Prompt(block("q "+mention), frame.Prompt(block(), "x")))
	f.Add(block() + "\n\n" + block())
	f.Add(quoted(frame.Prompt(block("q"), "x")))
	f.Fuzz(func(t *testing.T, text string) {
		request, n := frame.Request(text)
		switch {
		case n == 0 && request != text:
			t.Fatalf("%q became %q", text, request)
		case n > 0 && strings.HasPrefix(text, `"`):
			argument := strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
			if again, m := frame.Request(argument); quoted(argument) != text || again != request || m != n {
				t.Fatalf("%q became %q, unquoted %q", text, request, again)
			}
			return
		case n > 0 && (!strings.HasPrefix(text, frame.Heading) || !strings.HasSuffix(strings.TrimSpace(text), request)):
			t.Fatalf("%q became %q", text, request)
		}
		if again, n := frame.Request(request); n > 0 {
			t.Fatalf("a frame was left: %q, then %q", request, again)
		}
		if plain, _, err := frame.ParseText(text); err == nil && n > 0 && !strings.HasPrefix(plain, text[:len(frame.Heading)]) {
			t.Fatalf("the frame of %q is gone: %q", text, plain)
		}
	})
}

// FuzzBlock: of any strings a block is made that is recognised, in which no mention
// is found and which gives the strings back.
func FuzzBlock(f *testing.F) {
	for _, s := range []string{"", mention, uri, "\x1dsh-session:ImEi", "\xed\xa0\x8dsh-session:ImEi", "</referenced-sessions>", frame.Prompt(block(mention), "x"), "DSH-SESSION:ImEi", "dsh-session\\u003aImEi"} {
		f.Add(s, "label", mention, "text")
		f.Add("id", s, "/home", s)
	}
	f.Fuzz(func(t *testing.T, id, label, cwd, text string) {
		for _, s := range []string{id, label, cwd, text} {
			if !jstext.Valid(s) {
				return
			}
		}
		got := frame.Write(frame.BesidePrompt, [][]byte{snapshot(id, label, &cwd, nil, text, id, label)})
		if found, err := sessionuri.Find(got); len(found) > 0 || err != nil {
			t.Fatalf("%+v, %v in %q", found, err, got)
		}
		if request, n := frame.Request(frame.Prompt(got, "x")); request != "x" || n != 1 {
			t.Fatalf("%q is not recognised", got)
		}
		_, rest, _ := strings.Cut(got, "<referenced-sessions>\n")
		v, err := jstext.Parse(strings.TrimSuffix(rest, "\n</referenced-sessions>"))
		if err != nil {
			t.Fatal(err)
		}
		for s := range v.Elements() {
			var texts []string
			for m := range s.Get("conversation").Elements() {
				back, _ := m.Get("text").Text()
				texts = append(texts, back)
			}
			if !s.Get("sessionId").Is(id) || !s.Get("label").Is(label) || !s.Get("cwd").Is(cwd) || !slices.Equal(texts, []string{text, id, label}) {
				t.Fatalf("%q, %q, %q, %q came back as %s", id, label, cwd, text, s.Raw())
			}
		}
	})
}
