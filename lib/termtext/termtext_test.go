package termtext_test

import (
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

var cases = []struct{ name, in, line, block string }{
	{"nothing", "", "", ""},
	{"plain", `a "b" \n ~`, `a "b" \n ~`, `a "b" \n ~`},
	{"lines", "a\tb\r\nc\n", `a\tb\r\nc\n`, "a\tb\\r\nc\n"},
	{"C0", "\x00\a\b\v\f\x1b\x1f", `\x00\x07\x08\x0b\x0c\x1b\x1f`, `\x00\x07\x08\x0b\x0c\x1b\x1f`},
	{"DEL and C1", "\x7f\u0080\u0085\u009b\u009d\u009f", `\x7f\x80\x85\x9b\x9d\x9f`, `\x7f\x80\x85\x9b\x9d\x9f`},
	{"clipboard", "\x1b]52;c;ZWNobyBoaQ==\a", `\x1b]52;c;ZWNobyBoaQ==\x07`, `\x1b]52;c;ZWNobyBoaQ==\x07`},
	{"bytes that are C1 to a terminal of one byte", "a\x9b2J", `a\x9b2J`, `a\x9b2J`},
	{"not UTF-8", "\xff\xe6\x97", `\xff\xe6\x97`, `\xff\xe6\x97`},
	{"half a pair", "\xed\xa0\xbdx", `\ud83dx`, `\ud83dx`},
	{"U+FFFD itself", "\uFFFD", "\uFFFD", "\uFFFD"},
	{"bidi", "\u061c\u200e\u200f\u202a\u202e\u2066\u2069", `\u061c\u200e\u200f\u202a\u202e\u2066\u2069`, `\u061c\u200e\u200f\u202a\u202e\u2066\u2069`},
	{"zero width", "a\u200bb\u2060\ufeff\u00ad\u180e", `a\u200bb\u2060\ufeff\xad\u180e`, `a\u200bb\u2060\ufeff\xad\u180e`},
	{"separators", "a\u2028b\u2029", `a\u2028b\u2029`, `a\u2028b\u2029`},
	{"fillers", "\u115f\u1160\u3164\uffa0\u034f\u17b4", `\u115f\u1160\u3164\uffa0\u034f\u17b4`, `\u115f\u1160\u3164\uffa0\u034f\u17b4`},
	{"tags", "x\U000E0041\U000E007F\U000E0100", `x\u{e0041}\u{e007f}\u{e0100}`, `x\u{e0041}\u{e007f}\u{e0100}`},
	{"private use", "\ue0b0\U000F0000", `\ue0b0\u{f0000}`, `\ue0b0\u{f0000}`},
	{"other scripts", "日本語 Привет עברית e\u0301 ö\u00a0\u3000", "日本語 Привет עברית e\u0301 ö\u00a0\u3000", "日本語 Привет עברית e\u0301 ö\u00a0\u3000"},
	{"emoji", "👍🏽 👩‍💻 🏳️‍🌈 ❤️ 1️⃣ ☎︎", "👍🏽 👩‍💻 🏳️‍🌈 ❤️ 1️⃣ ☎︎", "👍🏽 👩‍💻 🏳️‍🌈 ❤️ 1️⃣ ☎︎"},
	{"Persian and Devanagari", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
	{"joiners that join nothing", "a\u200db \u200d\u200d x\u200c", `a\u200db \u200d\u200d x\u200c`, `a\u200db \u200d\u200d x\u200c`},
	{"a non-joiner in a picture", "👩\u200c💻", `👩\u200c💻`, `👩\u200c💻`},
	{"selectors that select nothing", "a\ufe0f ❤\ufe0f\ufe0f \ufe00", `a\ufe0f ❤` + "\ufe0f" + `\ufe0f \ufe00`, `a\ufe0f ❤` + "\ufe0f" + `\ufe0f \ufe00`},
}

func TestLineAndBlock(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			if got := termtext.Line(tt.in); got != tt.line {
				t.Errorf("Line(%q)\n got %q\nwant %q", tt.in, got, tt.line)
			}
			if got := termtext.Block(tt.in); got != tt.block {
				t.Errorf("Block(%q)\n got %q\nwant %q", tt.in, got, tt.block)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	in := "{\n\t\"a\": " + jstext.Quote("\x1b\u009b\u202e\x7f\U000E0041é\ud7ff") + "\n}"
	want := "{\n\t\"a\": " + `"\u001b\u009b\u202e\u007f\udb40\udc41é` + "\ud7ff\"" + "\n}"
	if got := termtext.JSON(in); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// The hostile titles and labels of the inputs, whole.
func TestHostileInputs(t *testing.T) {
	for _, name := range []string{"47-hostile-title/session.jsonl", "17-mention-hostile-label/label.json"} {
		b, err := os.ReadFile("../../testdata/inputs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(jstext.Decode(b)) {
			v, err := jstext.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			eachString(v, func(s string) { check(t, s) })
		}
	}
}

func eachString(v jstext.Value, f func(string)) {
	if s, ok := v.Text(); ok {
		f(s)
	}
	for e := range v.Elements() {
		eachString(e, f)
	}
	for _, m := range v.Members() {
		eachString(m, f)
	}
}

// check holds the laws of all three for any bytes.
func check(t *testing.T, s string) {
	t.Helper()
	line, block := termtext.Line(s), termtext.Block(s)
	for name, got := range map[string]string{"Line": line, "Block": block} {
		if !utf8.ValidString(got) {
			t.Fatalf("%s(%q) = %q is not UTF-8", name, s, got)
		}
		for _, r := range got {
			layout := name == "Block" && (r == '\n' || r == '\t')
			if !layout && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%s(%q) = %q lets %U through", name, s, got, r)
			}
		}
	}
	if again := termtext.Line(line); again != line {
		t.Fatalf("Line(%q) = %q, and of that %q", s, line, again)
	}
	if strings.ReplaceAll(strings.ReplaceAll(block, "\n", `\n`), "\t", `\t`) != line {
		t.Fatalf("%q: the block %q is not the line %q", s, block, line)
	}
	lit := jstext.Quote(s)
	back, err := jstext.Unquote(termtext.JSON(lit))
	if want, _ := jstext.Unquote(lit); err != nil || back != want {
		t.Fatalf("JSON(%q) reads as %q, %v", lit, back, err)
	}
}

func FuzzTermtext(f *testing.F) {
	for _, tt := range cases {
		f.Add(tt.in)
	}
	f.Fuzz(check)
}
