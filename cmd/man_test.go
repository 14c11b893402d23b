package cmd_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/known"
)

// page reads one manual page.
func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../man", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	itemLine = regexp.MustCompile(`(?m)^\.It (Fl .*)$`)
	manFlag  = regexp.MustCompile(`\bFl (\S+)`)
	helpFlag = regexp.MustCompile(`(?m)^  (-.+?)(?:  .*)?$`)
	command  = regexp.MustCompile(`(?m)^  ([a-z-]+)  `)
	crossRef = regexp.MustCompile(`\bXr (dsh\S*) ([0-9])`)
	exitItem = regexp.MustCompile(`(?m)^\.It ([0-9]+)$`)
)

// Each flag of a program is an item of its page, and each item a flag.
func TestManualsNameTheFlags(t *testing.T) {
	for name := range programs {
		t.Run(name, func(t *testing.T) {
			documented := make(map[string]bool)
			for _, line := range itemLine.FindAllStringSubmatch(page(t, name+".1"), -1) {
				for _, f := range manFlag.FindAllStringSubmatch(line[1], -1) {
					documented["-"+f[1]] = true
				}
			}
			flags := flagsOf(t, name)
			for _, f := range slices.Sorted(maps.Keys(flags)) {
				if !documented[f] {
					t.Errorf("man/%s.1 has no item for %s", name, f)
				}
			}
			for _, f := range slices.Sorted(maps.Keys(documented)) {
				if !flags[f] {
					t.Errorf("man/%s.1 has %s, the program has not", name, f)
				}
			}
		})
	}
}

// flagsOf is what a program and its commands list in their help.
func flagsOf(t *testing.T, name string) map[string]bool {
	t.Helper()
	flags := make(map[string]bool)
	collect := func(args ...string) string {
		got := runProgram(name, append(args, "--help")...)
		head, list, ok := strings.Cut(got.stdout, "\nflags:\n")
		if got.status != 0 || !ok {
			t.Fatalf("%s %q --help: %+v", name, args, got)
		}
		for _, m := range helpFlag.FindAllStringSubmatch(list, -1) {
			for _, f := range strings.Split(m[1], ", ") {
				f, _, _ = strings.Cut(f, " ") // without the name of its value
				flags[f] = true
			}
		}
		return head
	}
	var walk func(args ...string)
	walk = func(args ...string) {
		if _, list, ok := strings.Cut(collect(args...), "\ncommands:\n"); ok {
			for _, m := range command.FindAllStringSubmatch(list, -1) {
				walk(append(slices.Clone(args), m[1])...)
			}
		}
	}
	walk()
	if len(flags) == 0 {
		t.Fatalf("%s has no flags", name)
	}
	return flags
}

// Pages refer to pages that exist.
func TestManualsReferToPages(t *testing.T) {
	pages, err := filepath.Glob("../man/*.[0-9]")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, p := range pages {
		for _, m := range crossRef.FindAllStringSubmatch(page(t, filepath.Base(p)), -1) {
			if _, err := os.Stat(filepath.Join("../man", m[1]+"."+m[2])); err != nil {
				t.Errorf("%s refers to %s(%s): %v", filepath.Base(p), m[1], m[2], err)
			}
		}
	}
}

// The exit statuses of a page are of the one table, in its order.
func TestManualsNameTheExits(t *testing.T) {
	table := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "130"}
	for name := range programs {
		_, section, ok := strings.Cut(page(t, name+".1"), "\n.Sh EXIT STATUS\n")
		section, _, _ = strings.Cut(section, "\n.Sh ")
		last := -1
		for _, m := range exitItem.FindAllStringSubmatch(section, -1) {
			at := slices.Index(table, m[1])
			if at <= last {
				t.Errorf("man/%s.1: exit %s is not in the table, or not in its order", name, m[1])
			}
			last = at
		}
		if !ok || last < 0 {
			t.Errorf("man/%s.1 has no EXIT STATUS", name)
		}
	}
}

// dsh-stores(7) has every kind of store, in both of its tables, and a section on each
// reader with what it was checked against.
func TestManualHasEveryStore(t *testing.T) {
	text := page(t, "dsh-stores.7")
	sections := make(map[string]string)
	for _, s := range strings.Split(text, "\n.Ss ")[1:] {
		kind, _, _ := strings.Cut(s, ":")
		sections[kind] = s
	}
	for _, f := range known.Formats {
		if n := strings.Count(text, "\n.It "+f.Kind+" Ta "); n != 2 {
			t.Errorf("%s has a row in %d tables, want 2", f.Kind, n)
		}
		if f.Kind == store.DSH { // read exactly; the reference's answers are its section
			continue
		}
		for _, part := range []string{"Checked against", ".It Em Prompts", ".It Em Compaction", ".It Em Titles", ".It Em Left out"} {
			if !strings.Contains(sections[f.Kind], part) {
				t.Errorf("the section on %s has no %q", f.Kind, part)
			}
		}
		if !strings.Contains(page(t, "dsh-surface.1"), f.Kind) {
			t.Errorf("dsh-surface(1) does not name %s", f.Kind)
		}
	}
}
