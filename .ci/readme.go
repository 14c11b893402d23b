//go:build ignore

// Command readme runs the console blocks of a Markdown file and compares what
// they print with what the file says.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const skip = "<!-- not run -->"

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fatal(err)
	}
	bin, err := os.MkdirTemp("", "dsh-readme-*")
	if err != nil {
		fatal(err)
	}
	defer os.RemoveAll(bin)
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/...").CombinedOutput(); err != nil {
		fatal(fmt.Errorf("go build: %w\n%s", err, out))
	}
	// The commands get a home of their own, but not the Go toolchain among them: it
	// would fetch every module again and say so.
	env := os.Environ()
	for _, name := range []string{"GOPATH", "GOMODCACHE", "GOCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			fatal(fmt.Errorf("go env %s: %w", name, err))
		}
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	env = append(env,
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"HOME="+bin, "XDG_STATE_HOME="+bin+"/state", "XDG_CACHE_HOME="+bin+"/cache", "DSH_SESSION_ID=", "DSH_STORE=")
	ran, failed := 0, 0
	for _, b := range blocks(string(text)) {
		for _, step := range b {
			cmd := exec.Command("bash", "-c", step.command)
			cmd.Env = env
			out, err := cmd.CombinedOutput()
			ran++
			if err != nil || !matches(step.output, string(out)) {
				failed++
				fmt.Printf("$ %s\n--- README\n%s--- got (%v)\n%s", step.command, step.output, err, out)
			}
		}
	}
	fmt.Printf("%d README commands, %d failed\n", ran, failed)
	if failed > 0 || ran == 0 {
		os.RemoveAll(bin)
		os.Exit(1)
	}
}

type step struct{ command, output string }

// blocks returns the commands of each console block, in order.
func blocks(text string) [][]step {
	var out [][]step
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) != "```console" {
			continue
		}
		skipped := i > 0 && strings.TrimSpace(lines[i-1]) == skip
		var b []step
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
			if c, ok := strings.CutPrefix(lines[i], "$ "); ok {
				for strings.HasSuffix(c, "\\\n") && i+1 < len(lines) {
					i++
					c += lines[i]
				}
				b = append(b, step{command: strings.TrimSuffix(c, "\n")})
			} else if len(b) > 0 {
				b[len(b)-1].output += lines[i]
			}
		}
		if !skipped {
			out = append(out, b)
		}
	}
	return out
}

// matches compares line by line; a want line of "…" matches any number of lines,
// and one that ends in "…" matches by its beginning.
func matches(want, got string) bool {
	w, g := strings.Split(strings.TrimSuffix(want, "\n"), "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	return matchLines(w, g)
}

func matchLines(w, g []string) bool {
	for len(w) > 0 {
		if w[0] == "…" {
			for n := 0; n <= len(g); n++ {
				if matchLines(w[1:], g[n:]) {
					return true
				}
			}
			return false
		}
		if len(g) == 0 {
			return false
		}
		prefix, cut := strings.CutSuffix(w[0], "…")
		if cut && !strings.HasPrefix(g[0], prefix) || !cut && w[0] != g[0] {
			return false
		}
		w, g = w[1:], g[1:]
	}
	return len(g) == 0
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "readme:", err)
	os.Exit(1)
}
