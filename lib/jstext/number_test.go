package jstext_test

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// A number is written as JavaScript would write it, or kept where JavaScript could
// not hold it.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ lit, want string }{
		{"1e2", "100"},
		{"0.10", "0.1"},
		{"1E-7", "1e-7"},
		{"0e5", "0"},
		{"-0", "-0"},
		{"123456789012345", "123456789012345"},
		{"9007199254740992", "9007199254740992"},
		{"9007199254740993", "9007199254740993"},
		{"1234567890123456789", "1234567890123456789"},
		{"0.1234567890123456", "0.1234567890123456"},
		{"5e-400", "5e-400"},
		{"1e400", "1e400"},
	} {
		if got := jstext.MustParse(c.lit).JSON(); got != c.want {
			t.Errorf("%s is written %s, want %s", c.lit, got, c.want)
		}
	}
}
