package hostconfig_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

func hook(command string) hostconfig.Hook {
	return hostconfig.Hook{
		Event: "Ev", Grouped: true, CommandKey: "command", TimeoutKey: "timeout", Command: command, Timeout: 30,
		Ours: func(c string) bool { _, ok := hostconfig.OwnCommand(c, "claude"); return ok },
		Runs: func(c string) bool { return hostconfig.RunsHook(c, "claude") },
	}
}

const command = "/bin/dsh-ref hook claude"

// Where the entry is put, and how it is written there.
func TestInstall(t *testing.T) {
	const entry = `{"hooks":[{"type":"command","command":"/bin/dsh-ref hook claude","timeout":30}]}`
	for _, c := range []struct{ name, before, after string }{
		{"no file", "", "{\n  \"hooks\": {\n    \"Ev\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"/bin/dsh-ref hook claude\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ]\n  }\n}\n"},
		{"one line", `{"a":1}`, `{"a":1,"hooks":{"Ev":[` + entry + `]}}`},
		{"bytes that are no UTF-8", "{\"a\":\"\xff\"}", "{\"a\":\"\xff\",\"hooks\":{\"Ev\":[" + entry + "]}}"},
		{"one line, spaced", `{"a": 1, "b": 2}`, `{"a": 1, "b": 2, "hooks":{"Ev":[` + entry + `]}}`},
		{"empty hooks in one line", `{"hooks":{}}`, `{"hooks":{"Ev":[` + entry + `]}}`},
		{"other hook", `{"hooks":{"Ev":[{"hooks":[]}]}}`, `{"hooks":{"Ev":[{"hooks":[]},` + entry + `]}}`},
		{"comments, tabs, CRLF, no comma", "\xef\xbb\xbf{\r\n\t\"hooks\": {\r\n\t\t\"Ev\": [\r\n\t\t\t1 // one\r\n\t\t]\r\n\t}\r\n}", "\xef\xbb\xbf{\r\n\t\"hooks\": {\r\n\t\t\"Ev\": [\r\n\t\t\t1, // one\r\n\t\t\t{\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t\"type\": \"command\",\r\n\t\t\t\t\t\t\"command\": \"/bin/dsh-ref hook claude\",\r\n\t\t\t\t\t\t\"timeout\": 30\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}"},
		{"trailing comma", "{\"hooks\":{\"Ev\":[\n    1,\n]}}", "{\"hooks\":{\"Ev\":[\n    1,\n    {\n      \"hooks\": [\n        {\n          \"type\": \"command\",\n          \"command\": \"/bin/dsh-ref hook claude\",\n          \"timeout\": 30\n        }\n      ]\n    },\n]}}"},
		{"an older path", `{"hooks":{"Ev":[{"matcher":"","hooks":[{"command":"'/old place/dsh-ref' hook claude","note":1}]}]}}`, `{"hooks":{"Ev":[{"matcher":"","hooks":[{"command":"/bin/dsh-ref hook claude","note":1}]}]}}`},
		{"two of ours", `{"hooks":{"Ev":[` + entry + `,2,` + entry + `]}}`, `{"hooks":{"Ev":[` + entry + `,2]}}`},
		{"two of ours, one edited", `{"hooks":{"Ev":[{"hooks":[{"type":"command","command":"/bin/dsh-ref hook claude","timeout":30,"note":1}]},` + entry + `]}}`, `{"hooks":{"Ev":[{"hooks":[{"type":"command","command":"/bin/dsh-ref hook claude","timeout":30,"note":1}]}]}}`},
		{"somebody's own", `{"hooks":{"Ev":[{"hooks":[{"command":"dsh-ref hook claude"},{"command":"/bin/dsh-ref hook --json-errors claude"}]}]}}`, `{"hooks":{"Ev":[{"hooks":[{"command":"dsh-ref hook claude"},{"command":"/bin/dsh-ref hook --json-errors claude"}]},` + entry + `]}}`},
		{"a timeout that is too short", strings.Replace(`{"hooks":{"Ev":[`+entry+`]}}`, "30", "5", 1), `{"hooks":{"Ev":[` + entry + `]}}`},
		{"a longer one", strings.Replace(`{"hooks":{"Ev":[`+entry+`]}}`, "30", "90", 1), strings.Replace(`{"hooks":{"Ev":[`+entry+`]}}`, "30", "90", 1)},
		{"commands that only look like ours", `{"hooks":{"Ev":[{"hooks":[{"command":"echo dsh-ref hook claude"},{"command":"dsh-ref hook codex"},{"command":"dsh-ref hook claude | tee x"}]}]}}`, `{"hooks":{"Ev":[{"hooks":[{"command":"echo dsh-ref hook claude"},{"command":"dsh-ref hook codex"},{"command":"dsh-ref hook claude | tee x"}]},` + entry + `]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := hook(command).Install("f", []byte(c.before))
			if err != nil || string(got) != c.after {
				t.Errorf("got %q, %v\nwant %q", got, err, c.after)
			}
		})
	}
}

// What a person changed in an entry of ours is told, and so are entries of their own.
func TestEdited(t *testing.T) {
	const ours = `"type":"command","command":"/bin/dsh-ref hook claude","timeout":30`
	for entry, edited := range map[string]bool{
		"{" + ours + "}":    false,
		"{ " + ours + "\n}": false,
		"{" + strings.Replace(ours, "30", "90", 1) + "}": false,
		"{" + strings.Replace(ours, "30", "5", 1) + "}":  true,
		"{" + ours + `,"async":true}`:                    true,
		"{" + ours + "/* mine */}":                       true,
		"{ // mine\n" + ours + "}":                       true,
		`{"command":"/bin/dsh-ref hook claude"}`:         true,
	} {
		file := `{"hooks":{"Ev":[{"hooks":[` + entry + `,{"command":"dsh-ref hook claude"},{"command":"x"}]}]}}`
		found, err := hook(command).Find("f", []byte(file))
		if err != nil || len(found) != 1 || found[0].Edited != edited {
			t.Errorf("%q: %+v, %v", entry, found, err)
		}
		others, err := hook(command).Others("f", []byte(file))
		if err != nil || len(others) != 1 || others[0].Command != "dsh-ref hook claude" {
			t.Errorf("%q: others %+v, %v", entry, others, err)
		}
	}
}

// What is left without a backup. Nothing of others' goes, comments included.
func TestRemove(t *testing.T) {
	const entry = `{"hooks":[{"type":"command","command":"/bin/dsh-ref hook claude","timeout":30}]}`
	for _, c := range []struct{ name, file, before, after string }{
		{"nothing", `{"a":1}`, "", `{"a":1}`},
		{"all of it", `{"hooks":{"Ev":[` + entry + `]}}`, "", `{}`},
		{"hooks was there", `{"hooks":{"Ev":[` + entry + `]}}`, `{"hooks":{}}`, `{"hooks":{}}`},
		{"the event was there", `{"hooks":{"Ev":[` + entry + `]}}`, `{"hooks":{"Ev":[]}}`, `{"hooks":{"Ev":[]}}`},
		{"others stay", `{"hooks":{"Ev":[1,` + entry + `, 2]},"z":1}`, "", `{"hooks":{"Ev":[1, 2]},"z":1}`},
		{"comments stay", "{\"hooks\":{\"Ev\":[\n 1, // one\n // two\n " + entry + " /* three */ // four\n]}}", "", "{\"hooks\":{\"Ev\":[\n 1 // one\n // two\n /* three */ // four\n]}}"},
		{"a comment before the next", "{\"hooks\":{\"Ev\":[ // one\n " + entry + ", 2]}}", "", "{\"hooks\":{\"Ev\":[ // one\n 2]}}"},
		{"in a group of somebody's", `{"hooks":{"Ev":[{"matcher":"x","hooks":[{"command":"/bin/dsh-ref hook claude"}]}]}}`, "", `{"hooks":{"Ev":[{"matcher":"x","hooks":[]}]}}`},
		{"added after us", `{"hooks":{"Ev":[` + entry + `],"Other":[]},"z":1}`, `{}`, `{"hooks":{"Other":[]},"z":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := hook(command).Remove("f", []byte(c.file), []byte(c.before))
			if err != nil || string(got) != c.after {
				t.Errorf("got %q, %v\nwant %q", got, err, c.after)
			}
		})
	}
}

// Files that cannot be edited: place and rule.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ file, subject, rule string }{
		{"{\n \"a\": x}", "f:2:7", "file-syntax"},
		{`{"a":1`, "f:1:7", "file-syntax"},
		{`{"a":1}}`, "f:1:8", "file-syntax"},
		{"[]", "f:1:1", "hooks-shape"},
		{"{\"é\":1,\n\"hooks\":[]}", "f:2:9", "hooks-shape"},
		{`{"é":1,"hooks":{"Ev":{}}}`, "f:1:22", "hooks-shape"},
		{`{"hooks":null}`, "f:1:10", "hooks-shape"},
		{`{"hooks":{},"\u0068ooks":{}}`, "f:1:13", "hooks-duplicate"},
		{`{"hooks":{"Ev":[],"Ev":[]}}`, "f:1:19", "hooks-duplicate"},
		{`{"hooks":{"Ev":[{"hooks":[],"hooks":[]}]}}`, "f:1:29", "hooks-duplicate"},
		{strings.Repeat("[", 1<<20), "f:1:201", "file-depth"},
		{`{"a":"` + strings.Repeat("[", 300) + `",` + strings.Repeat("[", 300), "f:1:508", "file-depth"},
		{strings.Repeat(" ", hostconfig.MaxSize) + "{}", "f:1:1", "file-size"},
		{"\xef\xbb\xbf{}" + strings.Repeat(" ", hostconfig.MaxSize-4), "f:1:1", "file-size"},
		{`{"hooks":{"Ev":[` + strings.Repeat(`{"hooks":[{"command":"/bin/dsh-ref hook claude"}]},`, 101) + `]}}`, "f:1:27", "hooks-many"},
	} {
		for _, edit := range []func() ([]byte, error){
			func() ([]byte, error) { return hook(command).Install("f", []byte(c.file)) },
			func() ([]byte, error) { return hook(command).Remove("f", []byte(c.file), nil) },
		} {
			got, err := edit()
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.Usage || f.Subject != c.subject || f.Rule != c.rule || got != nil {
				t.Errorf("%.60q: got %.60q, %v (%+v); want %s, %s", c.file, got, err, f, c.subject, c.rule)
			}
		}
	}
}

// A file is edited only where it can be opened again.
func TestLargest(t *testing.T) {
	for _, mark := range []string{"", "\xef\xbb\xbf"} {
		for spare := 0; spare < 300; spare += 9 {
			file := mark + "{}"
			file += strings.Repeat(" ", hostconfig.MaxSize-spare-len(file))
			got, err := hook(command).Install("f", []byte(file))
			if err == nil {
				if len(got) > hostconfig.MaxSize || spare == 0 {
					t.Errorf("%d bytes less than the most: %d bytes with the hook", spare, len(got))
				}
				return
			}
			var f *fault.Error
			if !errors.As(err, &f) || f.Rule != "file-size" {
				t.Fatal(err)
			}
		}
		t.Error("300 bytes were not enough")
	}
}

// meaning is what a file says, as a program reads it.
func meaning(t *testing.T, data []byte) (v any) {
	t.Helper()
	plain, err := hujson.Standardize(bytes.Clone(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	if err == nil {
		err = json.Unmarshal(plain, &v)
	}
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return v
}

// comments is the comments of a file, in their order.
func comments(t *testing.T, data []byte) string {
	t.Helper()
	v, err := hujson.Parse(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	text := v.String()
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(text[i:], "//"):
			line, _, _ := strings.Cut(text[i:], "\n")
			out = append(out, strings.TrimSuffix(line, "\r"))
			i += len(line)
		case strings.HasPrefix(text[i:], "/*"):
			n := strings.Index(text[i+2:], "*/") + 4
			out = append(out, text[i:i+n])
			i += n - 1
		}
	}
	return strings.Join(out, "\x00")
}

// FuzzEdit holds the laws of an edit for any file: the entry is there once, a second
// install changes nothing, and without the entry the file says what it said, with
// all its comments.
func FuzzEdit(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{\r\n\t// c\r\n}", `{"hooks":{}}`, `{"hooks":{"Ev":[/* c */]},}`, "\xef\xbb\xbf{\"a\":[1,2,],\n\"hooks\":{\"Ev\":[{\"hooks\":[],},],},}",
		`{"hooks":{"Ev":[{"hooks":[{"command":"/bin/dsh-ref hook claude"}]}]}}`, "{\"hooks\":{\"Ev\":[1 // c\n]}}//", "{\"hooks\":{\"Ev\":[// c\n{\"hooks\":[{\"command\":\"x\"}]}/**/,/**/2]}}", "{//\n}", "{\"a\":1//\n,\"b\":2}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		h := hook(command)
		old, err := h.Find("f", before)
		if err != nil || len(old) > 0 {
			if err != nil {
				if got, err := h.Install("f", before); err == nil {
					t.Fatalf("%q was edited: %q", before, got)
				}
			}
			return
		}
		after, err := h.Install("f", before)
		if err != nil {
			t.Fatal(err)
		}
		found, err := h.Find("f", after)
		if err != nil || len(found) != 1 || found[0].Command != command || found[0].Timeout != 30 {
			t.Fatalf("%q: found %+v, %v", after, found, err)
		}
		if again, err := h.Install("f", after); err != nil || !bytes.Equal(again, after) {
			t.Fatalf("%q: a second time %q, %v", after, again, err)
		}
		left, err := h.Remove("f", after, before)
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\xef\xbb\xbf")))) == 0 {
			if !hostconfig.Empty(left) {
				t.Fatalf("%q is left of nothing", left)
			}
			return
		}
		if got, want := meaning(t, left), meaning(t, before); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q", before, left)
		}
		if got, want := comments(t, left), comments(t, before); got != want {
			t.Fatalf("%q became %q, comments %q became %q", before, left, want, got)
		}
	})
}
