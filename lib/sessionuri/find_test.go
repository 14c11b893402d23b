package sessionuri_test

import (
	"slices"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

func TestFind(t *testing.T) {
	a, b := sessionuri.Encode("a"), sessionuri.Encode("b")
	label := `x]\y`
	text := "see " + sessionuri.Mention("a", &label) + ", " + b + " and " + a
	got, err := sessionuri.Find(text)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, f := range got {
		parts = append(parts, text[f.Start:f.End], f.SessionID, f.Label)
	}
	want := []string{`@[x\]\\y](` + a + ")", "a", label, b, "b", "b", a, "a", "a"}
	if !slices.Equal(parts, want) {
		t.Errorf("Find(%q) = %q, want %q", text, parts, want)
	}
	if !got[0].Explicit || got[1].Explicit || got[2].Explicit {
		t.Errorf("Find(%q): explicit %v %v %v, want true false false", text, got[0].Explicit, got[1].Explicit, got[2].Explicit)
	}
	if got, err := sessionuri.Find("@[x](" + a + "=)"); err == nil || got != nil {
		t.Errorf("Find of a malformed mention = %v, %v, want an error", got, err)
	}
}

func TestLabels(t *testing.T) {
	nested := sessionuri.Mention("a", &[]string{"see dsh-session:ImEi"}[0])
	tests := []struct{ in, want string }{
		{"", ""},
		{"Port @[it](dsh-session:ImEi) now", "Port @it now"},
		{"dsh-session:ImEi", "@a"},
		{"dsh-session:bad and @[it](dsh-session:ImEi)", "dsh-session:bad and @[it](dsh-session:ImEi)"},
		{nested, "@see @a"},
		{"@[dsh-ses](dsh-session:ImEi)sion:ImEi", "@@a"},
	}
	for _, tt := range tests {
		if got := sessionuri.Labels(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}
