package jsonl

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// prune is what a shape keeps, the slow way: on a parsed value.
func prune(w *strings.Builder, v jstext.Value, shape Shape) {
	switch {
	case shape == nil:
		w.WriteString(v.JSON())
	case v.Kind() == jstext.Object:
		comma := ""
		w.WriteByte('{')
		for key, m := range v.Members() {
			if sub, ok := shape[key]; ok {
				w.WriteString(comma + jstext.Quote(key) + ":")
				prune(w, m, sub)
				comma = ","
			}
		}
		w.WriteByte('}')
	case v.Kind() == jstext.Array:
		comma := ""
		w.WriteByte('[')
		for e := range v.Elements() {
			w.WriteString(comma)
			prune(w, e, shape)
			comma = ","
		}
		w.WriteByte(']')
	default:
		w.WriteString(v.JSON())
	}
}

// normal is a value's text in one form, so that texts can be compared.
func normal(t *testing.T, text string) string {
	v, err := jstext.Parse(text)
	if err != nil {
		t.Fatalf("%q is not JSON: %v", text, err)
	}
	return v.JSON()
}

// FuzzScan holds the scanner against the JSON parser, and against itself with
// other sizes of pieces and another shape.
func FuzzScan(f *testing.F) {
	for _, c := range splitCases {
		if len(c.in) < 1000 {
			f.Add([]byte(c.in))
		}
	}
	shape := Shape{"a": nil, "type": nil, "message": {"content": {"type": nil, "text": nil}}, "b": {}}
	f.Add([]byte(`{ "a" : [ 1 , { } ] }`))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, lw := split(t, bytes.NewReader(in), nil)
		for _, c := range []struct {
			name  string
			shape Shape
		}{{"by bytes", nil}, {"pruned", shape}, {"nothing kept", Shape{}}} {
			recs, l := split(t, iotest.OneByteReader(bytes.NewReader(in)), c.shape)
			if len(recs) != len(whole) || l.damaged != lw.damaged || l.torn != lw.torn || l.count != lw.count {
				t.Fatalf("%s: %d records, %d damaged, %d torn; at once %d, %d, %d", c.name, len(recs), l.damaged, l.torn, len(whole), lw.damaged, lw.torn)
			}
			for i, rec := range recs {
				var want strings.Builder
				prune(&want, whole[i].Value, c.shape)
				if got := normal(t, rec.Value.Raw()); got != normal(t, want.String()) || rec.Span != whole[i].Span || rec.Index != whole[i].Index {
					t.Fatalf("%s: record %d is %q at %v, want %q at %v", c.name, i, got, rec.Span, want.String(), whole[i].Span)
				}
			}
		}
		for _, rec := range whole {
			text := jstext.Decode(in[rec.Off : rec.Off+rec.Len])
			if normal(t, text) != normal(t, rec.Value.Raw()) {
				t.Fatalf("the span of %q holds %q", rec.Value.Raw(), text)
			}
		}
		// Each line that is one object is one record, whatever stands around it.
		n := 0
		for line := range bytes.Lines(in) {
			v, err := jstext.Parse(jstext.Decode(bytes.TrimSuffix(line, []byte{'\n'})))
			if err != nil || v.Kind() != jstext.Object {
				continue
			}
			n++
		}
		if len(whole) < n {
			t.Fatalf("%d records, but %d lines are objects", len(whole), n)
		}
	})
}

// FuzzUnpack reads packed and other bytes as a file.
func FuzzUnpack(f *testing.F) {
	whole := pack(f, strings.Repeat("{\"a\":1}\n", 50))
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)-3]))
	f.Add([]byte(whole + whole))
	f.Add([]byte("{\"a\":1}\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		s := open(t, write(t, "x", string(in)))
		var recs []Record
		var spans []Span
		for rec, err := range s.Records(context.Background(), nil) {
			if err != nil {
				return
			}
			recs = append(recs, rec)
			spans = append(spans, rec.Span)
		}
		i := 0
		for v, err := range s.Fetch(context.Background(), nil, spans) {
			if err != nil || v.Raw() != recs[i].Value.Raw() {
				t.Fatalf("record %d: fetched %q, %v; read %q", i, v.Raw(), err, recs[i].Value.Raw())
			}
			i++
		}
		if i != len(spans) {
			t.Fatalf("fetched %d of %d", i, len(spans))
		}
	})
}

func BenchmarkRecords(b *testing.B) {
	var text strings.Builder
	for range 2000 {
		text.WriteString(`{"parentUuid":"0c0ffee0","type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"` +
			strings.Repeat(`line of output with \"quotes\" and \\n ends\n`, 100) + `"}]},"uuid":"0c0ffee1"}` + "\n")
	}
	s := open(b, write(b, "x.jsonl", text.String()))
	shape := Shape{"type": nil, "uuid": nil, "parentUuid": nil, "message": {"content": {"type": nil, "text": nil}}}
	b.SetBytes(s.Size)
	b.ReportAllocs()
	for b.Loop() {
		all(b, s, shape)
	}
}
