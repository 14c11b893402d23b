package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/tui/files"
)

// tree makes files of text, "name" or "name: content" a line.
func tree(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		name, content, _ := strings.Cut(strings.TrimSpace(line), ": ")
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(strings.ReplaceAll(content, " ", "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func search(t *testing.T, x *files.Index, query string) []string {
	t.Helper()
	for range 100 {
		r, err := x.Search(t.Context(), query, 20)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Partial {
			return r.Paths
		}
	}
	t.Fatal("the walk does not end")
	return nil
}

func TestSearch(t *testing.T) {
	root := tree(t, `
		README.md
		.git/config
		.gitignore: *.log /dist/ !keep.log
		dist/out.js
		a.log
		keep.log
		node_modules/x/index.js
		web/node_modules/y/index.js
		web/dist/in.js
		web/.gitignore: secret* !a.log
		web/a.log
		web/secret.txt
		web/retry policy.md
		web/src/retry.go
		web/src/deep/err.go
		lib/retry_test.go
	`)
	for _, link := range [][2]string{{"lib", "loop"}, {"README.md", "link.md"}, {"nowhere", "dangling"}} {
		if err := os.Symlink(filepath.Join(root, link[0]), filepath.Join(root, "lib", link[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "bad\x1b[2Jname"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all := []string{
		"keep.log", "README.md", ".gitignore", "web/a.log", "lib/link.md", "web/.gitignore",
		"lib/retry_test.go", "web/retry policy.md", "web/dist/in.js", "web/src/retry.go", "web/src/deep/err.go",
	}
	for _, c := range []struct {
		name, root, query string
		want              []string
	}{
		{"everything", root, "", all},
		{"by name, then by depth", root, "RETRY", []string{"lib/retry_test.go", "web/retry policy.md", "web/src/retry.go"}},
		{"by path", root, "web/src", []string{"web/src/retry.go", "web/src/deep/err.go"}},
		{"letters in order", root, "wsre", []string{"web/src/retry.go", "web/src/deep/err.go"}},
		{"with a space", root, "retry po", []string{"web/retry policy.md"}},
		{"nothing", root, "zzz", []string{}},
		{"rules from above", filepath.Join(root, "web"), "", []string{"a.log", ".gitignore", "retry policy.md", "dist/in.js", "src/retry.go", "src/deep/err.go"}},
		{"no such directory", filepath.Join(root, "gone"), "", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := search(t, files.New(t.Context(), c.root, time.Now), c.query)
			if !slices.Equal(got, c.want) {
				t.Errorf("search %q: got %q, want %q", c.query, got, c.want)
			}
		})
	}
}

// TestGit compares a whole tree with what git itself lists.
func TestGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	root := tree(t, `
		.gitignore: *.tmp /only/ a/**/z build/ !important.tmp doc/*.txt
		x.tmp
		important.tmp
		only/x
		sub/only/x
		a/z
		a/b/c/z
		a/b/c/y
		b/build/out
		doc/a.txt
		doc/deep/a.txt
		sub/.gitignore: /only x* !y.tmp
		sub/y.tmp
		sub/x
		sub/more/xy
		sub/more/.gitignore: !xy
		.git/info/exclude: hidden
		hidden
		sub/hidden/file
	`)
	init := exec.Command(git, "-C", root, "-c", "init.templateDir=", "init", "-q")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	cmd := exec.Command(git, "-C", root, "-c", "core.excludesFile=/dev/null", "ls-files", "-co", "--exclude-standard")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(out))
	got := search(t, files.New(t.Context(), root, time.Now), "")
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestSearchRenews(t *testing.T) {
	root := tree(t, "one")
	now := time.Unix(0, 0)
	x := files.New(t.Context(), root, func() time.Time { return now })
	if got := search(t, x, ""); !slices.Equal(got, []string{"one"}) {
		t.Fatalf("got %q", got)
	}
	if err := os.WriteFile(filepath.Join(root, "two"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := search(t, x, ""); !slices.Equal(got, []string{"one"}) {
		t.Errorf("at once: got %q, want what was known", got)
	}
	now = now.Add(time.Minute)
	for deadline := time.Now().Add(5 * time.Second); ; {
		if got := search(t, x, ""); slices.Equal(got, []string{"one", "two"}) {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("a minute later: got %q", got)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestSearchIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := files.New(t.Context(), tree(t, "one"), time.Now).Search(ctx, "", 20); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func BenchmarkSearch(b *testing.B) {
	root := b.TempDir()
	for i := range 200 {
		dir := filepath.Join(root, fmt.Sprintf("dir%03d", i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file_%d.go", j)), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	x := files.New(b.Context(), root, time.Now)
	for {
		if r, err := x.Search(b.Context(), "", 20); err != nil {
			b.Fatal(err)
		} else if !r.Partial {
			break
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Search(b.Context(), "d1f9", 20); err != nil {
			b.Fatal(err)
		}
	}
}
