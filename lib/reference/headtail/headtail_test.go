package headtail_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference/headtail"
	"github.com/dsh-toolkit/dsh/lib/vectors"
)

func TestVectors(t *testing.T) { vectors.Each(t, "retain.json", checkCase) }

func checkCase(t *testing.T, c jstext.Value) {
	r, ok, err := fromStrategy(c.Get("strategy"))
	if c.Get("error").True() {
		// A budget that is no integer cannot be passed to a function that takes one.
		if ok && err == nil {
			t.Error("the budget was taken")
		}
		return
	}
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	var pushes jstext.Writer
	pushes.BeginArray()
	for chunk := range c.Get("chunks").Elements() {
		p := push(t, r, chunk)
		pushes.BeginObject()
		pushes.Key("kept")
		pushes.Bool(p.Kept)
		pushes.Key("truncated")
		pushes.Bool(p.Truncated)
		pushes.EndObject()
	}
	pushes.EndArray()
	if want := c.Get("pushes").JSON(); pushes.String() != want {
		t.Errorf("pushes %s, want %s", pushes.String(), want)
	}
	if got, want := resultJSON(r.Result()), c.Get("result").JSON(); got != want {
		t.Errorf("result %s, want %s", got, want)
	}
}

func fromStrategy(s jstext.Value) (*headtail.Retainer, bool, error) {
	kind, _ := s.Get("kind").Text()
	var head, tail int64
	ok, ok2 := true, true
	switch kind {
	case "head":
		head, ok = s.Get("maxBytes").Int()
	case "tail":
		tail, ok = s.Get("maxBytes").Int()
	default:
		head, ok = s.Get("headBytes").Int()
		tail, ok2 = s.Get("tailBytes").Int()
	}
	if !ok || !ok2 {
		return nil, false, nil
	}
	r, err := headtail.New(int(head), int(tail))
	return r, true, err
}

func push(t *testing.T, r *headtail.Retainer, chunk jstext.Value) headtail.Push {
	t.Helper()
	if s, ok := chunk.Text(); ok {
		return r.PushString(s)
	}
	enc, _ := chunk.Get("base64").Text()
	b, err := base64.StdEncoding.DecodeString(enc)
	if err != nil {
		t.Fatal(err)
	}
	return r.Push(b)
}

func resultJSON(r headtail.Result) string {
	var w jstext.Writer
	w.BeginObject()
	w.Key("text")
	w.Text(r.Text)
	w.Key("truncated")
	w.Bool(r.Truncated)
	w.Key("omittedBytes")
	w.BeginObject()
	w.Key("kind")
	if r.Truncated {
		w.Text("exact")
		w.Key("count")
		w.Int(r.Omitted)
	} else {
		w.Text("none")
	}
	w.EndObject()
	w.EndObject()
	return w.String()
}

// FuzzChunks pushes a text whole and in chunks: the result is the same, within its
// budget, and what it omits and keeps is all there was.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("héllo wörld"), uint16(3), uint16(4), uint8(2))
	f.Add([]byte("\ufeffa\xff\xf0\x9f\x98"), uint16(0), uint16(9), uint8(1))
	f.Add([]byte("日本語\ufeff日本語"), uint16(4), uint16(0), uint8(5))
	f.Fuzz(func(t *testing.T, text []byte, head, tail uint16, size uint8) {
		whole, _ := headtail.New(int(head), int(tail))
		whole.Push(text)
		parts, _ := headtail.New(int(head), int(tail))
		kept := true
		for chunk := range chunks(text, int(size)+1) {
			p := parts.Push(chunk)
			kept = kept && p.Kept
		}
		got := whole.Result()
		if again := parts.Result(); again != got || kept == got.Truncated {
			t.Fatalf("whole %+v, in chunks %+v, kept %v", got, again, kept)
		}
		if !utf8.ValidString(got.Text) || got.Omitted < 0 || got.Omitted > int64(len(text)) {
			t.Fatalf("%+v", got)
		}
		if got.Truncated != (len(text) > int(head)+int(tail)) {
			t.Fatalf("truncated %v, %d bytes into %d and %d", got.Truncated, len(text), head, tail)
		}
		if utf8.Valid(text) && !bytes.Contains(text, []byte(headtail.BOM)) && len(got.Text)+int(got.Omitted) != len(text) {
			t.Fatalf("%d bytes kept and %d omitted of %d", len(got.Text), got.Omitted, len(text))
		}
	})
}

func chunks(b []byte, size int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			n := min(size, len(b))
			if !yield(b[:n]) {
				return
			}
			b = b[n:]
		}
	}
}

func TestMemoryFollowsBudget(t *testing.T) {
	r, err := headtail.New(10, 10)
	if err != nil {
		t.Fatal(err)
	}
	chunk := []byte(strings.Repeat("x", 7))
	if n := testing.AllocsPerRun(1000, func() { r.Push(chunk) }); n != 0 {
		t.Errorf("%v allocations a chunk", n)
	}
}
