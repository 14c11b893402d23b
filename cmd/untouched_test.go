package cmd_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
)

// TestReadingChangesNothing lists, shows, projects and verifies every session of every
// agent in testdata, the damaged ones too, by its id and by its file. The files, their
// times and modes, and the folders around them stay as they were.
func TestReadingChangesNothing(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "stores")
	for _, name := range []string{"fixtures", "cases", "store", "inputs"} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join("../testdata", name))); err != nil {
			t.Fatal(err)
		}
	}
	surface := func(args ...string) run {
		var out, errs bytes.Buffer
		env := map[string]string{"HOME": filepath.Join(dir, "home"), "XDG_CACHE_HOME": filepath.Join(dir, "cache")}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		status := programs["dsh-surface"](&cli.System{
			Args: append([]string{"dsh-surface"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
			Getenv: func(k string) string { return env[k] }, Now: time.Now, Context: ctx, Columns: 80,
		})
		return run{status, out.String(), errs.String()}
	}
	modes := [][]string{nil, {"--project"}, {"--verify"}, {"--check"}}

	before := conformance.Tree(t, root)
	shown := make(map[string]int) // by kind
	for _, kind := range []string{"dsh", "claude", "codex", "opencode", "gemini", "pi"} {
		for _, place := range places(t, root) {
			at := []string{"--store", kind + ":" + place}
			list := surface(append(slices.Clone(at), "--list", "--limit", "0")...)
			for line := range strings.Lines(list.stdout) {
				id, ok := jstext.MustParse(line).Get("sessionId").Text()
				if !ok {
					t.Fatalf("%s: listed %s", place, line)
				}
				for _, mode := range modes {
					if r := surface(slices.Concat(at, mode, []string{id})...); r.status == 0 {
						shown[kind]++
					}
				}
			}
		}
	}
	files := 0
	for _, path := range places(t, root) {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		for _, mode := range modes {
			if r := surface(slices.Concat(mode, []string{path})...); r.status == 0 {
				files++
			}
		}
	}
	if after := conformance.Tree(t, root); !slices.Equal(before, after) {
		t.Errorf("the files were\n%s\nand are\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	for _, kind := range []string{"dsh", "claude", "codex", "opencode", "gemini", "pi"} {
		if shown[kind] < 8 {
			t.Errorf("of %s %d sessions were shown by id: the test does not try what it says", kind, shown[kind])
		}
	}
	if files < 100 {
		t.Errorf("%d files were shown: the test does not try what it says", files)
	}
}

// places is every file below root that can hold sessions, and every folder.
func places(t *testing.T, root string) (out []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil:
			return err
		case strings.Contains(name, ".expected"), slices.Contains([]string{".md", ".txtar", ".sql"}, filepath.Ext(name)):
		case d.IsDir(), !strings.Contains(path, string(filepath.Separator)+"storage"+string(filepath.Separator)):
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
