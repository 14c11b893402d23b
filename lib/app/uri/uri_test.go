package uri_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/app/uri"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

type result struct {
	status         int
	stdout, stderr string
}

func run(stdin string, args ...string) result {
	var out, errs bytes.Buffer
	status := uri.Main(&cli.System{
		Args: append([]string{"dsh-uri"}, args...), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Now: time.Now, Context: context.Background(),
	})
	return result{status, out.String(), errs.String()}
}

func vectors(t *testing.T, name string) []jstext.Value {
	t.Helper()
	b, err := os.ReadFile("../../../testdata/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []jstext.Value
	for c := range jstext.MustParse(jstext.Decode(b)).Get("cases").Elements() {
		all = append(all, c)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return all
}

func str(t *testing.T, v jstext.Value) string {
	t.Helper()
	s, ok := v.Text()
	if !ok {
		t.Fatalf("%q is not a string", v.Raw())
	}
	return s
}

// All ids of the vectors go through one run, as JSON and as bytes, and come back.
func TestEncodeAndDecodeAll(t *testing.T) {
	var ids, uris, quoted, raw, rawURIs strings.Builder
	for _, c := range vectors(t, "uri.json") {
		lit, u := str(t, c.Get("idJson")), str(t, c.Get("uri"))
		ids.WriteString(lit + "\n")
		uris.WriteString(u + "\n")
		quoted.WriteString(jstext.Quote(u) + "\n")
		if id := str(t, jstext.MustParse(lit)); !strings.Contains(id, "\x00") {
			raw.WriteString(id + "\x00")
			rawURIs.WriteString(u + "\x00")
		}
	}
	tests := []struct {
		name, in, want string
		args           []string
	}{
		{"encode JSON", ids.String(), quoted.String(), []string{"encode", "--json"}},
		{"decode JSON", quoted.String(), ids.String(), []string{"decode", "--json"}},
		{"decode URIs to JSON", uris.String(), ids.String(), []string{"decode", "--json"}},
		{"encode bytes", raw.String(), rawURIs.String(), []string{"encode", "-0"}},
		{"decode bytes", rawURIs.String(), raw.String(), []string{"decode", "-0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(tt.in, tt.args...)
			if got.status != 0 || got.stderr != "" {
				t.Fatalf("exit %d, %q", got.status, got.stderr)
			}
			lines, want := strings.Split(got.stdout, "\n"), strings.Split(tt.want, "\n")
			for i := range min(len(lines), len(want)) {
				if lines[i] != want[i] {
					t.Fatalf("line %d\n got %q\nwant %q", i+1, lines[i], want[i])
				}
			}
			if len(lines) != len(want) {
				t.Errorf("%d lines, want %d", len(lines), len(want))
			}
		})
	}
}

func TestDecodeEach(t *testing.T) {
	for _, c := range vectors(t, "uri-decode.json") {
		u := str(t, c.Get("uri"))
		got := run("", "decode", "--json", "--", u)
		if c.Get("ok").True() {
			if want := str(t, c.Get("idJson")) + "\n"; got.status != 0 || got.stdout != want || got.stderr != "" {
				t.Errorf("%q: %+v, want %q", u, got, want)
			}
			continue
		}
		if got.status != 3 || got.stdout != "" || !strings.HasPrefix(got.stderr, "dsh-uri: ") {
			t.Errorf("%q: %+v, want exit 3", u, got)
		}
		if got := run("", "decode", "--", u); got.status != 3 || got.stdout != "" {
			t.Errorf("%q, not as JSON: %+v, want exit 3", u, got)
		}
	}
}

func TestMentionEach(t *testing.T) {
	for _, c := range vectors(t, "mention-format.json") {
		args := []string{"mention"}
		if label := c.Get("labelJson"); label.Kind() == jstext.String {
			args = append(args, "--label", str(t, jstext.MustParse(str(t, label))))
		}
		got := run("", append(args, "--json-id", str(t, c.Get("sessionIdJson")))...)
		if want := str(t, c.Get("mention")) + "\n"; got.status != 0 || got.stdout != want || got.stderr != "" {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

func TestParseEach(t *testing.T) {
	for _, c := range vectors(t, "mention-parse.json") {
		text := str(t, c.Get("text"))
		got := run(text, "parse")
		if c.Get("error").Exists() {
			if got.status != 3 || got.stdout != "" {
				t.Errorf("%q: %+v, want exit 3", text, got)
			}
			continue
		}
		var want strings.Builder
		want.WriteString(`{"text":` + jstext.Quote(str(t, c.Get("result", "text"))) + `,"references":[`)
		sep := ""
		for r := range c.Get("result", "references").Elements() {
			want.WriteString(sep + `{"sessionId":` + str(t, r.Get("sessionIdJson")) + `,"label":` + str(t, r.Get("labelJson")) + `}`)
			sep = ","
		}
		want.WriteString("]}\n")
		if got.status != 0 || got.stdout != want.String() || got.stderr != "" {
			t.Errorf("%q\n got %+v\nwant %q", text, got, want.String())
		}
		if text != "-" {
			if again := run("", "parse", "--", text); again != got {
				t.Errorf("%q as an operand: %+v", text, again)
			}
		}
	}
}
