package jstext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func TestLossless(t *testing.T) {
	keep := []string{
		`0`, `-1`, `1.0`, `1e2`, `1E+2`, `0e99999999999999999999`, `0.000`, `0.1`, `100e-2`, `5e-324`, `1.7976931348623157e308`,
		`9007199254740991`, `9007199254740992`, `9007199254740994`, `123456789012345680000`, `1e21`, `0.30000000000000004`,
		`-0.5`, `1.50000000000000000000000000`, `0.00001e5`, `"-0"`, `null`, `[]`, `{}`, `{"a":["1e400",true,{"b":-7}]}`, `""`,
		`{"\"-0":"\\"}`, `1e0000000000000000000000000000000000000005`,
	}
	for _, text := range keep {
		if err := jstext.Lossless(jstext.MustParse(text)); err != nil {
			t.Errorf("Lossless(%s) = %v", text, err)
		}
	}
	if err := jstext.Lossless(jstext.Value{}); err != nil {
		t.Errorf("Lossless(Absent) = %v", err)
	}
}

func TestLosslessRefuses(t *testing.T) {
	tests := []struct{ text, path, becomes string }{
		{`-0`, "", "0"},
		{`-0.0`, "", "0"},
		{`-0e5`, "", "0"},
		{`[1,-0]`, "[1]", "0"},
		{`1e400`, "", "null"},
		{`-1e400`, "", "null"},
		{`1e-400`, "", "0"},
		{`4e-324`, "", "5e-324"},
		{`9007199254740993`, "", "9007199254740992"},
		{`1e99999999999999999999`, "", "null"},
		{`1e-99999999999999999999`, "", "0"},
		{`0.1000000000000000055`, "", "0.1"},
		{`{"a":[{"b c":1},{"d":{"e":[0,12345678901234567]}}]}`, "a[1].d.e[1]", "12345678901234568"},
		{`{"b c":{"x":-0}}`, `["b c"].x`, "0"},
		{`[{"a":{"b":1}},{"":-0}]`, `[1][""]`, "0"},
		{` { "k" : [ "," , { } , -0 ] } `, "k[2]", "0"},
	}
	for _, tt := range tests {
		var e *jstext.NumberError
		err := jstext.Lossless(jstext.MustParse(tt.text))
		if !errors.As(err, &e) {
			t.Errorf("Lossless(%s) = %v, want a NumberError", tt.text, err)
			continue
		}
		if e.Path != tt.path || e.Becomes != tt.becomes {
			t.Errorf("Lossless(%s) = path %q, becomes %q; want %q, %q", tt.text, e.Path, e.Becomes, tt.path, tt.becomes)
		}
	}
}

// A value that nests as deep as Parse allows, around much text, is read once.
func TestLosslessDeep(t *testing.T) {
	const depth = jstext.MaxDepth - 1
	text := strings.Repeat(`[`, depth) + `"` + strings.Repeat("x", 4<<20) + `"` + strings.Repeat(`,1]`, depth)
	if err := jstext.Lossless(jstext.MustParse(text)); err != nil {
		t.Error(err)
	}
}

func FuzzLossless(f *testing.F) {
	for _, s := range []string{`-0`, `[1e400]`, `{"a":{"b":[1,2.50]}}`, `9007199254740993`, `[[],{"x":"\\\""},-0.0]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := jstext.Parse(s)
		if err != nil || jstext.Lossless(v) != nil {
			return
		}
		// What is lossless is written with numbers that are doubles, and again as
		// they are.
		once := string(v.AppendJSON(nil))
		w, err := jstext.Parse(once)
		if err != nil {
			t.Fatal(err)
		}
		if err := jstext.Lossless(w); err != nil {
			t.Fatalf("%q is lossless, its own form %q is not: %v", s, once, err)
		}
		if twice := string(w.AppendJSON(nil)); twice != once {
			t.Fatalf("%q is written %q, then %q", s, once, twice)
		}
	})
}
