//go:build unix

package model_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/model"
)

func TestExec(t *testing.T) {
	baked := `{"role":"user","content":[{"type":"text","text":"<snapshot>"},{"type":"text","text":"\n\n## My request:\n"},{"type":"text","text":"Port it \ud800"}]}`
	note := `{"role":"user","content":[{"type":"text","text":"a note"}]}`
	old := `{"role":"user","content":[{"type":"text","text":"old"}]}`
	answer := `{"role":"assistant","content":[{"type":"text","text":"older"}]}`
	for _, c := range []struct {
		name, line string
		messages   []string
		fresh      int
		want       string
	}{
		{"the prompt alone", "cat", []string{old, answer, baked}, 1, "<snapshot>\n\n## My request:\nPort it \uFFFD"},
		{"with its contexts", "cat", []string{old, baked, note}, 2, "<snapshot>\n\n## My request:\nPort it \uFFFD\n\na note"},
		{"nothing is trimmed", `printf ' a\n\n'`, []string{old}, 1, " a\n\n"},
		{"nothing", "true", []string{old}, 1, ""},
		{"bytes that are not UTF-8", `printf 'a\377\360\237b\303'`, []string{old}, 1, "a\uFFFD\uFFFDb\uFFFD"},
		{"a character in pieces", `printf '\360\237'; sleep 0.1; printf '\230\200'`, []string{old}, 1, "😀"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(c.messages...)
			r.Fresh = c.fresh
			h := ask(t.Context(), model.Exec{Line: c.line}, r)
			if h.err != nil || h.answer.Text != c.want {
				t.Errorf("answer %q, %v, want %q", h.answer.Text, h.err, c.want)
			}
			if got := jstext.Join(h.deltas...); got != c.want {
				t.Errorf("deltas %q", h.deltas)
			}
		})
	}
}

func TestExecProvenance(t *testing.T) {
	for line, want := range map[string]string{
		"cat":                                "cat",
		"KEY=sk-secret A=b true -p --key=x":  "true",
		"/bin/cat | cat":                     "cat",
		`"/bin/cat"`:                         "cat",
		"  sh -c 'cat > /dev/null; echo x' ": "sh",
	} {
		h := ask(t.Context(), model.Exec{Line: line}, request(hello))
		if h.err != nil || h.answer.Provider != "exec" || h.answer.Model != want {
			t.Errorf("%s: %q of %q, %v, want %q", line, h.answer.Model, h.answer.Provider, h.err, want)
		}
	}
}

func TestExecFails(t *testing.T) {
	image := `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"aGk="}]}`
	for _, c := range []struct{ name, line, message, want string }{
		{"status", "echo part; echo 'no key' >&2; exit 4", hello, `"echo part; echo 'no key' >&2; exit 4": exit status 4: "no key"`},
		{"signal", "kill -9 $$", hello, "signal: killed"},
		{"a picture", "cat", image, `a block of type "image"`},
		{"too much", "yes", hello, "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := ask(t.Context(), model.Exec{Line: c.line}, request(c.message))
			if h.err == nil || !strings.Contains(h.err.Error(), c.want) {
				t.Errorf("error %v, want %s", h.err, c.want)
			}
			if h.answer != (agent.Answer{}) {
				t.Errorf("answer %+v", h.answer)
			}
		})
	}
}

func TestExecStderr(t *testing.T) {
	var b bytes.Buffer
	if h := ask(t.Context(), model.Exec{Line: "echo progress >&2", Stderr: &b}, request(hello)); h.err != nil || b.String() != "progress\n" {
		t.Errorf("standard error %q, %v", b.String(), h.err)
	}
}

// Cancellation ends everything the command has started, and what it had said by
// then was heard.
func TestExecCancel(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	m := model.Exec{Line: "echo said; (sleep 1; echo late > " + mark + ") & wait"}
	var heard []string
	_, err := m.Ask(ctx, request(hello), func(s string) {
		heard = append(heard, s)
		cancel(why)
	})
	if !errors.Is(err, why) || len(heard) != 1 || heard[0] != "said\n" {
		t.Errorf("heard %q, error %v", heard, err)
	}
	time.Sleep(1500 * time.Millisecond)
	if _, err := os.Stat(mark); err == nil {
		t.Error("what the command had started went on")
	}
}

// However output is cut into pieces, it decodes to the same text.
func FuzzExecDecoder(f *testing.F) {
	for _, s := range []string{"", "a", "😀", "a\xff\xf0\x9fb", "\xed\xa0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xc3"} {
		f.Add([]byte(s), 1)
		f.Add([]byte(s), 2)
	}
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		if size < 1 {
			size = 1
		}
		got := model.DecodeInPieces(b, size)
		if want := jstext.Decode(b); got != want {
			t.Errorf("%q in pieces of %d: %q, want %q", b, size, got, want)
		}
	})
}
