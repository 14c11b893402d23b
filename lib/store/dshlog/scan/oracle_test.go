package scan_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/chunkrow"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
)

// outcome is what a reader makes of a log, to be compared: what counts, what does
// not, and the surface.
type outcome struct {
	rule      string // of the error; empty: none
	events    int64
	committed int64
	torn      int64
	dropped   int64
	damage    string // the first, without what a parser says of it
	surface   string
}

func damageOf(rule string, offset, expected int64, got string) string {
	return fmt.Sprintf("%s at %d, expected %d got %s", rule, offset, expected, got)
}

// plainly reads a log in the most obvious way: line by line, one thing after the
// other, all of it in memory. It is what scanning must come to.
func plainly(log []byte) outcome {
	var out outcome
	head, rest, ok := bytes.Cut(log, []byte("\n"))
	if !ok {
		return outcome{rule: "no-header"}
	}
	h, err := record.ParseHeader(head)
	if err != nil {
		return outcome{rule: fault.Of(err).Rule}
	}
	fold := session.NewFold(h.Version)
	at := int64(len(head) + 1)
	out.committed = at
	rule, committed := "", false
	var foldErr error
	for {
		line, more, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			out.torn = int64(len(line))
			break
		}
		rest = more
		v, parseErr := jstext.Parse(jstext.Decode(line))
		ev := session.ParseEvent(v)
		count, seq, got := int64(1), ev.Seq, ""
		if parseErr == nil && h.Version < 2 && chunkrow.Is(v) {
			var row chunkrow.Row
			if row, parseErr = chunkrow.Parse(v); parseErr == nil {
				seq, count = row.Seq0, row.Len
			}
		}
		if seq < 0 {
			seq = -1
		}
		got = fmt.Sprint(seq)
		switch {
		case rule != "":
		case parseErr != nil:
			rule, got = "unparsable", ""
		case v.Kind() == jstext.Null:
			rule = "null-record"
		case seq != fold.Next():
			rule = "seq-gap"
		}
		if rule != "" {
			if out.dropped == 0 {
				out.damage = damageOf(rule, at, fold.Next(), got)
			}
			out.dropped++
			committed = committed || parseErr == nil && ev.Type == "turn/end"
		} else {
			if foldErr == nil {
				if count > 1 || !ev.JSON.Get("seq").Exists() {
					fold.Skip(count)
				} else {
					foldErr = fold.Add(ev)
				}
			}
			out.events += count
			out.committed = at + int64(len(line)) + 1
		}
		at += int64(len(line)) + 1
		if foldErr != nil {
			break // the scan tells the first thing it meets
		}
	}
	switch {
	case foldErr != nil:
		return outcome{rule: fault.Of(foldErr).Rule}
	case committed && rule == "null-record":
		return outcome{rule: rule}
	case committed:
		return outcome{rule: "committed-" + rule}
	}
	out.surface = string(fold.Surface(h).AppendJSON(nil))
	return out
}

// scanned is what a scan makes of it.
func scanned(src scan.Source, opts scan.Options) outcome {
	var fold *session.Fold
	opts.Begin = func(h session.Header) (scan.Sink, error) {
		fold = session.NewFold(h.Version)
		return fold, nil
	}
	res, err := scan.Scan(context.Background(), src, opts)
	if err != nil {
		var f *fault.Error
		if !errors.As(err, &f) {
			return outcome{rule: err.Error()}
		}
		return outcome{rule: f.Rule}
	}
	out := outcome{
		events: res.Events, committed: res.Committed, torn: res.Torn, dropped: res.Dropped,
		surface: string(fold.Surface(res.Header).AppendJSON(nil)),
	}
	if len(res.Damage) > 0 {
		d := res.Damage[0]
		got := d.Got
		if d.Rule != "unparsable" {
			if _, err := fmt.Sscan(got, new(int64)); err != nil || len(got) > 15 || strings.HasPrefix(got, "-") || strings.ContainsAny(got, ".e") {
				got = "-1"
			}
		}
		out.damage = damageOf(d.Rule, d.Offset, d.Expected, got)
	}
	return out
}

// generated is a log of any format, with all that the format has.
func generated(r *rand.Rand, lines int) []byte {
	g := generator{r: r, version: r.IntN(5)}
	seed := `"seedLength":0`
	if g.version >= 2 {
		seed = `"isSeeded":false`
	}
	g.line(`{"type":"session","version":%d,"id":"gen","createdAt":1,"cwd":"/a",%s,"delegationDepth":0}`, g.version, seed)
	for range lines {
		g.record()
	}
	return g.out
}

type generator struct {
	r       *rand.Rand
	version int
	out     []byte
	seq     int
	nodes   []int
}

func (g *generator) line(format string, args ...any) {
	g.out = append(fmt.Appendf(g.out, format, args...), '\n')
}

func (g *generator) text() string {
	words := []string{"lock", `\"quoted\"`, "重试", `\u003c`, "🚀", "turn/end", `\ud800`, `{\"type\":\"turn/end\"}`, "\xff", `\\`}
	var b strings.Builder
	for range g.r.IntN(6) {
		b.WriteString(words[g.r.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}

func (g *generator) surface(typ, data string) {
	g.nodes = append(g.nodes, g.seq)
	g.line(`{"type":"%s","seq":%d,"time":%d,"data":%s,"surfaceOp":"append"}`, typ, g.seq, g.r.IntN(1000), data)
	g.seq++
}

func (g *generator) record() {
	switch n := g.r.IntN(20); {
	case n == 0:
		g.surface("user/message", `{"content":[{"type":"text","text":"`+g.text()+`"}],"source":{"kind":"user"}}`)
	case n == 1:
		g.surface("assistant/message", `{"turn":1,"message":{"content":[{"type":"text","text":"`+g.text()+`"}]}}`)
	case n == 2:
		g.line(`{"type":"session/title","seq":%d,"time":1,"data":{"title":"%s"}}`, g.seq, g.text())
		g.seq++
	case n == 3:
		g.line(`{"type":"turn/end","seq":%d,"time":1,"data":{"turn":1}}`, g.seq)
		g.seq++
	case n == 4:
		g.line(`{"data":{"x":[1,2,{}]},"seq":%d,"type":"request/header"}`, g.seq)
		g.seq++
	case n == 5 && len(g.nodes) > 1:
		g.replace()
	case n == 6 && g.version < 2:
		g.line(`{"type":"text-chunks","seq0":%d,"time0":5,"data":{"turn":1,"step":1,"index":0,"dt":[1,2],"texts":["a","%s","c"]}}`, g.seq, g.text())
		g.seq += 3
	default:
		for range g.r.IntN(6) + 1 {
			g.line(`{"type":"assistant/chunk","seq":%d,"time":%d,"data":{"turn":1,"step":%d,"chunk":{"type":"text-delta","index":0,"text":"%s"}}}`,
				g.seq, g.r.IntN(100000), g.r.IntN(2), g.text())
			g.seq++
		}
	}
}

func (g *generator) replace() {
	i := g.r.IntN(len(g.nodes))
	j := i + g.r.IntN(len(g.nodes)-i)
	cited := strings.ReplaceAll(strings.Trim(fmt.Sprint(g.nodes[i:j+1]), "[]"), " ", ",")
	start, end := "start", "end"
	if g.version >= 3 {
		start, end = "startSeq", "endSeq"
	}
	g.line(`{"type":"user/message","seq":%d,"time":1,"data":{"content":[],"source":{"kind":"plugin","plugin":"compact"}},"sourceEventSeqs":[%s],"surfaceOp":{"op":"replace","%s":%d,"%s":%d}}`,
		g.seq, cited, start, g.nodes[i], end, g.nodes[j])
	g.nodes = append(append(g.nodes[:i:i], g.seq), g.nodes[j+1:]...)
	g.seq++
}

// mutated changes a few bytes of a log, or cuts, doubles or swaps lines of it.
func mutated(r *rand.Rand, log []byte) []byte {
	b := bytes.Clone(log)
	for range r.IntN(3) + 1 {
		if len(b) < 2 {
			break
		}
		i := r.IntN(len(b))
		switch r.IntN(7) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b[i] = "{}[]\",:\\0198nue\n "[r.IntN(17)]
		case 2:
			b = append(b[:i], b[i+1:]...)
		case 3:
			b = b[:i]
		case 4: // drop a line
			if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
				if m := bytes.IndexByte(b[i+n+1:], '\n'); m >= 0 {
					b = append(b[:i+n+1:i+n+1], b[i+n+1+m+1:]...)
				}
			}
		case 5: // a line of something else
			if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
				odd := []string{"null", "5", "", "[]", `{"type":"turn/end","seq":99}`, `{"type":"x"}`, "\r"}[r.IntN(7)]
				b = append(b[:i+n+1:i+n+1], append([]byte(odd+"\n"), b[i+n+1:]...)...)
			}
		case 6:
			b = bytes.Replace(b, []byte("turn/end"), []byte("turn/enD"), -1)
		}
	}
	return b
}

// packed stores a log as dsh does: the header in a frame of its own, then batches
// of lines; or, now and then, cut without regard to lines.
func packed(r *rand.Rand, log []byte) []byte {
	byLine := r.IntN(4) > 0
	var out []byte
	for len(log) > 0 {
		n := min(len(log), 1+r.IntN(2000))
		if len(out) == 0 || byLine {
			if len(out) == 0 {
				n = 1
			}
			if i := bytes.IndexByte(log[n-1:], '\n'); i >= 0 {
				n += i
			} else {
				n = len(log)
			}
		}
		out = append(out, encoder.EncodeAll(log[:n], nil)...)
		log = log[n:]
	}
	return out
}

var encoder = func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		panic(err)
	}
	return e
}()
