package gitignore_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/tui/files/gitignore"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		patterns, path string
		dir            bool
		want           gitignore.Verdict
	}{
		{"", "a", false, gitignore.Silent},
		{"# a\n\n", "a", false, gitignore.Silent},
		{"a", "a", false, gitignore.Ignored},
		{"a", "x/y/a", false, gitignore.Ignored},
		{"/a", "x/a", false, gitignore.Silent},
		{"x/a", "x/a", false, gitignore.Ignored},
		{"x/a", "y/x/a", false, gitignore.Silent},
		{"build/", "build", true, gitignore.Ignored},
		{"build/", "build", false, gitignore.Silent},
		{"*.log", "x/y.log", false, gitignore.Ignored},
		{"*.log\n!keep.log", "keep.log", false, gitignore.Included},
		{"!keep.log\n*.log", "keep.log", false, gitignore.Ignored},
		{`\#a`, "#a", false, gitignore.Ignored},
		{`\!a`, "!a", false, gitignore.Ignored},
		{"a  ", "a", false, gitignore.Ignored},
		{`a\ `, "a ", false, gitignore.Ignored},
		{"a\r\nb\r\n", "b", false, gitignore.Ignored},
		{"\uFEFFa", "a", false, gitignore.Ignored},
		{"a?c", "abc", false, gitignore.Ignored},
		{"x/?c", "x//c", false, gitignore.Silent},
		{"x/*/c", "x/y/z/c", false, gitignore.Silent},
		{"**/c", "x/y/c", false, gitignore.Ignored},
		{"**/c", "c", false, gitignore.Ignored},
		{"a/**", "a/b/c", false, gitignore.Ignored},
		{"a/**", "a", true, gitignore.Silent},
		{"a/**/b", "a/b", false, gitignore.Ignored},
		{"a/**/b", "a/x/y/b", false, gitignore.Ignored},
		{"a**b", "axxb", false, gitignore.Ignored},
		{"[a-c].go", "b.go", false, gitignore.Ignored},
		{"[!a-c].go", "b.go", false, gitignore.Silent},
		{"[^a-c].go", "d.go", false, gitignore.Ignored},
		{"[]].go", "].go", false, gitignore.Ignored},
		{"[[:digit:]]", "7", false, gitignore.Ignored},
		{"[a", "[a", false, gitignore.Silent},
		{"a+(b).go", "a+(b).go", false, gitignore.Ignored},
		{"漢*", "漢字", false, gitignore.Ignored},
	} {
		if got := gitignore.Parse(c.patterns).Match(c.path, c.dir); got != c.want {
			t.Errorf("Parse(%q).Match(%q, %v) = %v, want %v", c.patterns, c.path, c.dir, got, c.want)
		}
	}
}

// TestGit asks git itself about made-up patterns and paths.
func TestGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		cmd.Stdin = strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+dir)
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && !(asExit(err, &exit) && exit.ExitCode() == 1) {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("", "init", "-q")
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	for round := range 150 {
		var patterns []string
		for range 1 + rng.IntN(4) {
			p := pick("", "", "!", "/")
			for range 1 + rng.IntN(4) {
				p += pick("a", "b", "ab", "*", "**", "?", "/", "/", "/**/", "[ab]", "[!a]", "[a-b]", `\*`, ".", "[", "[]a]", "[[:alpha:]]", "[.-0]", " ", `\`)
			}
			patterns = append(patterns, p+pick("", "", "/", " ", `\ `))
		}
		text := strings.Join(patterns, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for range 40 {
			p := pick("a", "b", "ab", "*", ".", "c ")
			for range rng.IntN(4) {
				p += pick("/", "") + pick("a", "b", "ab", "x", "*")
			}
			if p = path.Clean(p); p != "." {
				paths = append(paths, p)
			}
		}
		// -v -n prints source, line, pattern and path for each, and "::" for no match.
		// Without --no-index and files on disk every path is taken as a file.
		out := run(strings.Join(paths, "\x00")+"\x00", "check-ignore", "--stdin", "-z", "-v", "-n")
		fields := bytes.Split([]byte(out), []byte{0})
		f := gitignore.Parse(text)
		for i, p := range paths {
			want := gitignore.Silent
			if pattern := string(fields[i*4+2]); strings.HasPrefix(pattern, "!") {
				want = gitignore.Included
			} else if pattern != "" {
				want = gitignore.Ignored
			}
			if got := walked(f, p); got != want {
				t.Errorf("round %d: patterns %q: %q is %v, git says %v (%q)", round, patterns, p, got, want, fields[i*4+2])
			}
		}
	}
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*to = e
	return ok
}

// walked decides a path as a walk does: from the top, where an ignored directory
// decides for everything in it.
func walked(f gitignore.File, p string) gitignore.Verdict {
	for i, c := range p {
		if c == '/' && f.Match(p[:i], true) == gitignore.Ignored {
			return gitignore.Ignored
		}
	}
	return f.Match(p, false)
}

func FuzzPattern(f *testing.F) {
	for _, p := range []string{"a/**/b", "[a-", "[[:alpha:]-z]", `\`, "[z-a]", "**/**/**", "[!]]", "[/-/]"} {
		f.Add(p, "a/x/b")
	}
	f.Fuzz(func(t *testing.T, patterns, name string) {
		file := gitignore.Parse(patterns)
		for _, dir := range []bool{true, false} {
			if v := file.Match(name, dir); v < gitignore.Silent || v > gitignore.Included {
				t.Error(fmt.Sprint("verdict ", v))
			}
		}
	})
}
