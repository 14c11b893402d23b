package reference_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
)

// TestProjectRealLogs reads every log that has an expected.json beside it, of all
// formats and encodings, through the store that holds it.
func TestProjectRealLogs(t *testing.T) {
	const top = "../../testdata/fixtures/dsh"
	n := 0
	err := filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "expected.json") {
			return err
		}
		n++
		t.Run(strings.TrimPrefix(path, top+"/"), func(t *testing.T) { checkExpected(t, path) })
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d logs, %v", n, err)
	}
}

func checkExpected(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := jstext.MustParse(string(text))
	id, _ := want.Get("sessionId").Text()
	st, err := dshlog.Open(storeRoot(path), store.Env{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	set := store.Set{Stores: []store.Store{st}}
	surface, err := set.ReadSurface(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	got := jstext.MustParse(string(reference.Project(surface).AppendJSON(nil)))
	for _, key := range []string{"sessionId", "title", "cwd", "capturedThroughSeq", "conversation"} {
		if got.Get(key).JSON() != want.Get(key).JSON() {
			t.Errorf("%s\ngot  %s\nwant %s", key, got.Get(key).JSON(), want.Get(key).JSON())
		}
	}
}

// storeRoot is the store that a log lies in: above cwd-… in the early layout, above
// --…-- or _no-cwd in the late one.
func storeRoot(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		base := filepath.Base(dir)
		if strings.HasPrefix(base, "cwd-") || strings.HasPrefix(base, "--") || base == "_no-cwd" {
			return filepath.Dir(dir)
		}
	}
}
