package sessionuri_test

import (
	"errors"
	"os"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

const testdata = "../../testdata/"

// load parses a JSON file of the project's testdata.
func load(t testing.TB, name string) jstext.Value {
	t.Helper()
	b, err := os.ReadFile(testdata + name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jstext.Parse(jstext.Decode(b))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// cases runs f for every case of a vector file.
func cases(t *testing.T, name string, f func(t *testing.T, c jstext.Value)) {
	n := 0
	for c := range load(t, "vectors/"+name).Get("cases").Elements() {
		n++
		t.Run(text(t, c, "case"), func(t *testing.T) { f(t, c) })
	}
	if n == 0 {
		t.Fatalf("%s has no cases", name)
	}
}

// text is the string member at keys; one named …Json holds another JSON text.
func text(t testing.TB, c jstext.Value, keys ...string) string {
	t.Helper()
	s, ok := c.Get(keys...).Text()
	if !ok {
		t.Fatalf("no string %q in %s", keys, c.Raw())
	}
	return s
}

func unjson(t testing.TB, c jstext.Value, keys ...string) string {
	t.Helper()
	s, err := jstext.Unquote(text(t, c, keys...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantInvalid(t *testing.T, err error, code string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Reference || string(f.Code) != code || f.Code != fault.InvalidReference {
		t.Fatalf("error %#v, want a reference fault with code %s", err, code)
	}
}

func TestEncodeVectors(t *testing.T) {
	cases(t, "uri.json", func(t *testing.T, c jstext.Value) {
		id, uri := unjson(t, c, "idJson"), text(t, c, "uri")
		if got := sessionuri.Encode(id); got != uri {
			t.Errorf("Encode(%q)\n got %q\nwant %q", id, got, uri)
		}
		if got, err := sessionuri.Decode(uri); err != nil || got != id {
			t.Errorf("Decode(%q) = %q, %v; want %q", uri, got, err, id)
		}
	})
}

func TestDecodeVectors(t *testing.T) {
	cases(t, "uri-decode.json", func(t *testing.T, c jstext.Value) {
		got, err := sessionuri.Decode(text(t, c, "uri"))
		if !c.Get("ok").True() {
			wantInvalid(t, err, text(t, c, "error", "code"))
			if got != "" {
				t.Errorf("got %q beside an error", got)
			}
			return
		}
		if want := unjson(t, c, "idJson"); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	})
}

func TestMentionVectors(t *testing.T) {
	cases(t, "mention-format.json", func(t *testing.T, c jstext.Value) {
		id := unjson(t, c, "sessionIdJson")
		var label *string
		if c.Get("labelJson").Kind() == jstext.String {
			s := unjson(t, c, "labelJson")
			label = &s
		}
		if got, want := sessionuri.Mention(id, label), text(t, c, "mention"); got != want {
			t.Errorf("got %q\nwant %q", got, want)
		}
	})
}

func TestParseTextVectors(t *testing.T) {
	cases(t, "mention-parse.json", func(t *testing.T, c jstext.Value) {
		plain, refs, err := sessionuri.ParseText(text(t, c, "text"))
		if c.Get("error").Exists() {
			wantInvalid(t, err, text(t, c, "error", "code"))
			if plain != "" || refs != nil {
				t.Errorf("got %q, %q beside an error", plain, refs)
			}
			return
		}
		if want := text(t, c, "result", "text"); err != nil || plain != want {
			t.Errorf("text %q, %v\nwant %q", plain, err, want)
		}
		i := 0
		for r := range c.Get("result", "references").Elements() {
			want := sessionuri.Reference{SessionID: unjson(t, r, "sessionIdJson"), Label: unjson(t, r, "labelJson")}
			if i >= len(refs) || refs[i] != want {
				t.Fatalf("references %q, want %q at %d", refs, want, i)
			}
			i++
		}
		if i != len(refs) {
			t.Errorf("references %q, want %d", refs, i)
		}
	})
}

func TestNonCanonicalInputs(t *testing.T) {
	c := load(t, "inputs/15-uri-noncanonical/cases.json")
	if id, err := sessionuri.Decode(text(t, c, "good")); err != nil || id != "ab" {
		t.Errorf("good: %q, %v", id, err)
	}
	for bad := range c.Get("bad").Elements() {
		t.Run(text(t, bad, "why"), func(t *testing.T) {
			_, err := sessionuri.Decode(text(t, bad, "uri"))
			wantInvalid(t, err, string(fault.InvalidReference))
		})
	}
}

func TestHostileLabelInput(t *testing.T) {
	label := text(t, load(t, "inputs/17-mention-hostile-label/label.json"), "label")
	mention := sessionuri.Mention("x", &label)
	plain, refs, err := sessionuri.ParseText("a " + mention + " b")
	if err != nil || plain != "a @"+label+" b" || len(refs) != 1 || refs[0].Label != label {
		t.Errorf("got %q, %q, %v", plain, refs, err)
	}
}
