package session_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

func parseEvents(t testing.TB, lines ...string) []session.Event {
	t.Helper()
	out := make([]session.Event, len(lines))
	for i, line := range lines {
		v, err := jstext.Parse(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out[i] = session.ParseEvent(v)
	}
	return out
}

func TestFoldByVersion(t *testing.T) {
	node := func(typ string, seq int, rest string) string {
		return fmt.Sprintf(`{"type":%q,"seq":%d,"data":{},"surfaceOp":"append"%s}`, typ, seq, rest)
	}
	oldReplace := `{"type":"user/message","seq":1,"data":{},"surfaceOp":{"op":"replace","start":0,"end":0},"sourceEventSeqs":[0]}`
	newReplace := strings.NewReplacer("start", "startSeq", "end\"", "endSeq\"").Replace(oldReplace)
	assistantReplace := strings.Replace(newReplace, "user", "assistant", 1)
	tests := []struct {
		name     string
		versions []int // where it folds
		rule     string
		events   []string
	}{
		{"user", []int{0, 1, 2, 3, 4}, "", []string{node("user/message", 0, "")}},
		{"context", []int{0}, "log-only-with-surface-op", []string{node("context/message", 0, "")}},
		{"steering", []int{0}, "log-only-with-surface-op", []string{node("steering/message", 0, "")}},
		{"system", []int{3, 4}, "log-only-with-surface-op", []string{node("system/message", 0, "")}},
		{"developer", []int{4}, "log-only-with-surface-op", []string{node("developer/message", 0, "")}},
		{"unknown", nil, "log-only-with-surface-op", []string{node("plugin-x/message", 0, "")}},
		{"old replace", []int{0, 1, 2}, "replace-op-invalid", []string{node("user/message", 0, ""), oldReplace}},
		{"new replace", []int{3, 4}, "replace-op-invalid", []string{node("user/message", 0, ""), newReplace}},
		{"assistant replaces", nil, "", []string{node("user/message", 0, ""), assistantReplace}},
		{
			"assistant with sources",
			[]int{0, 1, 2},
			"assistant-with-sources",
			[]string{node("user/message", 0, ""), node("assistant/message", 1, `,"sourceEventSeqs":[0]`)},
		},
		{"range", []int{1, 2, 3, 4}, "source-not-a-seq", []string{
			node("user/message", 0, ""), node("user/message", 1, ""), node("user/message", 2, ""),
			node("user/message", 3, `,"sourceEventSeqs":[2,[0,1]]`),
		}},
		{"range doubled", nil, "", []string{
			node("user/message", 0, ""), node("user/message", 1, ""), node("user/message", 2, ""),
			node("user/message", 3, `,"sourceEventSeqs":[1,[0,1]]`),
		}},
		{"range reversed", nil, "source-not-a-seq", []string{
			node("user/message", 0, ""), node("user/message", 1, ""), node("user/message", 2, `,"sourceEventSeqs":[[1,0]]`),
		}},
		{"range of three", nil, "source-not-a-seq", []string{
			node("user/message", 0, ""), node("user/message", 1, `,"sourceEventSeqs":[[0,0,0]]`),
		}},
		{"range of everything", nil, "", []string{
			node("user/message", 0, ""), node("user/message", 1, `,"sourceEventSeqs":[[0,9007199254740991]]`),
		}},
	}
	for _, tt := range tests {
		for version := range 5 {
			t.Run(fmt.Sprintf("%s/v%d", tt.name, version), func(t *testing.T) {
				_, _, err := foldAll(version, parseEvents(t, tt.events...))
				if slices.Contains(tt.versions, version) != (err == nil) {
					t.Fatalf("got error %v, should fold in versions %v", err, tt.versions)
				}
				if err != nil && tt.rule != "" && fault.Of(err).Rule != tt.rule {
					t.Errorf("got rule %q, want %q", fault.Of(err).Rule, tt.rule)
				}
			})
		}
	}
}

// TestToolRewriteShapes has results in the shapes of the later formats, whose
// content lies deeper than in the vectors.
func TestToolRewriteShapes(t *testing.T) {
	const block = `{"turn":1,"message":{"id":"a","role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[%s],"isError":%s}]}}`
	const direct = `{"turn":1,"message":{"id":%q,"role":"tool","toolCallId":"c","content":[%s]}}`
	text := `{"type":"text","text":"x"}`
	tests := []struct {
		name     string
		old, new string
		ok       bool
	}{
		{"block content", fmt.Sprintf(block, text, "false"), fmt.Sprintf(block, "", "false"), true},
		{"block error", fmt.Sprintf(block, text, "false"), fmt.Sprintf(block, "", "true"), false},
		{"block gone", fmt.Sprintf(block, text, "false"), `{"turn":1,"message":{"id":"a","role":"user","content":[]}}`, false},
		{"direct content", fmt.Sprintf(direct, "a", text), fmt.Sprintf(direct, "a", ""), true},
		{"direct id", fmt.Sprintf(direct, "a", text), fmt.Sprintf(direct, "b", ""), false},
		{"turn", fmt.Sprintf(direct, "a", text), strings.Replace(fmt.Sprintf(direct, "a", text), `"turn":1`, `"turn":2`, 1), false},
		{"no object", `7`, `8`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := foldAll(4, parseEvents(t,
				`{"type":"tool/result","seq":0,"data":`+tt.old+`,"surfaceOp":"append"}`,
				`{"type":"tool/result","seq":1,"data":`+tt.new+`,"surfaceOp":{"op":"replace","startSeq":0,"endSeq":0},"sourceEventSeqs":[0]}`,
			))
			if tt.ok != (err == nil) || err != nil && fault.Of(err).Rule != "tool-result-more-than-content" {
				t.Errorf("got %v, want ok %v", err, tt.ok)
			}
		})
	}
}

func TestFoldStaysWholeAfterError(t *testing.T) {
	events := parseEvents(t,
		`{"type":"user/message","seq":0,"data":{},"surfaceOp":"append"}`,
		`{"type":"session/title","seq":1,"data":{"title":"kept"}}`,
		`{"type":"user/message","seq":2,"data":{},"surfaceOp":{"op":"replace","start":0,"end":0}}`,
	)
	f, _, err := foldAll(0, events)
	if err == nil {
		t.Fatal("a replace without sources was folded")
	}
	if got := seqsJSON(f.Nodes()); got != "[0]" || f.Next() != 2 || *f.Title() != "kept" {
		t.Errorf("nodes %s, next %d, title %q", got, f.Next(), *f.Title())
	}
	f.Skip(5)
	next := parseEvents(t, `{"type":"user/message","seq":7,"data":{},"surfaceOp":"append"}`)
	if err := f.Add(next[0]); err != nil || seqsJSON(f.Nodes()) != "[0,7]" {
		t.Errorf("after the skip: %v, nodes %s", err, seqsJSON(f.Nodes()))
	}
}

// TestFoldLong has many replaces over a long surface, which must not walk it: the
// whole is a fraction of a second, where a walk for each would take minutes.
func TestFoldLong(t *testing.T) {
	const nodes = 100_000
	f := session.NewFold(0)
	add := func(rest string) {
		t.Helper()
		v := jstext.MustParse(fmt.Sprintf(`{"type":"user/message","seq":%d,"data":{},%s}`, f.Next(), rest))
		if err := f.Add(session.ParseEvent(v)); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	for range nodes {
		add(`"surfaceOp":"append"`)
	}
	for i := range nodes / 2 { // each in the middle of what is left
		add(fmt.Sprintf(`"surfaceOp":{"op":"replace","start":%d,"end":%d},"sourceEventSeqs":[%[1]d]`, i, i))
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	got := f.Nodes()
	if len(got) != nodes || got[0].Seq != nodes || got[nodes/2-1].Seq != nodes+nodes/2-1 || got[nodes/2].Seq != nodes/2 {
		t.Errorf("%d nodes, %d … %d %d", len(got), got[0].Seq, got[nodes/2-1].Seq, got[nodes/2].Seq)
	}
}

func TestFoldLetsShadowedEventsGo(t *testing.T) {
	f := session.NewFold(0)
	for range 60 {
		seq := f.Next()
		text := fmt.Sprintf(`{"type":"user/message","seq":%d,"data":{"x":%q},"surfaceOp":"append"}`, seq, strings.Repeat("x", 1<<20))
		if seq > 0 {
			text = strings.Replace(text, `"append"`, fmt.Sprintf(`{"op":"replace","start":%d,"end":%[1]d},"sourceEventSeqs":[%[1]d]`, seq-1), 1)
		}
		if err := f.Add(session.ParseEvent(jstext.MustParse(text))); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 20<<20 {
		t.Errorf("%d MB are held for a surface of 1 MB", m.HeapAlloc>>20)
	}
	runtime.KeepAlive(f)
}

// randomLog makes a valid log with replaces anywhere and log-only events between,
// and its surface by the plain rule: cut a range out of a list.
func randomLog(rng *rand.Rand, n int) (lines []string, surface []int64) {
	for seq := range int64(n) {
		if rng.IntN(3) == 0 {
			lines = append(lines, fmt.Sprintf(`{"type":"assistant/chunk","seq":%d,"data":{}}`, seq))
			continue
		}
		op, sources := `"append"`, ""
		if len(surface) > 0 && rng.IntN(4) == 0 {
			i := rng.IntN(len(surface))
			j := i + rng.IntN(len(surface)-i)
			op = fmt.Sprintf(`{"op":"replace","start":%d,"end":%d}`, surface[i], surface[j])
			cited := slices.Clone(surface[i : j+1])
			rng.Shuffle(len(cited), func(a, b int) { cited[a], cited[b] = cited[b], cited[a] })
			sources = `,"sourceEventSeqs":` + strings.ReplaceAll(fmt.Sprint(cited), " ", ",")
			surface = slices.Replace(surface, i, j+1, seq)
		} else {
			surface = append(surface, seq)
		}
		lines = append(lines, fmt.Sprintf(`{"type":"user/message","seq":%d,"data":{},"surfaceOp":%s%s}`, seq, op, sources))
	}
	return lines, surface
}

// TestFoldAgainstPlainList also passes over log-only events in one fold that the
// other is given.
func TestFoldAgainstPlainList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		lines, want := randomLog(rng, 1+rng.IntN(50))
		events := parseEvents(t, lines...)
		f, _, err := foldAll(0, events)
		if err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
		}
		skipping := session.NewFold(0)
		for _, ev := range events {
			if !ev.SurfaceOp.Exists() {
				skipping.Skip(1)
			} else if err := skipping.Add(ev); err != nil {
				t.Fatal(err)
			}
		}
		for _, got := range []*session.Fold{f, skipping} {
			if seqs := seqsJSON(got.Nodes()); seqs != strings.ReplaceAll(fmt.Sprint(want), " ", ",") || got.Next() != int64(len(lines)) {
				t.Fatalf("got %s, next %d, want %v\n%s", seqs, got.Next(), want, strings.Join(lines, "\n"))
			}
		}
	}
}

// FuzzFold folds any JSON lines: nothing panics, the surface holds what it says it
// does, and a fold that goes on after a bad line is that of the log without it.
func FuzzFold(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 12 {
		lines, _ := randomLog(rng, n)
		f.Add(strings.Join(lines, "\n"), uint8(0))
	}
	f.Add(`{"type":"tool/result","seq":0,"data":{"message":{"content":[{"type":"tool-result"}]}},"surfaceOp":"append"}
{"type":"tool/result","seq":1,"data":{"message":{}},"surfaceOp":{"op":"replace","startSeq":0,"endSeq":0},"sourceEventSeqs":[[0,0]]}`, uint8(4))
	f.Add("null\n[]\n{\"seq\":-0}\n{\"type\":\"session/title\",\"seq\":0}", uint8(1))
	f.Fuzz(func(t *testing.T, log string, version uint8) {
		v := int(version % 5)
		whole, again := session.NewFold(v), session.NewFold(v)
		for line := range strings.Lines(log) {
			parsed, err := jstext.Parse(line)
			if err != nil {
				continue
			}
			ev := session.ParseEvent(parsed)
			session.MessageOf(ev).References()
			before := seqsJSON(whole.Nodes())
			if err := whole.Add(ev); err != nil {
				if fault.Of(err).Rule == "" || fault.KindOf(err) != fault.Damaged {
					t.Fatalf("error without a rule: %#v", err)
				}
				if after := seqsJSON(whole.Nodes()); after != before {
					t.Fatalf("a refused event changed the surface from %s to %s", before, after)
				}
				continue
			}
			if err := again.Add(ev); err != nil {
				t.Fatalf("folds one way and not the other: %v", err)
			}
		}
		if a, b := seqsJSON(whole.Nodes()), seqsJSON(again.Nodes()); a != b || whole.Len() != len(whole.Nodes()) {
			t.Fatalf("%s and %s, %d nodes", a, b, whole.Len())
		}
	})
}
