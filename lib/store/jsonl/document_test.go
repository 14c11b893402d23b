package jsonl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

func TestDocument(t *testing.T) {
	long := strings.Repeat("x", 3*readSize)
	for _, c := range []struct{ name, in, want, rule string }{
		{"one line", `{"a":1,"b":2}`, `{"a":1}`, ""},
		{"many lines", "\xef\xbb\xbf{\r\n  \"a\":\n [1\n,\n-2.5e3\n]\n,\n \"b\": {\n}\n}\n\n", `{"a":[1,-2.5e3]}`, ""},
		{"large", "{\n\"b\":\"" + long + "\",\n\"a\":true\n}", `{"a":true}`, ""},
		{"unfinished", "{\n\"a\":\n", "", "unfinished"},
		{"unfinished in a string", `{"a":"x`, "", "unfinished"},
		{"empty", "", "", "unfinished"},
		{"line end in a string", "{\"a\":\"x\ny\"}", "", "not-json"},
		{"line end in a word", "{\"a\":tr\nue}", "", "not-json"},
		{"array", "[1]", "", "not-json"},
		{"two", "{}\n{}", "", "not-json"},
		{"text behind", "{} x", "", "not-json"},
		{"bad", "{\"a\":01}", "", "not-json"},
	} {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(path, []byte(c.in), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Document(t.Context(), Shape{"a": nil})
		s.Close()
		rule := ""
		var f *fault.Error
		if errors.As(err, &f) {
			rule = f.Rule
		}
		if v.Raw() != c.want || rule != c.rule || (err != nil && f.Kind != fault.Damaged) {
			t.Errorf("%s: got %q, %v; want %q, rule %q", c.name, v.Raw(), err, c.want, c.rule)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := Open(t.Context(), "document.go")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Document(ctx, nil); fault.KindOf(err) != fault.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPrefix(t *testing.T) {
	shape := Shape{"id": nil, "n": nil}
	for _, c := range []struct{ in, want string }{
		{"{\n  \"id\": \"x\",\n  \"n\": 12,\n  \"messages\": [\n    {\n      \"id\": \"m", `{"id":"x","n":12}`},
		{`{"id":"x","n":12`, `{"id":"x"}`},
		{`{"id":"x","n":12,`, `{"id":"x","n":12}`},
		{`{"id":"x","n":12,"i`, `{"id":"x","n":12}`},
		{`{"id":"x`, `{}`},
		{`{"id":"x"`, `{"id":"x"}`},
		{`{"a":{"id":"y"},"id":"x"}`, `{"id":"x"}`},
		{`{"id":"x"}` + "\n" + `{"id":"y"}`, `{"id":"x"}`},
		{`{`, `{}`},
		{`{"id":[1,2`, `{}`},
		{`{"id":[{"k":1},2`, ``},
		{``, ``},
		{"  \n", ``},
		{`[1]`, ``},
		{`{"id":"x",}`, ``},
		{"{\"id\":\"x\ny", ``},
		{"text", ``},
	} {
		if got := Prefix([]byte(c.in), shape).Raw(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}
