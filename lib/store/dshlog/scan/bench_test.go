package scan_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
)

// chatter is a log as dsh writes them: an answer of two kilobytes comes in hundreds
// of chunks, and is then there once more, on the surface.
func chatter(size int) (turns []string) {
	words := strings.Fields(`the retry loop holds its lock while backing off so a second writer waits 重试 循环 🚀 \u003ctag\u003e \\path`)
	seq, at := 0, 1_780_000_000_000
	var b strings.Builder
	put := func(typ, rest string) {
		fmt.Fprintf(&b, `{"type":%q,"seq":%d,"time":%d,%s}`+"\n", typ, seq, at, rest)
		seq++
		at += seq % 40
	}
	for turn := 1; size > 0; turn++ {
		put("turn/start", fmt.Sprintf(`"data":{"turn":%d}`, turn))
		put("user/message", `"data":{"content":[{"type":"text","text":"why?"}],"source":{"kind":"user"}},"surfaceOp":"append"`)
		var answer strings.Builder
		for i := range 350 {
			word := words[(turn+i)%len(words)]
			answer.WriteString(word)
			put("assistant/chunk", fmt.Sprintf(`"data":{"turn":%d,"step":1,"chunk":{"type":"text-delta","index":0,"text":"%s "}}`, turn, word))
		}
		put("assistant/message", fmt.Sprintf(`"data":{"turn":%d,"step":1,"content":[{"type":"text","text":"%s"}]},"surfaceOp":"append"`, turn, answer.String()))
		put("turn/end", fmt.Sprintf(`"data":{"turn":%d}`, turn))
		size -= b.Len()
		turns = append(turns, b.String())
		b.Reset()
	}
	return turns
}

func benchmark(b *testing.B, log []byte, size int, opts scan.Options) {
	path := filepath.Join(b.TempDir(), "log")
	if err := os.WriteFile(path, log, 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	opts.Begin = func(h session.Header) (scan.Sink, error) { return session.NewFold(h.Version), nil }
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := scan.Scan(context.Background(), scan.Source{At: f, Size: int64(len(log))}, opts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRaw(b *testing.B) {
	log := []byte(header + strings.Join(chatter(32<<20), ""))
	benchmark(b, log, len(log), scan.Options{})
}

func BenchmarkRawVerified(b *testing.B) {
	log := []byte(header + strings.Join(chatter(32<<20), ""))
	benchmark(b, log, len(log), scan.Options{Plain: true})
}

func BenchmarkTitle(b *testing.B) {
	log := []byte(header + strings.Join(chatter(32<<20), ""))
	benchmark(b, log, len(log), scan.Options{TitlesOnly: true})
}

func BenchmarkZstd(b *testing.B) {
	turns := append([]string{header}, chatter(32<<20)...)
	benchmark(b, bytes.Join(frames(turns...), nil), len(strings.Join(turns, "")), scan.Options{})
}

func BenchmarkHeader(b *testing.B) {
	log := frames(header, "")[0]
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := scan.Header(file(log)); err != nil {
			b.Fatal(err)
		}
	}
}
