package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded is a request as an agent sent it, cut to what matters, and the log's
// projection just before.
type recorded struct {
	Agent, Path, Prompt string
	Body                json.RawMessage
	Before              []Said
}

var rules = map[string]Rules{"claude": Claude, "codex": Codex, "gemini": Gemini, "opencode": OpenCode, "pi": Pi}

func load(t *testing.T, path string) (recorded, []Said) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	request, err := Read(r.Path, r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, rules[r.Agent](request.Items)
}

func paths(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.json")
	if err != nil || len(all) == 0 {
		t.Fatal("no recorded requests")
	}
	return all
}

func TestRecordedRequests(t *testing.T) {
	for _, path := range paths(t) {
		r, said := load(t, path)
		if err := Compare(r.Before, said, r.Prompt); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Any change of the log is seen: a message that is missing, one too many, two that have
// changed places, a role, a character.
func TestEveryDifferenceIsSeen(t *testing.T) {
	for _, path := range paths(t) {
		r, said := load(t, path)
		differs := func(what string, before []Said) {
			t.Helper()
			if Compare(before, said, r.Prompt) == nil {
				t.Errorf("%s: %s is not seen", path, what)
			}
		}
		if len(r.Before) < 3 {
			t.Errorf("%s: a log of %d messages says little", path, len(r.Before))
		}
		for i, m := range r.Before {
			copied := func() []Said { return append([]Said(nil), r.Before...) }
			differs("a message less", append(copied()[:i], r.Before[i+1:]...))
			differs("a message twice", append(copied()[:i+1], r.Before[i:]...))
			changed := copied()
			changed[i].Text = m.Text[:len(m.Text)-1] + "~"
			differs("a character", changed)
			if !m.Checkpoint {
				changed = copied()
				changed[i].Role = map[string]string{"user": "assistant", "assistant": "user"}[m.Role]
				differs("a role", changed)
			}
			if i > 0 && !m.Checkpoint && !r.Before[i-1].Checkpoint {
				changed = copied()
				changed[i], changed[i-1] = changed[i-1], changed[i]
				differs("an order", changed)
			}
		}
		if Compare(r.Before, said, r.Prompt+"!") == nil || Compare(r.Before, said[:len(said)-1], r.Prompt) == nil {
			t.Errorf("%s: a request for another prompt is taken for it", path)
		}
	}
}

func TestAMessageOfSeveralTexts(t *testing.T) {
	before := []Said{{Role: "user", Text: "one\n\ntwo"}, {Role: "user", Text: "three"}}
	next := []Said{{Role: "user", Text: "one"}, {Role: "user", Text: "two"}, {Role: "user", Text: "three"}, {Role: "user", Text: "p"}}
	if err := Compare(before, next, "p"); err != nil {
		t.Error(err)
	}
	if Compare(before[:1], next, "p") == nil {
		t.Error("a text too many is not seen")
	}
}

func TestSnapshots(t *testing.T) {
	block := "## Referenced sessions\n\nwords\n\n<referenced-sessions>\n[{\"sessionId\":\"a\",\"conversation\":[{\"role\":\"user\",\"text\":\"one\"}]}]\n</referenced-sessions>"
	all, err := Snapshots("before\n" + block + "\nbehind")
	if err != nil || len(all) != 1 || all[0].SessionID != "a" || all[0].Said()[0].Text != "one" {
		t.Errorf("got %v, %v", all, err)
	}
	for _, bad := range []string{"", "<referenced-sessions>\n[]", strings.Replace(block, "[{", "{", 1)} {
		if _, err := Snapshots(bad); err == nil {
			t.Errorf("%q is taken for a block", bad)
		}
	}
}

func TestRequestsThatNobodyMakes(t *testing.T) {
	for path, body := range map[string]string{
		"/v1/messages": `{"messages":[{"role":"user","content":7}]}`, "/v1/responses": `{"input":7}`,
		"/v1/chat/completions": `[]`, "/x:generateContent": `{"contents":7}`, "/other": `{}`,
	} {
		if _, err := Read(path, []byte(body)); err == nil {
			t.Errorf("%s %s is read", path, body)
		}
	}
}
