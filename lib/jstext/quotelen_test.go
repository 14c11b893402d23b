package jstext_test

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func FuzzQuotedLen(f *testing.F) {
	for _, s := range []string{"", "a<b\"\\\n\x00\x1f\x7f", "日本\u2028😀", "\xed\xa0\x80x\xed\xb0\x80", "\xff\xf0\x9f"} {
		f.Add(s)
	}
	for _, s := range schemeTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := jstext.QuotedLen(s, false), len(jstext.AppendQuote(nil, s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
		if got, want := jstext.QuotedLen(s, true), len(jstext.AppendQuoteTagSafe(nil, s)); got != want {
			t.Errorf("%q tag-safe: %d, want %d", s, got, want)
		}
	})
}
