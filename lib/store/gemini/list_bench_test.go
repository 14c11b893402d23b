package gemini_test

import (
	"fmt"
	"path/filepath"
	"testing"
)

// 2,000 recordings of 120 messages in 20 projects.
func BenchmarkList(b *testing.B) {
	root := b.TempDir()
	var turns []string
	for i := range 60 {
		turns = append(turns, user(fmt.Sprint("u", i), `"a question of some words about the thing at hand"`), model(fmt.Sprint("g", i), `"an answer of some more words about the same thing, with a reason"`))
	}
	for i := range 2000 {
		id := fmt.Sprintf("%08d-x", i)
		write(b, filepath.Join(root, file(fmt.Sprint("p", i%20), id)), lines(id, "h", turns...))
	}
	for b.Loop() {
		if n := len(list(b, root)); n != 2000 {
			b.Fatal(n)
		}
	}
}
