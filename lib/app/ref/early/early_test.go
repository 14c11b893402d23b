package early_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/app/ref/early"
)

// TestMain lets the test binary be the program: what init did not answer it prints.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		io.WriteString(os.Stdout, "handed over:")
		if _, err := io.Copy(os.Stdout, early.Stdin()); err != nil {
			os.Exit(1)
		}
		os.Exit(7)
	}
	os.Exit(m.Run())
}

// start runs this binary and returns what it printed and its status.
func start(t *testing.T, stdin io.Reader, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stdin = stdin
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestEarly(t *testing.T) {
	const plain, mention = `{"prompt":"go on"}`, `{"prompt":"Port @[it](dsh-session:ImEi)"}`
	large := `{"prompt":"` + strings.Repeat("x", 3<<20) + `"}`
	for _, c := range []struct {
		name, stdin string
		args        []string
		answered    bool
	}{
		{"no mention", plain, []string{"hook", "claude"}, true},
		{"an empty payload is none", `{"prompt":"what is dsh-session: ?"}`, []string{"hook", "pi"}, true},
		{"mention", mention, []string{"hook", "claude"}, false},
		{"escaped mention", strings.Replace(mention, ":I", `\u003aI`, 1), []string{"hook", "codex"}, false},
		{"bare mention", `{"prompt":"dsh-session:ImEi"}`, []string{"hook", "gemini"}, false},
		{"bad mention", `{"prompt":"@[x](dsh-session:!)"}`, []string{"hook", "gemini"}, false},
		{"no prompt", `{"prompt":7}`, []string{"hook", "claude"}, false},
		{"no JSON", "go on", []string{"hook", "claude"}, false},
		{"nothing", "", []string{"hook", "claude"}, false},
		{"large", large, []string{"hook", "claude"}, false},
		{"not an agent", plain, []string{"hook", "me"}, false},
		{"with flags", plain, []string{"hook", "--max-refs", "1", "claude"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, status := start(t, strings.NewReader(c.stdin), c.args...)
			want, wantStatus := "handed over:"+c.stdin, 7
			if c.answered {
				want, wantStatus = "", 0
			}
			if out != want || status != wantStatus {
				t.Errorf("status %d, output %.80q; want %d, %.80q", status, out, wantStatus, want)
			}
		})
	}
}

// An input that does not end goes on to the program, nothing of it lost.
func TestSlowInput(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		io.WriteString(w, `{"prompt":`)
		time.Sleep(1500 * time.Millisecond) // longer than early waits
		io.WriteString(w, `"go on"}`)
		w.Close()
	}()
	out, status := start(t, r, "hook", "claude")
	if !bytes.Equal([]byte(out), []byte(`handed over:{"prompt":"go on"}`)) || status != 7 {
		t.Errorf("status %d, output %q", status, out)
	}
}
