// Package vectors runs tests on the cases of testdata/vectors, the answers of the
// reference implementation. It is for tests alone.
package vectors

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Each runs check as a subtest of its own on every case of a vector file. A file
// that is missing or holds no case fails the test: skipping is not passing.
func Each(t *testing.T, file string, check func(t *testing.T, c jstext.Value)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir(t), file))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jstext.Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	n := 0
	for c := range v.Get("cases").Elements() {
		name, _ := c.Get("case").Text()
		t.Run(name, func(t *testing.T) { check(t, c) })
		n++
	}
	if n == 0 {
		t.Fatalf("%s holds no cases", file)
	}
}

// dir finds testdata/vectors above the folder of the package under test.
func dir(t *testing.T) string {
	t.Helper()
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		vectors := filepath.Join(at, "testdata", "vectors")
		if _, err := os.Stat(vectors); err == nil {
			return vectors
		}
		up := filepath.Dir(at)
		if up == at {
			t.Fatal("no testdata/vectors above the test")
		}
		at = up
	}
}
