package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

// FuzzRead reads any bytes as a rollout. Run it with -fuzzminimizetime=1x: readings
// use goroutines, which the fuzzer takes for new coverage and tries to minimise.
func FuzzRead(f *testing.F) {
	for _, c := range ruleCases {
		f.Add([]byte(strings.Join(c.lines, "\n") + "\n"))
	}
	files, err := filepath.Glob(fixtures + "/*.jsonl*")
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		conformance.Fuzz(t, reader(""), "rollout-x.jsonl", in, `{"timestamp":"2026`)
	})
}
