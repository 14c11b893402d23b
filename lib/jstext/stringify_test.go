package jstext_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Where a double cannot hold a number, we keep it and JavaScript does not: the
// one difference from JSON.stringify(JSON.parse(text)) that is meant.
func TestNumbersThatJavaScriptChanges(t *testing.T) {
	tests := []struct{ lit, node string }{
		{"-0", "0"},
		{"-0.0", "0"},
		{"9007199254740993", "9007199254740992"},
		{"-9007199254740993", "-9007199254740992"},
		{"12345678901234567890", "12345678901234567000"},
		{"0.10000000000000000001", "0.1"},
		{"4503599627370497.5", "4503599627370498"},
		{"1e400", "null"},
		{"-1E400", "null"},
		{"1e-400", "0"},
		{"2e-324", "0"},
		{"4.9406564584124654e-324", "5e-324"},
		{"123456789.123456789123", "123456789.12345679"},
		{"1e99999999999999999999", "null"},
		{"1." + strings.Repeat("0", 2000) + "1", "1"},
	}
	lits := make([]string, len(tests))
	for i, tt := range tests {
		lits[i] = toUnits(tt.lit)
		if got := jstext.MustParse(tt.lit).JSON(); got != tt.lit {
			t.Errorf("%.40s is written %.40s", tt.lit, got)
		}
		if jstext.Equal(jstext.MustParse(tt.lit), jstext.MustParse(tt.node)) {
			t.Errorf("%.40s equals %s", tt.lit, tt.node)
		}
	}
	answers, _ := ask(t, "restringify", lits)
	for i, tt := range tests {
		if answers[i] != tt.node {
			t.Errorf("node writes %.40s as %s, not %s: the table is wrong", tt.lit, answers[i], tt.node)
		}
	}
}

// Another spelling of what a double holds is no change, however long.
func TestNumbersThatJavaScriptKeeps(t *testing.T) {
	lits := []string{
		"1.0", "1e0", "1E+00000000000000000000001", "0." + strings.Repeat("0", 400) + "1e400", "1" + strings.Repeat("0", 300) + "e-300",
		"0e-99999999999999999999", "0.00000", strings.Repeat("1", 15) + "." + strings.Repeat("0", 900), "9007199254740992.000", "0.30", "1e21", "1e20", "1e-6", "1e-7", "1.5e-7",
		"123456789012345680000", "1234567890123456800000", "2.2250738585072014e-308", "1.7976931348623157E+308",
	}
	compare(t, "restringify", lits, toUnits, func(s string) (string, bool) {
		v, err := jstext.Parse(s)
		return v.JSON(), err == nil
	})
}

func TestAppendFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inputs := []string{"0", "1", "-1", "0.1", "1e21", "999999999999999900000", "1e-7", "0.000001", "5e-324", "1.7976931348623157e308", "100", "123.456", "-1.5e-9", "1e100", "1.5e100", "4294967296"}
	for range 2000 {
		f := math.Float64frombits(r.Uint64())
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			inputs = append(inputs, strconv.FormatFloat(f, 'g', -1, 64))
		}
		inputs = append(inputs, strconv.FormatFloat(r.ExpFloat64()*math.Pow10(r.IntN(50)-25), 'g', -1, 64))
	}
	compare(t, "number", inputs, toUnits, func(s string) (string, bool) {
		f, err := strconv.ParseFloat(s, 64)
		return string(jstext.AppendFloat(nil, f)), err == nil
	})
}

func TestAppendJSON(t *testing.T) {
	if got := string(jstext.MustParse(`{"a":1}`).AppendJSON([]byte("x"))); got != `x{"a":1}` {
		t.Errorf("appended: %s", got)
	}
	if got := (jstext.Value{}).JSON(); got != "" {
		t.Errorf("absent is written %q", got)
	}
	// Bytes that are no UTF-8 do not get into what is written.
	for in, want := range map[string]string{
		`"` + high + `"`:    `"\ud83d"`,
		"\"\xff\"":          "\"\uFFFD\"",
		`["` + low + `"]`:   `["\ude00"]`,
		`{"` + low + `":0}`: `{"\ude00":0}`,
	} {
		if got := jstext.MustParse(in).JSON(); got != want {
			t.Errorf("%q is written %q, want %q", in, got, want)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`1e2`, `100`, true},
		{`0`, `-0`, false},
		{`"a"`, `"\u0061"`, true},
		{`"a"`, `"b"`, false},
		{`"1"`, `1`, false},
		{`null`, `false`, false},
		{`true`, `true `, true},
		{`[1,2]`, `[ 1 , 2.0 ]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,1]`, false},
		{`[]`, `{}`, false},
		{`{"a":1,"b":[{"c":2,"d":3}]}`, `{"b":[{"d":3,"c":2}],"\u0061":1}`, true},
		{`{"a":1}`, `{"a":1,"b":1}`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`{"a":1,"a":2}`, `{"a":1}`, false},
		{`{"2":1,"10":2}`, `{"10":2,"2":1}`, true},
		{`{"a":{}}`, `{"a":[]}`, false},
	}
	for _, tt := range tests {
		a, b := jstext.MustParse(tt.a), jstext.MustParse(tt.b)
		if jstext.Equal(a, b) != tt.want || jstext.Equal(b, a) != tt.want || !jstext.Equal(a, a) {
			t.Errorf("%s equals %s: want %v", tt.a, tt.b, tt.want)
		}
	}
	if !jstext.Equal(jstext.Value{}, jstext.Value{}) || jstext.Equal(jstext.Value{}, jstext.MustParse("null")) {
		t.Error("absent must equal absent alone")
	}
}

// randomJSON writes a value with everything that can go wrong with it.
func randomJSON(r *rand.Rand, b *strings.Builder, depth int) {
	space := func() { b.WriteString([]string{"", "", "", " ", "\n\t"}[r.IntN(5)]) }
	str := func() {
		b.WriteByte('"')
		for range r.IntN(5) {
			b.WriteString([]string{"a", "0", "1", "\\u0031", "\\n", "\\u000a", "\\/", "\\\\", "\\\"", "\\ud83d", "\\uDE00", high, low, smile, "é", "}", ",", "<", "\u2028", "__proto__"}[r.IntN(20)])
		}
		b.WriteByte('"')
	}
	space()
	kind := r.IntN(6)
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		b.WriteString([]string{"null", "true", "false"}[r.IntN(3)])
	case 1:
		b.WriteString([]string{"0", "1", "-1.50", "1e5", "0.1", "1E-7", "1e21", "12345678901234567000", "5e-324"}[r.IntN(9)])
	case 2, 3:
		str()
	case 4:
		b.WriteByte('[')
		for i := range r.IntN(4) {
			if i > 0 {
				b.WriteByte(',')
			}
			randomJSON(r, b, depth-1)
		}
		space()
		b.WriteByte(']')
	case 5:
		b.WriteByte('{')
		for i := range r.IntN(6) {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			if r.IntN(3) == 0 {
				b.WriteString([]string{`"0"`, `"1"`, `"10"`, `"a"`, `"__proto__"`, `"4294967295"`}[r.IntN(6)])
			} else {
				str()
			}
			space()
			b.WriteByte(':')
			randomJSON(r, b, depth-1)
		}
		space()
		b.WriteByte('}')
	}
	space()
}

// Thousands of made-up values, and as many that are broken somewhere.
func TestRandomJSONAgainstNode(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var inputs []string
	for range 4000 {
		var b strings.Builder
		randomJSON(r, &b, 4)
		s := jstext.Join(b.String())
		inputs = append(inputs, s)
		if i := r.IntN(len(s)); s[i] < 0x80 {
			inputs = append(inputs, s[:i]+s[i+1:], s[:i]+string(s[r.IntN(len(s))]&0x7F)+s[i:])
		}
	}
	inputs = slices.DeleteFunc(inputs, func(s string) bool {
		v, _ := jstext.Parse(s)
		return !jstext.Valid(s) || jstext.Lossless(v) != nil
	})
	if len(inputs) < 5000 {
		t.Fatalf("only %d texts are left", len(inputs))
	}
	compare(t, "restringify", inputs, toUnits, func(s string) (string, bool) {
		v, err := jstext.Parse(s)
		return v.JSON(), err == nil
	})
}

// Texts made to be read again at every level, or to be sorted and searched. Each
// takes well under a second; what is quadratic in any of these takes minutes.
func TestHostileValuesAreLinear(t *testing.T) {
	const depth = jstext.MaxDepth
	payload := strings.Repeat("x", 4<<20)
	tests := []struct{ name, text string }{
		{"a long string far down", strings.Repeat("[", depth) + `"` + payload + `"` + strings.Repeat("]", depth)},
		{"a long string far down, keys to sort", strings.Repeat(`{"b":`, depth) + `"` + payload + `"` + strings.Repeat(`,"1":0}`, depth)},
		{"a million brackets", "[" + strings.Repeat("[],", 1<<20) + "0]"},
		{"many keys", "{" + strings.Repeat(`"aaaaaaaa":1,`, 1<<18) + `"b":2}`},
		{"many different keys", manyKeys(1 << 15)},
		{"backslashes", `["` + strings.Repeat(`\\`, 1<<21) + `"]`},
		{"quotes", `["` + strings.Repeat(`\"`, 1<<21) + `"]`},
		{"halves", `["` + strings.Repeat(`\ud83d`, 1<<20) + `"]`},
		{"a long number", "[1" + strings.Repeat("0", 1<<20) + "." + strings.Repeat("0", 1<<20) + "e-99]"},
		{"many long numbers", "[" + strings.Repeat("1.23456789012345678901234567890e-300,", 1<<16) + "0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			v, err := jstext.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			again, err := jstext.Parse(v.JSON())
			if err != nil || !jstext.Equal(v, again) {
				t.Errorf("written and read again it is another value: %v", err)
			}
			n := 0
			for range v.Members() {
				n++
			}
			for range v.Elements() {
				n++
			}
			if n == 0 {
				t.Error("nothing in it")
			}
			jstext.Lossless(v)
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("%v for %d bytes", d, len(tt.text))
			}
		})
	}
}
