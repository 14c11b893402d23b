package setup_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/host/setup"
	"github.com/dsh-toolkit/dsh/lib/smallfs"
)

// A change for which there is no room leaves everything as it was: file, backup,
// folders and marks.
func TestFull(t *testing.T) {
	page := os.Getpagesize()
	for _, s := range setup.All {
		for _, before := range []string{"nothing", "a file", "a file and a backup", "an entry that was edited"} {
			if before != "nothing" && (s.Agent == "opencode" || s.Agent == "pi") {
				continue
			}
			for _, of := range []string{"files", "bytes"} {
				failed := 0
				for room := range 12 {
					options := "size=256k"
					if of == "files" {
						options = "nr_inodes=60"
					}
					home, _ := smallfs.Mount(t, options)
					env := envOf(home)
					remove := prepare(t, s, env, before)
					fill(t, env.Home, of, room, page)
					was := tree(t, env.Home)
					c, err := s.Install(env, "", setup.Options{})
					if remove {
						c, err = s.Remove(env, "")
					}
					if err != nil {
						t.Fatal(err)
					}
					err = c.Make()
					if err == nil {
						break
					}
					failed++
					if got := tree(t, env.Home); got != was || !errors.Is(err, syscall.ENOSPC) {
						t.Fatalf("%s, %s, room for %d %s: %v, and %s became %s", s.Agent, before, room, of, err, was, got)
					}
				}
				if failed == 0 || failed == 12 {
					t.Errorf("%s, %s: failed %d times for want of %s", s.Agent, before, failed, of)
				}
			}
		}
	}
}

// prepare makes what is there before a change; remove says which change is meant.
func prepare(t *testing.T, s setup.Setup, env setup.Env, before string) (remove bool) {
	t.Helper()
	if before == "nothing" {
		return false
	}
	path, err := s.Path(env, "")
	if err != nil {
		t.Fatal(err)
	}
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(path, `{"a":1}`)
	switch before {
	case "a file and a backup":
		put(path+".before-dsh-ref", `{"a":0}`)
	case "an entry that was edited":
		c, err := s.Install(env, "", setup.Options{})
		change(t, c, err)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put(path, strings.Replace(string(data), `"type"`, `"mine":1,"type"`, 1))
		return true
	}
	return false
}

// fill leaves room for so many files or pages.
func fill(t *testing.T, dir, of string, room, page int) {
	t.Helper()
	if of == "files" {
		for i := 0; ; i++ {
			err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("fill%d", i)), nil, 0o644)
			if err == nil {
				continue
			}
			for j := i - 1; j >= i-room && j >= 0; j-- {
				if err := os.Remove(filepath.Join(dir, fmt.Sprintf("fill%d", j))); err != nil {
					t.Fatal(err)
				}
			}
			return
		}
	}
	f, err := os.Create(filepath.Join(dir, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := int64(0)
	for chunk := make([]byte, page); ; size += int64(page) {
		if _, err := f.Write(chunk); err != nil {
			break
		}
	}
	if err := f.Truncate(max(0, size-int64(room*page))); err != nil {
		t.Fatal(err)
	}
}
