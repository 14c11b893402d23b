package jstext_test

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func TestToLower(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"lower", "abc 1", "abc 1"},
		{"ASCII", "AbC", "abc"},
		{"dotted I", "İSTANBUL", "i̇stanbul"},
		{"sharp s", "STRAẞE", "straße"},
		{"Kelvin", "\u212a", "k"},
		{"Deseret", "\U00010400", "\U00010428"},
		{"final sigma", "ΟΔΥΣΣΕΥΣ", "οδυσσευς"},
		{"sigma alone", "Σ", "σ"},
		{"sigma before ignored marks", "ΑΣ'\u0301", "ας'\u0301"},
		{"sigma inside, marks between", "ΑΣ'\u0301Α", "ασ'\u0301α"},
		{"marks before sigma", "Α\u0301Σ", "α\u0301ς"},
		{"lone surrogate", "A\xed\xa0\x80B", "a\xed\xa0\x80b"},
		{"not WTF-8", "A\xffB", "a\xffb"},
	}
	for _, tt := range tests {
		if got := jstext.ToLower(tt.in); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestToLowerLikeNode asks node for every code point of the planes that have case:
// alone, before a sigma, and between a letter and a sigma on either side. Code
// points that Go's Unicode does not know may differ.
func TestToLowerLikeNode(t *testing.T) {
	engine := node(t)
	const script = `let out = [];
for (let c = 0; c < 0xe0200; c++) {
  if (c == 0x20000) c = 0xe0000;
  if (c >= 0xd800 && c < 0xe000) continue;
  const s = String.fromCodePoint(c);
  out.push([s, s + "\u03a3", "A" + s + "\u03a3", "A\u03a3" + s, "A\u03a3" + s + "A"].map(x => x.toLowerCase()).join(""));
}
process.stdout.write(out.join("|END|"));`
	answer, err := exec.Command(engine, "-e", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(answer), "|END|")
	differ := 0
	for c := rune(0); c < 0xE0200; c++ {
		if c == 0x20000 {
			c = 0xE0000
		}
		if jstext.IsSurrogate(c) {
			continue
		}
		s := string(c)
		var got strings.Builder
		for _, x := range []string{s, s + "Σ", "A" + s + "Σ", "AΣ" + s, "AΣ" + s + "A"} {
			got.WriteString(jstext.ToLower(x))
		}
		changed := c == 0x0295 || c == 0x1171E // of another category since Unicode 15
		if got.String() != want[0] && !unicode.Is(unicode.Cn, c) && !changed {
			if differ++; differ < 20 {
				t.Errorf("%U: got %q, node %q", c, got.String(), want[0])
			}
		}
		want = want[1:]
	}
	if len(want) != 0 {
		t.Errorf("%d answers too many", len(want))
	}
}
