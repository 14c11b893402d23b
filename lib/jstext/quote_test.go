package jstext_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func TestQuote(t *testing.T) {
	compare(t, "quote", jsStrings, toUnits, func(s string) (string, bool) { return jstext.Quote(s), true })
	tests := []struct{ s, want string }{
		{"\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
		{"\x00\x1f\x7f/<>&\u2028", "\"\\u0000\\u001f\x7f/<>&\u2028\""},
		{"a" + high, `"a\ud83d"`},
		{low + high, `"\ude00\ud83d"`},
		{"a\xffb", "\"a\uFFFDb\""},
		{high + low, `"\ud83d\ude00"`}, // not WTF-8; whoever reads it gets the pair
	}
	for _, tt := range tests {
		if got := jstext.Quote(tt.s); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.s, got, tt.want)
		}
	}
}

// slowQuote is AppendQuote a code point at a time.
func slowQuote(s string, tagSafe bool) string {
	var b strings.Builder
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	b.WriteByte('"')
	for s != "" {
		r, n := jstext.DecodeRune(s)
		switch e, ok := short[r]; {
		case ok:
			b.WriteString(e)
		case r < 0x20 || jstext.IsSurrogate(r) || r == '<' && tagSafe:
			b.WriteString(`\u`)
			for shift := 12; shift >= 0; shift -= 4 {
				b.WriteByte("0123456789abcdef"[r>>shift&0xF])
			}
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	b.WriteByte('"')
	if tagSafe {
		return strings.ReplaceAll(b.String(), "dsh-session:", `dsh-session\u003a`)
	}
	return b.String()
}

// checkQuote holds the codec to its laws for any bytes.
func checkQuote(t *testing.T, s string) {
	t.Helper()
	for _, tagSafe := range []bool{false, true} {
		appendQuote := jstext.AppendQuote
		if tagSafe {
			appendQuote = jstext.AppendQuoteTagSafe
		}
		got := string(appendQuote([]byte("x"), s))[1:]
		if want := slowQuote(s, tagSafe); got != want {
			t.Fatalf("%q, tag-safe %v\n got %q\nwant %q", s, tagSafe, got, want)
		}
		if !utf8.ValidString(got) || tagSafe && (strings.Contains(got, "<") || strings.Contains(got, "dsh-session:")) {
			t.Fatalf("%q was quoted as %q", s, got)
		}
		if n := jstext.QuotedLen(s, tagSafe); n != len(got) {
			t.Fatalf("%q, tag-safe %v: a length of %d for %q", s, tagSafe, n, got)
		}
		back, err := jstext.Unquote(got)
		if err != nil || !jstext.Valid(back) || jstext.Valid(s) && back != s {
			t.Fatalf("%q came back as %q, %v", s, back, err)
		}
	}
}

// Every position of every byte that matters, over the length of two words: the
// fast scan must stop where the slow one does.
func TestQuoteAtEveryOffset(t *testing.T) {
	for length := range 19 {
		for at := range length {
			for _, c := range []string{`"`, `\`, "\x00", "\x1f", "\x20", "\x7f", "<", "\x80", "\xff", "é", high, "!", "\x21", "\x01", "\xa2", "\xdc"} {
				plain := strings.Repeat("x", length)
				checkQuote(t, plain[:at]+c+plain[at:])
				checkQuote(t, plain[:at]+c+c+"\x01"+plain[at:])
			}
		}
	}
	for _, s := range slices.Concat(jsStrings, illFormed, schemeTexts) {
		checkQuote(t, s)
	}
}

// schemeTexts are texts that hold a session URI's scheme, and some that are written
// as if they did: \u001d and \ud83d end in its d.
var schemeTexts = []string{
	"dsh-session:", "a dsh-session:ImEi b", "dsh-session:dsh-session::", "dsh-session", "sh-session:", "Dsh-session:",
	"\x1dsh-session:ImEi", "\x1csh-session:ImEi", high + "sh-session:ImEi", low + "sh-session:ImEi", smile + "sh-session:",
	"<dsh-session:<", "\xffdsh-session:", "\xed\xa0\x8dsh-session:", "\\dsh-session:", "d\xffsh-session:", "\xa0\x8dsh-session:",
}

// A JavaScript engine reads the same string out of a tag-safe literal.
func TestTagSafeInJavaScript(t *testing.T) {
	literals := make(map[string]string)
	var questions []string
	for _, s := range slices.Concat(jsStrings, schemeTexts) {
		if jstext.Valid(s) {
			lit := string(jstext.AppendQuoteTagSafe(nil, s))
			literals[lit] = s
			questions = append(questions, lit)
		}
	}
	compare(t, "restringify", questions, toUnits, func(lit string) (string, bool) { return jstext.Quote(literals[lit]), true })
}

func TestUnquote(t *testing.T) {
	tests := []struct {
		name, lit, want string
		bad             bool
	}{
		{name: "empty", lit: `""`},
		{name: "escapes", lit: `"\"\\\/\b\f\n\r\t"`, want: "\"\\/\b\f\n\r\t"},
		{name: "units", lit: `"\u0041\u00e9\u65E5\uFFFF"`, want: "Aé日\uFFFF"},
		{name: "pair", lit: `"\ud83d\uDE00"`, want: smile},
		{name: "halves", lit: `"\ude00\ud83d\ud83dx"`, want: low + high + high + "x"},
		{name: "half and pair", lit: `"\ud83d\ud83d\ude00"`, want: high + smile},
		{name: "half and another escape", lit: `"\ud83d\n\ude00"`, want: high + "\n" + low},
		{name: "half at the end", lit: `"\ud83d"`, want: high},
		{name: "written half, escaped half", lit: `"` + high + `\ude00"`, want: smile},
		{name: "escaped half, written half", lit: `"\ud83d` + low + `"`, want: smile},
		{name: "apart", lit: `"\\ud83d"`, want: `\ud83d`},
		{name: "not UTF-8", lit: "\"\xff\"", want: "\xff"},
		{name: "nothing", lit: ``, bad: true},
		{name: "open", lit: `"`, bad: true},
		{name: "open after an escape", lit: `"\"`, bad: true},
		{name: "no quotes", lit: `a`, bad: true},
		{name: "two", lit: `"a""b"`, bad: true},
		{name: "space before", lit: ` "a"`, bad: true},
		{name: "space after", lit: `"a" `, bad: true},
		{name: "control", lit: "\"a\nb\"", bad: true},
		{name: "unknown escape", lit: `"\x41"`, bad: true},
		{name: "octal", lit: `"\0"`, bad: true},
		{name: "short unit", lit: `"\u12"`, bad: true},
		{name: "short unit at the end", lit: `"\u123`, bad: true},
		{name: "unit not hexadecimal", lit: `"\u12g4"`, bad: true},
		{name: "signed unit", lit: `"\u+123"`, bad: true},
		{name: "backslash at the end", lit: `"\`, bad: true},
		{name: "single quotes", lit: `'a'`, bad: true},
	}
	var lits []string
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := jstext.Unquote(tt.lit)
			if got != tt.want || (err != nil) != tt.bad {
				t.Errorf("Unquote(%q) = %q, %v; want %q", tt.lit, got, err, tt.want)
			}
		})
		if utf8.ValidString(tt.lit) && !strings.Contains(tt.name, "space") {
			lits = append(lits, tt.lit)
		}
	}
	compare(t, "restringify", lits, toUnits, func(lit string) (string, bool) {
		s, err := jstext.Unquote(lit)
		return jstext.Quote(s), err == nil
	})
}
