package hostconfig_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

func TestOwnCommand(t *testing.T) {
	for command, want := range map[string]string{
		// As an install writes it, and as the first installs did.
		"/a/dsh-ref hook claude":                                          "own",
		"'/a b/dsh-ref' hook claude":                                      "own",
		"'/a$b/dsh-ref' hook claude":                                      "own",
		`'/a'"'"'b/dsh-ref' hook claude`:                                  "own",
		`"/a'b/dsh-ref" hook claude`:                                      "own",
		"/a/dsh-ref.exe hook claude":                                      "own",
		"/a/dsh-ref hook --max-bytes 300 --store 'x`y`' claude":           "own",
		"/a/dsh-ref hook --max-refs 1 --timeout 5 --on-error pass claude": "own",
		// A person's own, which runs the hook.
		"dsh-ref hook claude":                      "runs",
		"./dsh-ref hook claude":                    "runs",
		"\t/a/dsh-ref   hook\tclaude ":             "runs",
		`"/a b/dsh-ref" hook claude`:               "runs",
		`/a\ b/dsh-ref hook claude`:                "runs",
		"/a/dsh-ref hook 'claude'":                 "runs",
		"/a/dsh-ref hook --json-errors claude":     "runs",
		"/a/dsh-ref hook --max-bytes=300 claude":   "runs",
		"/a/dsh-ref hook --to x claude":            "runs",
		"/a/dsh-ref hook --max-bytes claude":       "runs",
		"DSH_STORE=x /a/dsh-ref hook claude":       "runs",
		"/a/dsh-ref hook claude >/dev/null":        "runs",
		"/a/dsh-ref hook claude | cat":             "runs",
		"/a/dsh-ref hook claude; true":             "runs",
		"/a/dsh-ref hook claude\ntrue":             "runs",
		"! /a/dsh-ref hook claude":                 "runs",
		"/a/dsh-ref hook claude &":                 "runs",
		"/a/dsh-ref hook $x claude":                "runs",
		`/a/dsh-ref hook --store "$x" claude`:      "runs",
		"/a/dsh-ref hook --store $(x) claude":      "runs",
		"/a/dsh-ref hook claude # of mine":         "runs",
		"(/a/dsh-ref hook claude)":                 "runs",
		"if true; then /a/dsh-ref hook claude; fi": "runs",
		"exec /a/dsh-ref hook claude":              "runs",
		"sh -c '/a/dsh-ref hook claude'":           "runs",
		// Not our hook.
		"/a/dsh-ref hook codex":      "",
		"/a/dsh-ref hook":            "",
		"/a/dsh-ref claude hook":     "",
		"my-dsh-ref hook claude":     "",
		"dsh-ref-2 hook claude":      "",
		"/dsh-ref/run hook claude":   "",
		"dsh-ref() { hook claude; }": "",
		"":                           "",
		strings.Repeat("(", 1<<20):   "",
		"/a/dsh-ref hook " + strings.Repeat("x ", 1<<20): "",
	} {
		got := ""
		if _, ok := hostconfig.OwnCommand(command, "claude"); ok {
			got = "own"
		} else if hostconfig.RunsHook(command, "claude") {
			got = "runs"
		}
		if got != want {
			t.Errorf("%.60q: %q, want %q", command, got, want)
		}
	}
}

// FuzzJoin: what Join writes, Words reads.
func FuzzJoin(f *testing.F) {
	f.Add("dsh-ref", "hook", "it's $HOME `x` \\ \" \n * ~ #")
	f.Add("~", "{a,b}", "!")
	f.Add("/a$b/dsh-ref", "`x`", "\u00a0\x1b\t\r\u200f")
	f.Add("=", "A=b", "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		words := []string{a, b, c}
		command, err := hostconfig.Join(words)
		if err != nil {
			if utf8.ValidString(a) && utf8.ValidString(b) && utf8.ValidString(c) && !strings.Contains(a+b+c, "\x00") {
				t.Fatalf("%q: %v", words, err)
			}
			return
		}
		got, ok := hostconfig.Words(command)
		if len(command) <= 16<<10 && (!ok || !slices.Equal(got, words)) {
			t.Fatalf("%q became %q, read as %q", words, command, got)
		}
	})
}
