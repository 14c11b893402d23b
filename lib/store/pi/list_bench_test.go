package pi_test

import (
	"fmt"
	"strings"
	"testing"
)

// 2,000 sessions of 120 messages in 20 directories.
func BenchmarkList(b *testing.B) {
	root := b.TempDir()
	var turns strings.Builder
	for i := range 120 {
		parent := "null"
		if i > 0 {
			parent = fmt.Sprintf(`"%d"`, i-1)
		}
		turns.WriteString(user(fmt.Sprint(i), parent, "some words about the thing at hand, and a reason or two"))
	}
	for i := range 2000 {
		place(b, root, fmt.Sprintf("sessions/--w%d--/t_%d.jsonl", i%20, i), headOf(fmt.Sprint(i), "")+turns.String())
	}
	st := open(b, root)
	for b.Loop() {
		if n := len(entries(b, st)); n != 2000 {
			b.Fatal(n)
		}
	}
}
