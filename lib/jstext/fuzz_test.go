package jstext_test

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// FuzzQuote: any JavaScript string comes back from its literal, and the fast
// writer writes what the slow one does.
func FuzzQuote(f *testing.F) {
	for _, s := range jsStrings {
		f.Add(s)
	}
	f.Fuzz(checkQuote)
}

// FuzzParse: what JSON's grammar allows is accepted and nothing else, and writing
// is idempotent.
func FuzzParse(f *testing.F) {
	for _, s := range append(jsonTexts, notJSON...) {
		f.Add(s)
	}
	f.Fuzz(checkParse)
}

// FuzzDecode compares the decoder with the Encoding Standard's, byte by byte.
func FuzzDecode(f *testing.F) {
	for _, s := range append(illFormed, jsStrings...) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := jstext.Decode(b), slowDecode(b); got != want {
			t.Errorf("Decode(%q) = %q, want %q", b, got, want)
		}
	})
}

// FuzzUnits: WTF-8 and UTF-16 are two forms of one string.
func FuzzUnits(f *testing.F) {
	for _, s := range append(jsStrings, illFormed...) {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !jstext.Valid(a) || !jstext.Valid(b) {
			return
		}
		joined := jstext.Join(a, b)
		if !jstext.Valid(joined) || fromUnits(t, toUnits(a)[1:]+toUnits(b)[1:]) != joined {
			t.Errorf("%q and %q make %q", a, b, joined)
		}
	})
}
