package jsonl

import (
	"slices"
	"testing"
)

func TestLinesBackward(t *testing.T) {
	for _, in := range []string{"", "a", "a\n", "\n", "a\nb", "a\nb\n", "\n\na\n\n", "a\r\nb"} {
		var want, got []string
		for line := range Lines([]byte(in)) {
			want = append(want, string(line))
		}
		for line := range LinesBackward([]byte(in)) {
			got = append(got, string(line))
		}
		slices.Reverse(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	n := 0
	for range LinesBackward([]byte("a\nb\nc")) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("stopped after %d lines", n)
	}
}
