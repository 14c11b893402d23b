package jstext_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// The oracle is a real JavaScript engine. Strings travel as the hexadecimal of
// their UTF-16 code units, so that no encoder stands between the two.
const oracle = `
const text = require('fs').readFileSync(0, 'latin1').split('\n').filter(Boolean)
const from = h => h.slice(1).replace(/..../g, u => String.fromCharCode(parseInt(u, 16)))
const to = s => ':' + Array.from({length: s.length}, (_, i) => s.charCodeAt(i).toString(16).padStart(4, '0')).join('')
const answer = {
  restringify: s => JSON.stringify(JSON.parse(from(s))),
  quote: s => JSON.stringify(from(s)),
  decode: h => new TextDecoder('utf-8', {ignoreBOM: true}).decode(Buffer.from(h.slice(1), 'hex')),
  join: s => s.split(' ').map(from).join(''),
  wellFormed: s => from(s).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd'),
  number: s => String(Number(from(s))),
}[process.argv[1]]
process.stdout.write(text.map(l => { try { return to(answer(l)) } catch { return '!' } }).join('\n') + '\n')
`

// node is the engine's path. Where there is none the test is skipped, or fails if
// DSH_REQUIRE_NODE is set, as it is in CI.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("DSH_REQUIRE_NODE") != "" {
			t.Fatal("DSH_REQUIRE_NODE is set and there is no node")
		}
		t.Skip("no node to compare with")
	}
	return path
}

// ask puts questions to node. The answer to what it refuses is not ok.
func ask(t *testing.T, what string, questions []string) (answers []string, ok []bool) {
	t.Helper()
	cmd := exec.Command(node(t), "-e", oracle, what)
	cmd.Stdin = strings.NewReader(strings.Join(questions, "\n"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("node: %v\n%s", err, errs.Bytes())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(lines), len(questions))
	}
	for _, l := range lines {
		units, found := strings.CutPrefix(l, ":")
		answers, ok = append(answers, fromUnits(t, units)), append(ok, found)
	}
	return answers, ok
}

func toUnits(s string) string {
	b := make([]byte, 0, 2*len(s))
	for _, u := range jstext.UTF16(s) {
		b = append(b, byte(u>>8), byte(u))
	}
	return ":" + hex.EncodeToString(b)
}

// fromUnits builds WTF-8 by hand: the code under test has no part in it.
func fromUnits(t *testing.T, units string) string {
	t.Helper()
	if units == "!" {
		return ""
	}
	b, err := hex.DecodeString(units)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for i := 0; i+1 < len(b); i += 2 {
		u := rune(b[i])<<8 | rune(b[i+1])
		if u&0xFC00 == 0xD800 && i+3 < len(b) && b[i+2]&0xFC == 0xDC {
			u = 0x10000 + (u-0xD800)<<10 + (rune(b[i+2])<<8 | rune(b[i+3]) - 0xDC00)
			i += 2
		}
		if u&0xF800 == 0xD800 && u < 0x10000 {
			out = append(out, 0xED, 0x80|byte(u>>6)&0x3F, 0x80|byte(u)&0x3F)
			continue
		}
		out = append(out, string(u)...)
	}
	return string(out)
}

// compare asks node about each input and checks our answer to it, in a subtest of
// its own that may be skipped.
func compare(t *testing.T, what string, inputs []string, encode func(string) string, ours func(string) (string, bool)) {
	t.Helper()
	t.Run("node", func(t *testing.T) {
		questions := make([]string, len(inputs))
		for i, s := range inputs {
			questions[i] = encode(s)
		}
		answers, ok := ask(t, what, questions)
		for i, s := range inputs {
			if got, gotOK := ours(s); gotOK != ok[i] || gotOK && got != answers[i] {
				t.Errorf("%s of %q\n got %q, %v\nnode %q, %v", what, clip(s), clip(got), gotOK, clip(answers[i]), ok[i])
			}
		}
	})
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}
