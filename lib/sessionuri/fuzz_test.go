package sessionuri_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// FuzzDecode holds Decode to its law: what it accepts encodes back to the same
// bytes, and what Encode makes it accepts.
func FuzzDecode(f *testing.F) {
	for c := range load(f, "vectors/uri-decode.json").Get("cases").Elements() {
		f.Add(text(f, c, "uri"))
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := sessionuri.Decode(s)
		if err == nil && sessionuri.Encode(id) != s {
			t.Errorf("Decode(%q) = %q, whose URI is %q", s, id, sessionuri.Encode(id))
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of two lines: %q", err)
		}
		if !jstext.Valid(s) {
			return
		}
		if id, err := sessionuri.Decode(sessionuri.Encode(s)); err != nil || id != s {
			t.Errorf("id %q came back as %q, %v", s, id, err)
		}
	})
}

// FuzzMention: what Mention writes is found again, whole, wherever it stands.
func FuzzMention(f *testing.F) {
	for c := range load(f, "vectors/mention-format.json").Get("cases").Elements() {
		f.Add(unjson(f, c, "sessionIdJson"), text(f, c, "mention"))
	}
	f.Fuzz(func(t *testing.T, id, label string) {
		if !jstext.Valid(id) || !jstext.Valid(label) {
			t.Skip("not strings of JavaScript")
		}
		mention := sessionuri.Mention(id, &label)
		want := sessionuri.Reference{SessionID: id, Label: label}
		plain, refs, err := sessionuri.ParseText("a " + mention + ", b")
		if err != nil || plain != "a @"+label+", b" || len(refs) != 1 || refs[0] != want {
			t.Errorf("%q parsed as %q, %q, %v", mention, plain, refs, err)
		}
		if got, err := sessionuri.ParseID(mention); err != nil || got != id {
			t.Errorf("ParseID(%q) = %q, %v", mention, got, err)
		}
		if got, err := sessionuri.ParseID(sessionuri.Encode(id)); err != nil || got != id {
			t.Errorf("ParseID of a URI = %q, %v; want %q", got, err, id)
		}
	})
}

// grammar is the whole grammar as one expression; SPEC 3 in RE2's words. It is
// slower than the scanner and takes the same references.
var grammar = regexp.MustCompile(
	`@\[((?:\\[^\n\r\x{2028}\x{2029}]|[^\\\]])*)\]\((dsh-session:[^` + space + `)]*)\)|dsh-session:[A-Za-z0-9_-]+`)

const space = `\t\n\v\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`

// FuzzParseText compares the scanner with the grammar as a regular expression.
func FuzzParseText(f *testing.F) {
	for c := range load(f, "vectors/mention-parse.json").Get("cases").Elements() {
		f.Add(text(f, c, "text"))
	}
	f.Fuzz(func(t *testing.T, s string) {
		// RE2 reads a byte that is not UTF-8 as one U+FFFD, and so may we.
		plain, refs, err := sessionuri.ParseText(s)
		wantRefs, bad := 0, false
		for _, m := range grammar.FindAllStringSubmatch(s, -1) {
			uri := m[2]
			if uri == "" {
				uri = m[0]
			}
			id, derr := sessionuri.Decode(uri)
			if derr != nil {
				bad = true
				break
			}
			if err == nil && (wantRefs >= len(refs) || refs[wantRefs].SessionID != id) {
				t.Fatalf("reference %d of %q is not %q in %q", wantRefs, s, id, refs)
			}
			wantRefs++
		}
		if bad != (err != nil) {
			t.Fatalf("%q: error %v, the grammar says bad=%v", s, err, bad)
		}
		if err == nil && (wantRefs != len(refs) || refs == nil && plain != s) {
			t.Fatalf("%q: %d references, the grammar finds %d", s, len(refs), wantRefs)
		}
		if jstext.Valid(s) && !jstext.Valid(plain) {
			t.Fatalf("%q became %q, which is not WTF-8", s, plain)
		}
	})
}
