package jstext_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// ParseMembers is Parse, and hands out what Members would.
func TestParseMembers(t *testing.T) {
	type member struct{ key, raw string }
	texts := slices.Concat(jsonTexts, notJSON, []string{
		`{"a":1,"b":{"c":[2,"}"]},"a":null}`, " { \"\\u0061\" : \"x\" ,\n\"\\ud800\":[] } ", `{"a":1,"b"`, `{"a":1}x`,
		strings.Repeat(`{"a":`, jstext.MaxDepth) + "1" + strings.Repeat(`}`, jstext.MaxDepth),
		strings.Repeat(`{"a":`, jstext.MaxDepth+1) + "1" + strings.Repeat(`}`, jstext.MaxDepth+1),
	})
	for _, s := range texts {
		var got, want []member
		v, err := jstext.ParseMembers(s, func(k string, m jstext.Value) { got = append(got, member{k, m.Raw()}) })
		parsed, wantErr := jstext.Parse(s)
		if v != parsed || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%.80q: %.80q, %v, want %.80q, %v", s, v.Raw(), err, parsed.Raw(), wantErr)
		}
		for k, m := range parsed.Members() {
			want = append(want, member{k, m.Raw()})
		}
		if err == nil && !slices.Equal(got, want) {
			t.Errorf("%.80q: members %q, want %q", s, got, want)
		}
		for _, m := range got {
			if _, err := jstext.Parse(m.raw); err != nil {
				t.Errorf("%.80q: handed out %q", s, m.raw)
			}
		}
	}
}
