package jstext_test

import (
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// A record as an agent writes one: keys, small numbers, a few kilobytes of text
// with escapes in it.
var benchRecord = func() string {
	text := strings.Repeat(`The retry loop must stop when the context is done.\n\tif err := ctx.Err(); err != nil {\n\t\treturn \"cancelled\"\n\t}\n`, 30)
	return `{"type":"assistant/message","seq":1234,"time":1764565200123,"surfaceOp":"append","data":{"turn":3,"step":1,"message":{"id":"m-0001","role":"assistant","content":[{"type":"text","text":"` +
		text + `"},{"type":"tool-call","id":"c1","name":"read","args":{"path":"/src/main.go","limit":200.5}}]}}}`
}()

var benchTexts = map[string]string{
	"ascii":  strings.Repeat("The quick brown fox jumps over the lazy dog. ", 100),
	"code":   strings.Repeat("\tif x := \"a\\b\"; x != nil {\n\t\treturn\n\t}\n", 100),
	"cjk":    strings.Repeat("把另一场对话中的相关工作带入一条新消息。", 100),
	"halves": strings.Repeat("x"+high, 500),
}

func bench(b *testing.B, size int, f func()) {
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		f()
	}
}

func BenchmarkParse(b *testing.B) {
	bench(b, len(benchRecord), func() {
		if _, err := jstext.Parse(benchRecord); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	v, dst := jstext.MustParse(benchRecord), []byte(nil)
	bench(b, len(benchRecord), func() { dst = v.AppendJSON(dst[:0]) })
}

func BenchmarkGet(b *testing.B) {
	v := jstext.MustParse(benchRecord)
	bench(b, len(benchRecord), func() { v.Get("data", "message", "id") })
}

func BenchmarkQuote(b *testing.B) {
	for name, s := range benchTexts {
		b.Run(name, func(b *testing.B) {
			var dst []byte
			bench(b, len(s), func() { dst = jstext.AppendQuote(dst[:0], s) })
		})
	}
}

func BenchmarkUnquote(b *testing.B) {
	for name, s := range benchTexts {
		lit := jstext.Quote(s)
		b.Run(name, func(b *testing.B) {
			bench(b, len(lit), func() {
				if _, err := jstext.Unquote(lit); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, s := range map[string]string{"well-formed": benchTexts["cjk"], "one bad byte": benchTexts["cjk"] + "\xff"} {
		b.Run(name, func(b *testing.B) {
			in := []byte(s)
			bench(b, len(in), func() { jstext.Decode(in) })
		})
	}
}
