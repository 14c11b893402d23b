package reference_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// said is a snapshot's JSON as JSON.stringify writes it, of what the session holds.
func said(s *session.Surface, label string) string {
	var w jstext.Writer
	w.BeginArray()
	w.BeginObject()
	w.Key("sessionId")
	w.Text(s.Header.ID)
	w.Key("label")
	w.Text(label)
	w.Key("cwd")
	w.OptText(s.Header.Cwd)
	w.Key("capturedThroughSeq")
	w.OptInt(s.CapturedThroughSeq)
	w.Key("conversation")
	w.BeginArray()
	for _, it := range reference.Conversation(s.Events) {
		w.BeginObject()
		w.Key("role")
		w.Text(string(it.Role))
		w.Key("text")
		w.Text(it.Text)
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	w.EndArray()
	return w.String()
}

// TestBlockOfAnySession makes blocks of random sessions: no mention is found in one,
// its frame is recognised, and a JavaScript engine reads out of its data what the
// session holds.
func TestBlockOfAnySession(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var regions, want []string
	for range 2_000 {
		s, label := randomSurface(rng), randomText(rng, rng.IntN(4))
		reader := readerFunc(func(context.Context, string) (*session.Surface, error) { return s, nil })
		var ref jstext.Writer
		ref.BeginObject()
		ref.Key("sessionId")
		ref.Text(s.Header.ID)
		ref.Key("label")
		ref.Text(label)
		ref.EndObject()
		p, err := reference.Prepare(t.Context(), reader, reference.Request{Content: hello, References: []jstext.Value{ref.Value()}})
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range []frame.Place{frame.InPrompt, frame.BesidePrompt} {
			block := p.BlockFor(place)
			if found, err := sessionuri.Find(block); len(found) > 0 || err != nil {
				t.Fatalf("mentions %+v, %v in %q", found, err, block)
			}
			if request, n := frame.Request(frame.Prompt(block, "x")); request != "x" || n != 1 {
				t.Fatalf("not recognised: %q", block)
			}
		}
		_, region, _ := strings.Cut(p.BlockText(), "<referenced-sessions>\n")
		regions = append(regions, strings.TrimSuffix(region, "\n</referenced-sessions>"))
		want = append(want, said(s, label))
	}
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("DSH_REQUIRE_NODE") != "" {
			t.Fatal("DSH_REQUIRE_NODE is set and there is no node")
		}
		t.Skip("no node to compare with")
	}
	cmd := exec.Command(node, "-e", `for (const l of require('fs').readFileSync(0, 'utf8').split('\n')) console.log(JSON.stringify(JSON.parse(l)))`)
	cmd.Stdin = strings.NewReader(strings.Join(regions, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		if got != want[i] {
			t.Fatalf("%s\ngave %s\nwant %s", regions[i], got, want[i])
		}
	}
}
