package sessionuri_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

const (
	high = "\xed\xa0\xbd" // U+D83D
	low  = "\xed\xb8\x80" // U+DE00
	uriA = "dsh-session:ImEi"
)

func TestParseID(t *testing.T) {
	tests := []struct {
		name, arg, id string
		bad           bool
	}{
		{name: "raw", arg: "a", id: "a"},
		{name: "empty", arg: "", id: ""},
		{name: "raw with colon", arg: "claude:4bf3", id: "claude:4bf3"},
		{name: "uri", arg: uriA, id: "a"},
		{name: "mention", arg: "@[x](" + uriA + ")", id: "a"},
		{name: "mention with a bracket", arg: `@[x\](y)](` + uriA + ")", id: "a"},
		{name: "mention of another scheme", arg: "@[review](x)", id: "@[review](x)"},
		{name: "text behind a mention", arg: "@[x](" + uriA + ").", id: "@[x](" + uriA + ")."},
		{name: "text before a uri", arg: " " + uriA, id: " " + uriA},
		{name: "at sign", arg: "@[", id: "@["},
		{name: "upper case scheme", arg: "DSH-SESSION:ImEi", id: "DSH-SESSION:ImEi"},
		{name: "bad uri", arg: "dsh-session:ImEi=", bad: true},
		{name: "empty uri", arg: "dsh-session:", bad: true},
		{name: "bad mention", arg: "@[x](dsh-session:)", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id, err := sessionuri.ParseID(tt.arg)
			if tt.bad {
				wantInvalid(t, err, string(fault.InvalidReference))
			} else if err != nil || id != tt.id {
				t.Errorf("got %q, %v; want %q", id, err, tt.id)
			}
		})
	}
}

// Halves that a removed backslash or a removed URI brings together are one
// character, as they would be in a JavaScript string.
func TestHalvesMeet(t *testing.T) {
	const smile = "\U0001F600"
	uriOf := sessionuri.Encode
	tests := []struct {
		name, text, plain string
		ref               sessionuri.Reference
	}{
		{"inside a label", "@[" + high + `\` + low + "](" + uriA + ")", "@" + smile, sessionuri.Reference{SessionID: "a", Label: smile}},
		{"label and text", "@[" + high + "](" + uriA + ")" + low, "@" + smile, sessionuri.Reference{SessionID: "a", Label: high}},
		{"bare id and text", uriOf(high) + low, "@" + smile, sessionuri.Reference{SessionID: high, Label: high}},
		{"text and label stay apart", high + "@[" + low + "](" + uriA + ")", high + "@" + low, sessionuri.Reference{SessionID: "a", Label: low}},
		{"escaped astral character", `@[\` + smile + "](" + uriA + ")", "@" + smile, sessionuri.Reference{SessionID: "a", Label: smile}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plain, refs, err := sessionuri.ParseText(tt.text)
			if err != nil || plain != tt.plain || len(refs) != 1 || refs[0] != tt.ref {
				t.Errorf("got %q, %q, %v\nwant %q, %q", plain, refs, err, tt.plain, tt.ref)
			}
			if !jstext.Valid(plain) {
				t.Errorf("%q is not WTF-8", plain)
			}
		})
	}
}

// A hint says what to type; an error names the offending byte and stays short.
func TestDecodeErrors(t *testing.T) {
	tests := []struct{ name, uri, want, hint string }{
		{"scheme", "x:y", `reference "x:y": not a session URI`, "a session URI begins with dsh-session:"},
		{"case", "DSH-session:ImEi", `reference "DSH-session:ImEi": not a session URI`, "a session URI begins with dsh-session: in lower case"},
		{"empty", "dsh-session:", `reference "dsh-session:": a session URI without a payload`, ""},
		{"padding", "dsh-session:ImEi=", `reference "dsh-session:ImEi=": '=' at byte 16 is not base64url`, "a session URI has no padding"},
		{"length", "dsh-session:A", `reference "dsh-session:A": the payload is not whole base64url`, ""},
		{"utf-8", "dsh-session:Iu2gvSI", `reference "dsh-session:Iu2gvSI": the payload is not UTF-8`, ""},
		{"json", "dsh-session:MQ", `reference "dsh-session:MQ": the payload is not one JSON string`, ""},
		{"bits", "dsh-session:ImFiIh", `reference "dsh-session:ImFiIh": not the canonical URI of its session`, "write dsh-session:ImFiIg"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := sessionuri.Decode(tt.uri)
			var f *fault.Error
			if !errors.As(err, &f) || err.Error() != tt.want || f.Hint != tt.hint {
				t.Errorf("got %v, hint %q\nwant %s, hint %q", err, f.Hint, tt.want, tt.hint)
			}
		})
	}
	_, err := sessionuri.Decode(strings.Repeat("é", 1<<20))
	if len(err.Error()) > 400 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

// Texts made to send a scanner back over what it has read. Each takes some
// milliseconds; a quadratic scan would take minutes.
func TestHostileTextsAreLinear(t *testing.T) {
	const size = 1 << 20
	tests := []struct{ name, part, tail string }{
		{"openings", "@[", ""},
		{"openings, one end", "@[", "](x"},
		{"openings, one mention", "@[", "](" + uriA + ")"},
		{"openings before a scheme", "@[", uriA},
		{"closed openings", "@[]", uriA},
		{"mentions without an end", "@[](dsh-session:", ""},
		{"mentions without an end, white space", "@[](dsh-session:", " " + uriA},
		{"escaped openings", `\@[`, uriA},
		{"backslashes", `[\`, uriA},
		{"label of backslashes", `\\`, ""},
		{"schemes", "dsh-session: ", ""},
		{"schemes and openings", "dsh-session:@[", ""},
		{"half schemes", "dsh-sessio", ""},
		{"brackets", "@[](", "dsh-session:"},
		{"references", uriA + " ", ""},
		{"mentions", "@[a](" + uriA + ")", ""},
		{"surrogates", "@[" + high + `\` + low + "](" + uriA + ")", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Repeat(tt.part, size/len(tt.part)) + tt.tail
			for _, text := range []string{text, "@[" + text} {
				start := time.Now()
				plain, _, err := sessionuri.ParseText(text)
				if err == nil && plain == "" {
					t.Error("no text")
				}
				if d := time.Since(start); d > 5*time.Second {
					t.Errorf("%v for %d bytes", d, len(text))
				}
			}
		})
	}
}

func TestLongID(t *testing.T) {
	id := strings.Repeat("\"\n"+high+"語", 250_000)
	if got, err := sessionuri.Decode(sessionuri.Encode(id)); err != nil || got != id {
		t.Errorf("a long id came back changed: %v", err)
	}
}
