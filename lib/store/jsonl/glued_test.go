package jsonl

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

var testForm = &Form{
	Shape: Shape{"n": nil},
	Is:    func(v jstext.Value) bool { _, ok := v.Get("n").Int(); return ok },
	List:  "list",
}

// formed runs the splitter over content with the form, read as a file and by bytes.
func formed(t *testing.T, content string, shape Shape) (texts []string, damaged, torn int64) {
	t.Helper()
	s := open(t, write(t, "x.jsonl", content))
	s.Form = testForm
	for rec, err := range s.Records(t.Context(), shape) {
		if err != nil {
			t.Fatal(err)
		}
		whole := content[rec.Off : rec.Off+rec.Len]
		if shape == nil && whole != rec.Value.Raw() {
			t.Errorf("%q: the span holds %q, the record is %q", content, whole, rec.Value.Raw())
		}
		texts = append(texts, whole)
	}
	var again []string
	l := newSplitter(shape, testForm, func(rec Record) bool {
		again = append(again, content[rec.Off:rec.Off+rec.Len])
		return true
	})
	l.again = func(sc *scanner, at Span) error { sc.feed([]byte(content[at.Off : at.Off+at.Len])); return nil }
	if err := l.run(t.Context(), iotest.OneByteReader(strings.NewReader(content))); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(again) != fmt.Sprint(texts) || l.damaged+l.nulRuns != s.Damaged || l.torn != s.Torn {
		t.Errorf("%q: by bytes %q, %d damaged, %d torn; at once %q, %d, %d", content, again, l.damaged+l.nulRuns, l.torn, texts, s.Damaged, s.Torn)
	}
	return texts, s.Damaged, s.Torn
}

// cuttable has a cut of every kind: in words, numbers, keys, strings, escapes, behind
// colons, commas and brackets, and objects inside that end where the cut is.
const cuttable = `{"n":-1.5e+3,"t":true,"f":[null,{"a":{"b":[]}},{"n":"x"}],"s":"q\"\\\u00e9{\"n\":1}","k\u0065y":{"m":{}},"e":[],"o":{}}`

// A whole record is found behind one that was cut, wherever that was, and no object
// inside of the cut record is taken for one.
func TestGlued(t *testing.T) {
	for _, whole := range []string{`{"n":7}`, `{"x":[{"n":8},{}],"n":7,"s":"{\"n\":9}"}`, `{"n":7,"o":{"n":8}}`} {
		for _, end := range []string{"\n", "", "\r\n", " \n", "\x00\x00\n", "\x00"} {
			for cut := 1; cut < len(cuttable); cut++ {
				for i, shape := range []Shape{nil, {}, {"n": nil, "f": {"a": nil}}} {
					if i > 0 && end != "\n" {
						break
					}
					got, damaged, torn := formed(t, cuttable[:cut]+whole+end, shape)
					if nuls := strings.Contains(end, "\x00"); len(got) != 1 || got[0] != whole || damaged != 1 && !nuls || torn != 0 {
						t.Fatalf("%s and %s: %q, %d damaged, %d torn", cuttable[:cut], whole+end, got, damaged, torn)
					}
				}
			}
		}
	}
	for cut := 1; cut < len(cuttable); cut++ {
		if got, damaged, torn := formed(t, cuttable[:cut]+"\n", nil); len(got) != 0 || damaged != 1 || torn != 0 {
			t.Errorf("%s on a line: %q, %d damaged, %d torn", cuttable[:cut], got, damaged, torn)
		}
		if got, damaged, torn := formed(t, cuttable[:cut], nil); len(got) != 0 || damaged != 0 || torn != int64(cut) {
			t.Errorf("%s at the end: %q, %d damaged, %d torn", cuttable[:cut], got, damaged, torn)
		}
	}
}

func TestGluedChains(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		damaged  int64
	}{
		{"three, two of them cut where a value comes", `{"a":{"n":1,"b":[{"n":3}` + "\n", []string{`{"n":3}`}, 1},
		{"whole ones behind each other", `{"a":{"n":1}{"n":2}` + "\n", []string{`{"n":1}`, `{"n":2}`}, 1},
		{"cut, whole, cut in a string, whole", `{"a":{"n":1}{"a":"x{"n":2}` + "\n", []string{`{"n":1}`, `{"n":2}`}, 2},
		{"NULs between", `{"a":"x` + "\x00\x00" + `{"n":2}` + "\n", []string{`{"n":2}`}, 1},
		{"NULs before text", `{"a":"x` + "\x00\x00" + `b","c":{"n":2}}` + "\n", nil, 1},
		{"NULs before an object inside", `{"a":"x` + "\x00\x00" + `{"n":2},"c":3}` + "\n", nil, 2},
		{"a comma that is missing", `{"a":1 {"n":2},"c":3}` + "\n", nil, 2},
		{"an element of a list", `{"list":[{"n":1},{"n":2}` + "\n", nil, 1},
		{"an element of a list with another behind", `{"list":[{"n":1}{"n":2}],"n":2}` + "\n", nil, 2},
		{"behind a list", `{"list":[{"n":1}],"a":{"n":2}` + "\n", []string{`{"n":2}`}, 1},
		{"garbage behind", `{"a":{"n":1}x` + "\n", nil, 2},
		{"of another form", `{"a":{"m":1}` + "\n", nil, 1},
	} {
		got, damaged, _ := formed(t, c.in, nil)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) || damaged != c.damaged {
			t.Errorf("%s: %q, %d damaged; want %q, %d", c.name, got, damaged, c.want, c.damaged)
		}
	}
}

// A packed file is unpacked at most twice more, however many records are glued.
func TestGluedPacked(t *testing.T) {
	const n = 20000
	s := open(t, write(t, "x.jsonl.zst", pack(t, strings.Repeat(`{"a":[{"n":1}`+"\n", n))))
	s.Form = testForm
	start, found := time.Now(), 0
	for _, err := range s.Records(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		found++
	}
	if d := time.Since(start); found != n || s.Damaged != n || d > 5*time.Second {
		t.Errorf("%d records, %d damaged, %v", found, s.Damaged, d)
	}
}

// The time of one very long line of glued records follows its length.
func TestGluedLinear(t *testing.T) {
	long := func(n int) time.Duration {
		content := strings.Repeat(`{"a":[{"b":"x{"n":`, n)
		start := time.Now()
		for range Scan([]byte(content), nil) {
		}
		for range testForm.Scan([]byte(strings.Repeat(`{"a":{"n":1}`, n)), nil) {
		}
		s := open(t, write(t, "x.jsonl", content))
		s.Form = testForm
		for _, err := range s.Records(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
		}
		return time.Since(start)
	}
	long(1000)
	if small, large := long(20_000), long(200_000); large > 40*small+time.Second {
		t.Errorf("%v for ten times the length of what took %v", large, small)
	}
}
