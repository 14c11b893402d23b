package tui

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	keyItem = regexp.MustCompile(`(?m)^\.It (.*)$`)
	// inProse are keys that the page names in its text, or that are another spelling
	// of one: what some terminals send for it.
	inProse = map[string]bool{
		"ctrl+left": true, "ctrl+right": true, "shift+enter": true, "ctrl+/": true, "shift+backspace": true, "ctrl+backspace": true,
	}
	// elsewhere are keys that are not in the tables of keys.go but in its switches.
	elsewhere = strings.Fields("enter @ tab esc ctrl+c ctrl+d up down pgup pgdown shift+up shift+down ctrl+home ctrl+end ctrl+l ctrl+z")
)

// TestTheManualNamesTheKeys compares the editor's keys with the page, both ways.
func TestTheManualNamesTheKeys(t *testing.T) {
	page, err := os.ReadFile("../../man/dsh-tui.1")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\nIn the editor:\n")
	section, _, ok := strings.Cut(section, "\nIn the list of completions:\n")
	if !ok {
		t.Fatal("the page has no such section")
	}
	documented := make(map[string]bool)
	for _, m := range keyItem.FindAllStringSubmatch(section, -1) {
		for _, name := range strings.Split(m[1], " , ") {
			name = strings.NewReplacer("-", "+", "pgdn", "pgdown").Replace(strings.ToLower(name))
			documented[name] = true
		}
	}
	known := make(map[string]bool)
	for _, k := range elsewhere {
		known[k] = true
	}
	for k := range moves {
		known[k] = true
	}
	for k := range edits {
		known[k] = true
	}
	for k := range known {
		if !documented[k] && !inProse[k] {
			t.Errorf("the page does not name %s", k)
		}
	}
	for k := range documented {
		if !known[k] {
			t.Errorf("the page names %s, which does nothing", k)
		}
	}
}
