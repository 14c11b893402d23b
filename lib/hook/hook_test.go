//go:build unix

package hook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/hook"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

const (
	one = `{"content":[{"type":"text","text":"one"}],"source":{"kind":"user"},"placement":"prompt-prefix"}`
	two = `{"content":[{"type":"text","text":"two"}],"source":{"kind":"user"}}`
)

var prompt = agent.Prompt{
	SessionID: "s \xed\xa0\x80", Turn: 7,
	Content:  session.TextContent("Hello <\xed\xa0\x80>"),
	Source:   jstext.MustParse(`{"kind":"user"}`),
	Contexts: jstext.MustParse("[" + one + "]"),
}

// run puts a chain around the default, which allows the message as it is.
func run(ctx context.Context, lines ...string) (agent.Decision, error) {
	next := func(context.Context) (agent.Decision, error) {
		return agent.Decision{Content: prompt.Content, AdditionalContexts: prompt.Contexts}, nil
	}
	for i := len(lines) - 1; i >= 0; i-- {
		inner, h := next, hook.Command(lines[i], nil)
		next = func(ctx context.Context) (agent.Decision, error) { return h(ctx, prompt, inner) }
	}
	return next(ctx)
}

func show(d agent.Decision) string {
	if d.Block {
		return fmt.Sprintf("block %q", d.Reason)
	}
	return fmt.Sprintf("allow %s with %s", d.Content.JSON(), d.AdditionalContexts.JSON())
}

func says(json string) string { return "cat > /dev/null; printf '%s\\n' '" + json + "'" }

func TestChain(t *testing.T) {
	asItWas := show(agent.Decision{Content: prompt.Content, AdditionalContexts: prompt.Contexts})
	rewrite := says(`{"kind":"allow","content":[{"type":"text","text":"X"}]}`)
	contexts := says(`{"kind":"allow","additionalContexts":[` + two + `]}`)
	block := says(`{"kind":"block","reason":"no \ud800"}`)
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"none", nil, asItWas},
		{"says nothing", []string{"cat > /dev/null"}, asItWas},
		{"does not even read", []string{"true"}, asItWas},
		{"white space", []string{"printf ' \\n\\t'"}, asItWas},
		{"allow", []string{says(`{"kind":"allow"}`)}, asItWas},
		{"rewrite keeps the contexts", []string{rewrite}, `allow [{"type":"text","text":"X"}] with [` + one + `]`},
		{"contexts keep the content", []string{contexts}, `allow ` + prompt.Content.Raw() + ` with [` + two + `]`},
		{"no contexts", []string{says(`{"kind":"allow","additionalContexts":[]}`)}, `allow ` + prompt.Content.Raw() + ` with []`},
		{"what is further in is kept", []string{rewrite, contexts}, `allow [{"type":"text","text":"X"}] with [` + two + `]`},
		{"the outermost wins", []string{rewrite, says(`{"kind":"allow","content":[]}`)}, `allow [{"type":"text","text":"X"}] with [` + one + `]`},
		{"a delegate keeps all", []string{"true", rewrite, "true", contexts}, `allow [{"type":"text","text":"X"}] with [` + two + `]`},
		{"block", []string{block}, `block "no \xed\xa0\x80"`},
		{"block from further in", []string{"true", block}, `block "no \xed\xa0\x80"`},
		{"block overruled", []string{contexts, block}, `allow ` + prompt.Content.Raw() + ` with [` + two + `]`},
		{"block before a crash", []string{block, "exit 3"}, `block "no \xed\xa0\x80"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := run(t.Context(), c.lines...)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(d); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// A listener may add to the contexts it was shown.
func TestAddsContext(t *testing.T) {
	file := filepath.Join(t.TempDir(), "seen")
	d, err := run(t.Context(), `tee '`+file+`' | sed 's/.*"contexts":\[\(.*\)\]}$/{"kind":"allow","additionalContexts":[\1,`+two+`]}/'`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.AdditionalContexts.JSON(), "["+one+","+two+"]"; got != want {
		t.Errorf("contexts %s, want %s", got, want)
	}
	seen, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"sessionId":"s \ud800","turn":7,"content":[{"type":"text","text":"Hello <\ud800>"}],"source":{"kind":"user"},"contexts":[` + one + `]}` + "\n"
	if string(seen) != want {
		t.Errorf("input %s, want %s", seen, want)
	}
}

func TestFails(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"crash", "echo 'oh no' >&2; exit 3", `exit status 3: "oh no"`},
		{"crash after an answer", says(`{"kind":"allow"}`) + "; exit 1", "exit status 1"},
		{"killed", "kill -9 $$", "signal: killed"},
		{"not found", "/no/such/hook", "exit status 127"},
		{"garbage", "echo looks good to me", "no JSON"},
		{"two answers", says(`{"kind":"allow"}{"kind":"allow"}`), "no JSON"},
		{"cut short", "printf '{\"kind\":'", "no JSON"},
		{"not an object", says(`"allow"`), `no {"kind":"allow"}`},
		{"no kind", says(`{"content":[]}`), `no {"kind":"allow"}`},
		{"another kind", says(`{"kind":"deny"}`), `no {"kind":"allow"}`},
		{"block without a reason", says(`{"kind":"block"}`), "without a string reason"},
		{"misspelt", says(`{"kind":"allow","additionalContext":[]}`), `the member "additionalContext"`},
		{"reason on allow", says(`{"kind":"allow","reason":"x"}`), `the member "reason"`},
		{"content a string", says(`{"kind":"allow","content":"x"}`), "content: not an array of blocks"},
		{"content null", says(`{"kind":"allow","content":null}`), "content: not an array of blocks"},
		{"contexts of anything", says(`{"kind":"allow","additionalContexts":[{"text":"x"}]}`), "contexts[0]"},
		{"too much", "yes", "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := run(t.Context(), "true", c.line)
			if err == nil {
				t.Fatalf("decided %s", show(d))
			}
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "hook \"") {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestSlowAndCancelled(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(why) })
	start := time.Now()
	_, err := run(ctx, "(sleep 1; echo late > "+mark+") & wait; echo '{\"kind\":\"allow\"}'")
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
	time.Sleep(1200 * time.Millisecond)
	if _, err := os.Stat(mark); err == nil {
		t.Error("what the hook had started went on")
	}
}

func TestStderr(t *testing.T) {
	var b bytes.Buffer
	next := func(context.Context) (agent.Decision, error) { return agent.Decision{}, nil }
	if _, err := hook.Command("echo checked >&2", &b)(t.Context(), prompt, next); err != nil || b.String() != "checked\n" {
		t.Errorf("standard error %q, %v", b.String(), err)
	}
}
