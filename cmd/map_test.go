package cmd_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Every package has its row in the map of CONTRIBUTING.md, or its parent has, and
// imports nothing of a row below.
func TestImportsPointUpTheMap(t *testing.T) {
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]int)
	for n, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, name := range regexp.MustCompile("`(lib/[a-z/]+)`").FindAllStringSubmatch(cells[1], -1) {
				rows[name[1]] = n
			}
		}
	}
	row := func(pkg string) (int, bool) {
		for name := pkg; name != ""; name = name[:max(0, strings.LastIndexByte(name, '/'))] {
			if n, ok := rows[name]; ok {
				return n, true
			}
		}
		return 0, false
	}
	const module = "github.com/dsh-toolkit/dsh/"
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "../lib/...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, line := range strings.Split(strings.ReplaceAll(string(out), module, ""), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		own, ok := row(fields[0])
		if !ok {
			t.Errorf("%s is not in the map", fields[0])
			continue
		}
		seen[fields[0]] = true
		for _, imported := range fields[1:] {
			if n, ok := row(imported); ok && n > own {
				t.Errorf("%s imports %s, which stands below it", fields[0], imported)
			}
		}
	}
	for name := range rows {
		if !seen[name] && name != "lib/app" {
			t.Errorf("%s is in the map and does not exist", name)
		}
	}
}
