package jsonl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// split runs the splitter over r and gives back what it made of it.
func split(t *testing.T, r io.Reader, shape Shape) (recs []Record, l splitter) {
	t.Helper()
	l = *newSplitter(shape, nil, func(rec Record) bool {
		recs = append(recs, rec)
		return true
	})
	if err := l.run(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	return recs, l
}

var splitCases = []struct {
	name, in      string
	shape         Shape
	want          []string
	damaged, torn int64
	nuls, runs    int64
}{
	{name: "lines", in: "{\"a\":1}\n{\"b\":[true,null,-0.5e+3]}\n", want: []string{`{"a":1}`, `{"b":[true,null,-0.5e+3]}`}},
	{name: "no line end", in: `{"a":1}`, want: []string{`{"a":1}`}},
	{name: "crlf", in: "{\"a\":1}\r\n\r\n{\"b\":2}\r\n", want: []string{`{"a":1}`, `{"b":2}`}},
	{name: "bom", in: "\xEF\xBB\xBF{\"a\":1}\n", want: []string{`{"a":1}`}},
	{name: "half a bom", in: "\xEF\xBB{\"a\":1}\n{}\n", want: []string{`{}`}, damaged: 1},
	{name: "nuls of a crashed disk", in: "\x00\x00\x00{\"a\":1}\n\x00\x00", want: []string{`{"a":1}`}, nuls: 5, runs: 2},
	{name: "nuls between records", in: "{\"a\":1}\x00\x00{\"b\":2}\n\x00 \x00\n{}\n\x00", want: []string{`{"a":1}`, `{"b":2}`, `{}`}, nuls: 5, runs: 4},
	{name: "nuls in a record", in: "{\"a\":\"\x00\x00\"}\n{}\n", want: []string{`{}`}, damaged: 1, nuls: 2},
	{name: "nuls in the tail", in: "{}\n{\"a\":\"b\x00\x00", want: []string{`{}`}, torn: 9, nuls: 2, runs: 1},
	{name: "welded", in: "{\"a\":1}{\"b\":2} {\"c\":3}\n", want: []string{`{"a":1}`, `{"b":2}`, `{"c":3}`}},
	{name: "torn and written over", in: "{\"a\":\"xx{\"b\":2}\n{}\n", want: []string{`{"b":2}`, `{}`}, damaged: 1},
	{name: "torn in a key", in: "{\"a\":1,\"kk{\"b\":2}\n", want: []string{`{"b":2}`}, damaged: 1},
	{name: "torn in an escape", in: "{\"a\":\"xx\\{\"b\":2}\n", want: []string{`{"b":2}`}, damaged: 1},
	{name: "torn behind a number", in: "{\"a\":12{\"b\":2}\n", want: []string{`{"b":2}`}, damaged: 1},
	{name: "torn behind a comma", in: "{\"a\":12,{\"b\":2}\n", want: []string{`{"b":2}`}, damaged: 1},
	{name: "brace at a string's end", in: "{\"a\":\"x{\" 7}\n{}\n", want: []string{`{}`}, damaged: 1},
	{name: "torn tail", in: "{\"a\":1}\n{\"b\":\"\xe4\xb8", want: []string{`{"a":1}`}, torn: 8},
	{name: "garbage tail", in: "{\"a\":1}\nxyz", want: []string{`{"a":1}`}, torn: 3},
	{name: "broken tail", in: "{\"a\":1}\n{\"b\":tru}", want: []string{`{"a":1}`}, torn: 9},
	{name: "garbage line", in: "xyz\n{\"a\":1}\n", want: []string{`{"a":1}`}, damaged: 1},
	{name: "garbage with an object in it", in: "xyz {\"role\":\"user\"}\n{\"a\":1}\n", want: []string{`{"a":1}`}, damaged: 1},
	{name: "garbage behind a record", in: "{\"a\":1}xyz\n{\"b\":2}\n", want: []string{`{"a":1}`, `{"b":2}`}, damaged: 1},
	{name: "line ends inside", in: "{\"a\":\n{\"b\":2}\n", want: []string{`{"b":2}`}, damaged: 1},
	{name: "not an object", in: "[1]\nnull\n7\n{}\n", want: []string{`{}`}, damaged: 3},
	{name: "control character", in: "{\"a\":\"\t\"}\n{}\n", want: []string{`{}`}, damaged: 1},
	{name: "bad escape", in: "{\"a\":\"\\q\"}\n{}\n", want: []string{`{}`}, damaged: 1},
	{name: "bad escape in what is let go", in: "{\"a\":\"\\u12g4\"}\n{}\n", shape: Shape{"b": nil}, want: []string{`{}`}, damaged: 1},
	{name: "bad number in what is let go", in: "{\"a\":01}\n{\"a\":1.}\n{\"a\":-}\n{\"a\":1e}\n{\"a\":+1}\n{}\n", shape: Shape{}, want: []string{`{}`}, damaged: 5},
	{name: "commas", in: "{\"a\":1,}\n{,}\n{\"a\":[1,]}\n{\"a\":[,1]}\n{\"a\" 1}\n{}\n", want: []string{`{}`}, damaged: 5},
	{name: "crossed brackets", in: "{\"a\":[}]\n{}\n", want: []string{`{}`}, damaged: 1},
	{name: "invalid utf-8", in: "{\"a\":\"\xff\xed\xa0\x80\"}\n", want: []string{"{\"a\":\"\uFFFD\uFFFD\uFFFD\uFFFD\"}"}},
	{name: "lone surrogate", in: `{"a":"\ud83d"}`, want: []string{`{"a":"\ud83d"}`}},
	{
		name: "pruned", shape: Shape{"type": nil, "message": {"content": {"type": nil, "text": nil}}},
		in:   `{"x":{"type":1},"type":"user","message":{"id":7,"content":[{"type":"text","text":"t","y":[1]},"s",[{"z":0}]]},"y":"\\"}`,
		want: []string{`{"type":"user","message":{"content":[{"type":"text","text":"t"},"s",[{}]]}}`},
	},
	{name: "nothing kept", shape: Shape{}, in: `{"a":{"b":[{}]},"c":1}`, want: []string{`{}`}},
	{name: "scalar where an object was thought of", shape: Shape{"a": {"b": nil}}, in: `{"a":"s"}{"a":3}{"a":null}`, want: []string{`{"a":"s"}`, `{"a":3}`, `{"a":null}`}},
	{name: "escaped key", shape: Shape{"type": nil}, in: `{"t\u0079pe":1,"typ":2}`, want: []string{`{"t\u0079pe":1}`}},
	{name: "duplicate keys", shape: Shape{"a": nil}, in: `{"a":1,"b":2,"a":3}`, want: []string{`{"a":1,"a":3}`}},
	{name: "long key", shape: Shape{"a": nil}, in: `{"` + strings.Repeat("k", 9999) + `":1,"a":2}`, want: []string{`{"a":2}`}},
	{name: "long key kept", in: `{"` + strings.Repeat("k", 9999) + `":1}`, want: []string{`{"` + strings.Repeat("k", 9999) + `":1}`}},
	{name: "too deep", in: `{"a":` + strings.Repeat("[", jstext.MaxDepth) + "\n{}\n", want: []string{`{}`}, damaged: 1},
}

func TestSplit(t *testing.T) {
	for _, c := range splitCases {
		t.Run(c.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once": strings.NewReader(c.in), "by bytes": iotest.OneByteReader(strings.NewReader(c.in)),
			} {
				recs, l := split(t, r, c.shape)
				var got []string
				for _, rec := range recs {
					got = append(got, rec.Value.Raw())
					// What stands at the span is the record.
					if whole := c.in[rec.Off : rec.Off+rec.Len]; c.shape == nil && jstext.Decode([]byte(whole)) != rec.Value.Raw() {
						t.Errorf("%s: the span holds %q, the record is %q", how, whole, rec.Value.Raw())
					}
				}
				if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
					t.Errorf("%s: got  %q\nwant %q", how, got, c.want)
				}
				if l.damaged != c.damaged || l.torn != c.torn {
					t.Errorf("%s: damaged %d, torn %d; want %d, %d", how, l.damaged, l.torn, c.damaged, c.torn)
				}
				if l.nuls != c.nuls || l.nulRuns != c.runs {
					t.Errorf("%s: %d NULs, %d runs; want %d, %d", how, l.nuls, l.nulRuns, c.nuls, c.runs)
				}
				if want := int64(len(c.want)) + c.damaged; l.count != want {
					t.Errorf("%s: counted %d, want %d", how, l.count, want)
				}
			}
		})
	}
}

func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func pack(t testing.TB, content string) string {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(enc.EncodeAll([]byte(content), nil))
}

func open(t testing.TB, path string) *Source {
	t.Helper()
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func all(t testing.TB, s *Source, shape Shape) (recs []Record) {
	t.Helper()
	for rec, err := range s.Records(context.Background(), shape) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// Fetch gives what Records gave, for every choice of records, plain and packed.
func TestFetch(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "{\"i\":%d,\"pad\":%q}%s", i, strings.Repeat("p", i*i%9000), []string{"\n", "", "\r\n"}[i%3])
	}
	for name, content := range map[string]string{"plain": b.String(), "packed": pack(t, b.String())} {
		s := open(t, write(t, "x.jsonl", content))
		if s.Packed != (name == "packed") {
			t.Errorf("%s: Packed is %v", name, s.Packed)
		}
		recs := all(t, s, Shape{"i": nil})
		if len(recs) != 300 {
			t.Fatalf("%s: %d records, want 300", name, len(recs))
		}
		for _, step := range []int{1, 2, 7, 299} {
			var spans []Span
			for i := 0; i < len(recs); i += step {
				spans = append(spans, recs[i].Span)
			}
			n := 0
			for v, err := range s.Fetch(context.Background(), nil, spans) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				i, _ := v.Get("i").Int()
				if pad, _ := v.Get("pad").Text(); int(i) != n*step || len(pad) != n*step*n*step%9000 {
					t.Errorf("%s: step %d, record %d: got number %d with %d bytes of padding", name, step, n, i, len(pad))
				}
				n++
			}
			if n != len(spans) {
				t.Errorf("%s: step %d: %d values, want %d", name, step, n, len(spans))
			}
		}
	}
}

// An observation ends at the size the file had when it was opened.
func TestSizeAtOpen(t *testing.T) {
	path := write(t, "x.jsonl", "{\"a\":1}\n{\"a\":")
	s := open(t, path)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("2}\n"); err != nil {
		t.Fatal(err)
	}
	if recs := all(t, s, nil); len(recs) != 1 || s.Torn != 5 {
		t.Errorf("%d records and %d torn bytes, want 1 and 5", len(recs), s.Torn)
	}
	if recs := all(t, open(t, path), nil); len(recs) != 2 {
		t.Errorf("opened again: %d records, want 2", len(recs))
	}
}

func TestPeek(t *testing.T) {
	line := func(n int) string { return fmt.Sprintf("{\"n\":%d,\"pad\":%q}\n", n, strings.Repeat("x", 1000)) }
	var b strings.Builder
	for i := range 500 {
		b.WriteString(line(i))
	}
	for _, c := range []struct {
		name, content, tail string
		whole               bool
	}{
		{"small", line(1) + line(2), line(2), true},
		{"empty", "", "", true},
		{"large", b.String(), line(499), false},
		{"torn", b.String() + `{"n`, `{"n`, false},
		{"one line", `{"n":"` + strings.Repeat("x", 3*PeekSize) + `"}`, "", false},
	} {
		p, err := ReadPeek(write(t, "x.jsonl", c.content))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !strings.HasPrefix(c.content, string(p.Head)) || len(p.Head) != min(PeekSize, len(c.content)) {
			t.Errorf("%s: the head is %d bytes, %.20q", c.name, len(p.Head), p.Head)
		}
		if p.Whole != c.whole || !bytes.HasSuffix(p.Tail, []byte(c.tail)) || len(p.Tail) > PeekSize {
			t.Errorf("%s: whole %v, tail of %d bytes", c.name, p.Whole, len(p.Tail))
		}
		if c.tail == "" && len(p.Tail) > 0 {
			t.Errorf("%s: a tail of %d bytes, want none", c.name, len(p.Tail))
		}
		for line := range Lines(p.Tail) {
			if line[0] != '{' {
				t.Errorf("%s: the tail has half a line, %.20q", c.name, line)
			}
		}
	}
	p, err := ReadPeek(write(t, "x.jsonl", pack(t, b.String())))
	if err != nil || !p.Packed || p.Whole || len(p.Tail) > 0 || string(p.Head) != b.String()[:PeekSize] {
		t.Errorf("packed: %v, packed %v, whole %v, head of %d, tail of %d bytes", err, p.Packed, p.Whole, len(p.Head), len(p.Tail))
	}
}
