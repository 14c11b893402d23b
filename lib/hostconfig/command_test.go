package hostconfig_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

func TestOwnCommand(t *testing.T) {
	for command, ours := range map[string]bool{
		"dsh-ref hook claude":                         true,
		"/a/dsh-ref hook claude":                      true,
		"'/a b/dsh-ref' hook claude":                  true,
		`"/a b/dsh-ref"  hook --max-bytes 300 claude`: true,
		`/a\ b/dsh-ref.exe hook claude`:               true,
		"dsh-ref hook codex":                          false,
		"dsh-ref hook":                                false,
		"dsh-ref claude hook":                         false,
		"my-dsh-ref hook claude":                      false,
		"dsh-ref-2 hook claude":                       false,
		"/dsh-ref/run hook claude":                    false,
		"DSH_STORE=x dsh-ref hook claude":             false,
		"dsh-ref hook claude >/dev/null":              false,
		"dsh-ref hook claude | cat":                   false,
		"dsh-ref hook claude; true":                   false,
		"dsh-ref hook claude\ntrue":                   false,
		"! dsh-ref hook claude":                       false,
		"dsh-ref hook claude &":                       false,
		"dsh-ref hook $x claude":                      false,
		"dsh-ref hook `x` claude":                     false,
		"dsh-ref hook claude # of mine":               false,
		"# dsh-ref hook claude":                       false,
		"'dsh-ref hook claude":                        false,
		"(dsh-ref hook claude)":                       false,
		"":                                            false,
		strings.Repeat("(", 1<<20):                    false,
		"dsh-ref hook " + strings.Repeat("x ", 1<<20): false,
		"if true; then dsh-ref hook claude; fi":       false,
		"dsh-ref() { hook claude; }":                  false,
		"exec dsh-ref hook claude":                    false,
		"dsh-ref hook 'claude'":                       true,
		"'/a$b/dsh-ref' hook claude":                  true,
		"dsh-ref hook --store 'x`y`' claude":          true,
		`dsh-ref hook --store "\$x" claude`:           true,
		`dsh-ref hook --store "$x" claude`:            false,
		"dsh-ref hook --store \"`x`\" claude":         false,
		"dsh-ref hook --store $(x) claude":            false,
		"\tdsh-ref   hook\tclaude ":                   true,
	} {
		if _, ok := hostconfig.OwnCommand(command, "claude"); ok != ours {
			t.Errorf("%.60q: %v", command, ok)
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
