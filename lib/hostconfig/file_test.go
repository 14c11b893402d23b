package hostconfig_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *hostconfig.File {
	t.Helper()
	f, err := hostconfig.Open(path)
	must(t, err)
	return f
}

// names is what a folder has, hidden files too.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// A link stays one, the mode stays, and nothing is left beside the file.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	must(t, os.Mkdir(real, 0o755))
	must(t, os.WriteFile(filepath.Join(real, "file"), []byte("old"), 0o640))
	must(t, os.Symlink("real/file", filepath.Join(dir, "two")))
	must(t, os.Symlink("two", filepath.Join(dir, "one")))
	f := open(t, filepath.Join(dir, "one"))
	must(t, f.Replace([]byte("new"), true))
	if got, err := os.ReadFile(filepath.Join(real, "file")); string(got) != "new" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got := names(t, dir) + "; " + names(t, real); got != "one real two; file file.before-dsh-ref" {
		t.Errorf("there is %s", got)
	}
	for _, name := range []string{"file", "file.before-dsh-ref"} {
		info, err := os.Stat(filepath.Join(real, name))
		must(t, err)
		if info.Mode() != 0o640 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	if to, err := os.Readlink(filepath.Join(dir, "one")); to != "two" || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if data, ok, err := open(t, filepath.Join(dir, "two")).Backup(); string(data) != "old" || !ok || err != nil {
		t.Errorf("the backup: %q, %v, %v", data, ok, err)
	}
	must(t, f.DropBackup())
	must(t, f.DropBackup())
	if got := names(t, real); got != "file" {
		t.Errorf("there is %s", got)
	}
}

// Folders that had to be made go with the file; others stay.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "a"), 0o755))
	path := filepath.Join(dir, "a", "b", "c", "file")
	must(t, open(t, path).Replace([]byte("x"), false))
	must(t, open(t, path).Delete(false))
	if got := names(t, filepath.Join(dir, "a")); got != "" {
		t.Errorf("a has %s", got)
	}
	must(t, open(t, path).Replace([]byte("x"), false))
	other := filepath.Join(dir, "a", "b", "other")
	must(t, os.WriteFile(other, nil, 0o644))
	must(t, open(t, path).Delete(false))
	if got := names(t, filepath.Join(dir, "a", "b")); got != "other" {
		t.Errorf("b has %s", got)
	}
	// Another program's now.
	must(t, os.RemoveAll(filepath.Join(dir, "a", "b")))
	must(t, open(t, path).Replace([]byte("x"), false))
	must(t, open(t, path).Settle())
	must(t, open(t, path).Delete(false))
	if got := names(t, filepath.Join(dir, "a", "b")) + names(t, filepath.Join(dir, "a", "b", "c")); got != "c" {
		t.Errorf("a has %s", got)
	}
	// A link to nowhere: its target is the file that comes and goes.
	link := filepath.Join(dir, "link")
	must(t, os.Symlink(filepath.Join(dir, "new", "file"), link))
	must(t, open(t, link).Replace([]byte("x"), false))
	must(t, open(t, link).Delete(false))
	if got := names(t, dir); got != "a link" {
		t.Errorf("there is %s", got)
	}
}

// Another writer wins, whatever it did.
func TestChangedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for name, meanwhile := range map[string]struct{ first, then string }{
		"written": {"old", "other"}, "grown": {"old", "older"}, "removed": {"old", ""}, "made": {"", "other"},
	} {
		set := func(s string) {
			if s == "" {
				os.Remove(path)
				return
			}
			must(t, os.WriteFile(path, []byte(s), 0o644))
		}
		for what, do := range map[string]func(*hostconfig.File) error{
			"replace":          func(f *hostconfig.File) error { return f.Replace([]byte("new"), false) },
			"replace and keep": func(f *hostconfig.File) error { return f.Replace([]byte("new"), true) },
			"delete":           func(f *hostconfig.File) error { return f.Delete(false) },
			"delete and keep":  func(f *hostconfig.File) error { return f.Delete(true) },
		} {
			set(meanwhile.first)
			f := open(t, path)
			set(meanwhile.then)
			err := do(f)
			var e *fault.Error
			if !errors.As(err, &e) || e.Rule != "file-changed" {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			if got, _ := os.ReadFile(path); string(got) != meanwhile.then {
				t.Errorf("%s, %s: the file has %q", name, what, got)
			}
			set("")
			if got := names(t, dir); got != "" {
				t.Errorf("%s, %s: there is %s", name, what, got)
			}
		}
	}
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	big := filepath.Join(dir, "big")
	must(t, os.WriteFile(big, nil, 0o644))
	must(t, os.Truncate(big, 1<<40)) // sparse
	for _, path := range []string{dir, filepath.Join(dir, "loop"), big} {
		_, err := hostconfig.Open(path)
		if fault.KindOf(err) != fault.Usage {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := hostconfig.Open(filepath.Join(big, "under")); fault.KindOf(err) != fault.Unexpected || err == nil {
		t.Errorf("below a file: %v", err)
	}
	// A backup that is not one of ours is neither read nor written.
	path := filepath.Join(dir, "file")
	must(t, os.WriteFile(path, []byte("x"), 0o644))
	must(t, os.Symlink(big, path+".before-dsh-ref"))
	f := open(t, path)
	if _, _, err := f.Backup(); fault.KindOf(err) != fault.Usage {
		t.Errorf("a link as backup: %v", err)
	}
	if err := f.Replace([]byte("y"), true); fault.KindOf(err) != fault.Usage {
		t.Errorf("a link as backup: %v", err)
	}
}
