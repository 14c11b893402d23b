package jstext_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

const (
	high  = "\xed\xa0\xbd" // U+D83D
	low   = "\xed\xb8\x80" // U+DE00
	smile = "\U0001F600"   // the two together
)

// jsStrings are strings of JavaScript that something has gone wrong with before.
var jsStrings = []string{
	"", "a", "\x00", "\x01\b\t\n\v\f\r\x1f", `"\/`, "\x7f\u0080\u009f", "<script>&'", "\u2028\u2029", "\ufeff",
	"日本語", "e\u0301", smile, "\U0010FFFF", "\uFFFD", "\uE000", "\uD7FF",
	high, low, low + high, high + high, low + low, "a" + high, high + "a", high + high + "x" + low,
	high + smile, smile + low, high + "\n" + low, high + `"` + low, high + "<" + low,
	strings.Repeat("x", 7) + `"` + strings.Repeat("y", 9) + "\n", strings.Repeat("0123456<", 4), strings.Repeat("é", 40) + "\x1f",
}

func TestValid(t *testing.T) {
	for _, s := range jsStrings {
		if at := jstext.InvalidAt(s); at != -1 || !jstext.Valid(s) {
			t.Errorf("InvalidAt(%q) = %d", s, at)
		}
	}
	tests := []struct {
		name, s string
		at      int
	}{
		{"byte", "ab\xff", 2},
		{"cut off", "a\xe6\x97", 1},
		{"overlong", "\xc0\x80", 0},
		{"too large", "\xf4\x90\x80\x80", 0},
		{"a pair in two parts", high + low, 3},
		{"a pair in two parts, later", "x" + low + high + low, 7},
		{"half cut off", high + "\xed\xa0", 3},
		{"half without its tail", "\xed\xa0x", 0},
		{"after a half", low + "\x80", 3},
	}
	for _, tt := range tests {
		if at := jstext.InvalidAt(tt.s); at != tt.at || jstext.Valid(tt.s) {
			t.Errorf("%s: InvalidAt(%q) = %d, want %d", tt.name, tt.s, at, tt.at)
		}
	}
}

func TestDecodeRune(t *testing.T) {
	tests := []struct {
		s string
		r rune
		n int
	}{
		{"", utf8.RuneError, 0},
		{"a", 'a', 1},
		{"é", 'é', 2},
		{"\uD7FF", 0xD7FF, 3},
		{"\xed\xa0\x80", 0xD800, 3},
		{"\xed\xbf\xbf", 0xDFFF, 3},
		{high + low, 0xD83D, 3},
		{"\uE000", 0xE000, 3},
		{"\uFFFD", utf8.RuneError, 3},
		{smile, 0x1F600, 4},
		{"\xed\xa0", utf8.RuneError, 1},
		{"\xed\xa0a", utf8.RuneError, 1},
		{"\xed\xa0\xff", utf8.RuneError, 1},
		{"\xff", utf8.RuneError, 1},
	}
	for _, tt := range tests {
		r, n := jstext.DecodeRune(tt.s)
		if r != tt.r || n != tt.n {
			t.Errorf("DecodeRune(%q) = %U, %d; want %U, %d", tt.s, r, n, tt.r, tt.n)
		}
		if n > 1 {
			if back := string(jstext.AppendRune(nil, r)); back != tt.s[:n] {
				t.Errorf("AppendRune(%U) = %q, want %q", r, back, tt.s[:n])
			}
		}
	}
}

func TestUTF16(t *testing.T) {
	if got, want := jstext.UTF16("aé"+smile+low+"\xff"), []uint16{'a', 0xE9, 0xD83D, 0xDE00, 0xDE00, 0xFFFD}; !slices.Equal(got, want) {
		t.Errorf("UTF16 = %x, want %x", got, want)
	}
	for _, s := range jsStrings {
		if back := fromUnits(t, toUnits(s)[1:]); back != s {
			t.Errorf("the units of %q make %q", s, back)
		}
	}
}

func TestJoin(t *testing.T) {
	tests := []struct {
		parts []string
		want  string
	}{
		{nil, ""},
		{[]string{"a", "", "b"}, "ab"},
		{[]string{high, low}, smile},
		{[]string{"x" + high, low + "y"}, "x" + smile + "y"},
		{[]string{high, "", low}, smile},
		{[]string{high, high, low, low}, high + smile + low},
		{[]string{low, high}, low + high},
		{[]string{"\uD7FF", low}, "\uD7FF" + low},
		{[]string{smile, low}, smile + low},
	}
	for _, tt := range tests {
		if got := jstext.Join(tt.parts...); got != tt.want {
			t.Errorf("Join(%q) = %q, want %q", tt.parts, got, tt.want)
		}
	}
	var inputs []string
	for _, a := range jsStrings {
		for _, b := range []string{"", "x", high, low, low + high, smile} {
			inputs = append(inputs, a+"\xff"+b) // \xff parts the two here
		}
	}
	split := func(s string) []string { return strings.Split(s, "\xff") }
	compare(t, "join", inputs, func(s string) string {
		parts := split(s)
		return toUnits(parts[0]) + " " + toUnits(parts[1])
	}, func(s string) (string, bool) { return jstext.Join(split(s)...), true })
}

func TestToUTF8(t *testing.T) {
	compare(t, "wellFormed", jsStrings, toUnits, func(s string) (string, bool) { return jstext.ToUTF8(s), true })
	if got := jstext.ToUTF8("a" + high + "b"); got != "a\uFFFDb" {
		t.Errorf("ToUTF8 = %q", got)
	}
}

// illFormed are bytes at each of the decoder's turns.
var illFormed = []string{
	"\x80", "\xbf\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2a", "\xdf\xbf\xbf",
	"\xe0", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe0\xa0", "\xe0\xa0a", "\xe1\x80", "\xe1\x80\xc2\x80", "\xef\xbf",
	"\xed\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", high + low, "\xed\x9f",
	"\xf0", "\xf0\x8f\xbf\xbf", "\xf0\x90", "\xf0\x90\x80", "\xf0\x90\x80a", "\xf1\x80\x80\xe2\x82\xac", "\xf4\x8f\xbf\xbf", "\xf4\x90\x80\x80",
	"\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xfe\xff", "\xff", "a\xffb", "\xef\xbb\xbfx\xff", "\xef\xbb\xbf\xef\xbb\xbf",
	"\x00\xff\x00", "日\xe6\x97本", strings.Repeat("x", 30) + "\xe2\x82" + strings.Repeat("y", 30),
}

func TestDecode(t *testing.T) {
	inputs := append(slices.Clone(illFormed), jsStrings...)
	compare(t, "decode", inputs, func(s string) string { return ":" + hex.EncodeToString([]byte(s)) },
		func(s string) (string, bool) { return jstext.Decode([]byte(s)), true })
	// One U+FFFD for each maximal subpart.
	for in, want := range map[string]string{
		"a\xf0\x90\x80b\xed\xa0\x80": "a\uFFFDb\uFFFD\uFFFD\uFFFD",
		"\xef\xbb\xbfx":              "\ufeffx",
	} {
		if got := jstext.Decode([]byte(in)); got != want {
			t.Errorf("Decode(%q) = %q, want %q", in, got, want)
		}
	}
}

// slowDecode is the decoder of the Encoding Standard (section 8.1.1), byte by byte.
func slowDecode(b []byte) string {
	var out []rune
	var point rune
	needed, seen, lower, upper := 0, 0, byte(0x80), byte(0xBF)
	for i := 0; i < len(b); i++ {
		c := b[i]
		if needed == 0 {
			switch {
			case c <= 0x7F:
				out = append(out, rune(c))
			case c >= 0xC2 && c <= 0xDF:
				needed, point = 1, rune(c&0x1F)
			case c >= 0xE0 && c <= 0xEF:
				if c == 0xE0 {
					lower = 0xA0
				}
				if c == 0xED {
					upper = 0x9F
				}
				needed, point = 2, rune(c&0xF)
			case c >= 0xF0 && c <= 0xF4:
				if c == 0xF0 {
					lower = 0x90
				}
				if c == 0xF4 {
					upper = 0x8F
				}
				needed, point = 3, rune(c&0x7)
			default:
				out = append(out, utf8.RuneError)
			}
			continue
		}
		if c < lower || c > upper {
			point, needed, seen, lower, upper = 0, 0, 0, 0x80, 0xBF
			out = append(out, utf8.RuneError)
			i-- // the byte is read again
			continue
		}
		lower, upper = 0x80, 0xBF
		point = point<<6 | rune(c&0x3F)
		if seen++; seen == needed {
			out = append(out, point)
			point, needed, seen = 0, 0, 0
		}
	}
	if needed != 0 {
		out = append(out, utf8.RuneError)
	}
	return string(out)
}

// Every sequence of up to four bytes of an alphabet with all the decoder's edges.
func TestDecodeAllShortSequences(t *testing.T) {
	alphabet := []byte("a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xdf\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5\xff")
	var b []byte
	var extend func()
	extend = func() {
		if got, want := jstext.Decode(b), slowDecode(b); got != want {
			t.Fatalf("Decode(%q) = %q, want %q", b, got, want)
		}
		if len(b) == 4 {
			return
		}
		for _, c := range alphabet {
			b = append(b, c)
			extend()
			b = b[:len(b)-1]
		}
	}
	extend()
}
