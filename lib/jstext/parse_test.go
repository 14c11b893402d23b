package jstext_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// jsonTexts are texts that JSON.parse accepts. Their numbers are such that a double
// holds them.
var jsonTexts = []string{
	`null`, `true`, `false`, `0`, `-1`, `1.5`, `1E5`, `1e+2`, `1e-7`, `0.1`, `1e21`, `123456789012345680000`, `5e-324`, `0e5`, `0.0`, `10.50`,
	`1.7976931348623157e308`, `9007199254740992`, `-9007199254740991`, `0.000001`, `1e-6`, `123e-20`, `1e20`,
	` 1 `, "\t\n\r {} ", `[]`, `[ ]`, `[1,2]`, `[ 1 , [ ] , { } ]`, `{}`, `{ }`, `{"a":1}`, ` { "a" : [ 1 , 2 ] , "b" : { "c" : null } } `,
	`""`, `"\u0041\/\n"`, `"\ud83d\ude00\ud83d"`, `"` + high + `"`, `{"` + high + `\ude00":"\ud83d` + low + `"}`, `"日本"`, `"` + "\u2028\x7f" + `"`,
	`{"a":1,"a":2}`, `{"a":1,"b":2,"a":[3]}`, `{"\u0061":1,"a":2}`, `{"__proto__":1,"a":{"__proto__":null}}`, `{"constructor":1,"toString":2,"__proto__":3,"__proto__":4}`,
	`{"b":1,"10":2,"9":3,"a":4,"0":5}`, `{"01":1,"1":2,"-1":3,"1.5":4,"1e3":5,"+1":6," 1":7,"":8}`,
	`{"4294967295":1,"4294967294":2,"4294967296":3,"00":4,"9007199254740991":5,"18446744073709551616":6,"1":7}`,
	`{"2":1,"1":2,"2":3,"x":{"3":1,"b":2,"1":3}}`, `{"":{"":{"":""}}}`, `[[[[]]],{"a":[{"b":[]}]}]`, `{"a}":"]","b]":"{,:\""}`, `["\\","\\\"",{"\\":"\\\\"}]`,
	manyKeys(40), "[" + strings.Repeat(`{"a":[]},`, 50) + "0]",
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":%d,"k%d":"again","%d":0`, i, i, i/2, n-i)
	}
	return "{" + b.String()[1:] + "}"
}

// notJSON are texts that it refuses.
var notJSON = []string{
	``, ` `, `nul`, `nulll`, `null null`, `NaN`, `Infinity`, `-Infinity`, `undefined`, `True`, `tru`, `fals`, `n`, `t`,
	`01`, `-`, `+1`, `.5`, `1.`, `-.5`, `1e`, `1e+`, `1E-`, `1.e5`, `0x1`, `1_000`, `1 2`, `--1`, `-01`, `00`, `1e1.5`, `١`,
	`"`, `"a`, `"a" "b"`, `'a'`, "\"a\nb\"", "\"\x00\"", "\"\x1f\"", `"\x"`, `"\u12"`, `"\u12G4"`, `"\`, `"\u`,
	`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[,]`, `[1 2]`, `[1}`, `[]]`, `[1,,2]`, `["a",]`,
	`{`, `}`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{a:1}`, `{1:1}`, `{"a":1 "b":2}`, `{"a":1]`, `{"a"::1}`, `{"a":1}}`, `{null:1}`,
	"\ufeff1", "\u00a01", "1\u2028", "\v1", "\f1", "1\x00", `/**/1`, `1//`, `[1]x`, "\x7f", `[` + strings.Repeat(`[`, 100), strings.Repeat(`[`, 50) + strings.Repeat(`]`, 49),
}

func TestParse(t *testing.T) {
	compare(t, "restringify", append(slices.Clone(jsonTexts), notJSON...), toUnits, func(s string) (string, bool) {
		v, err := jstext.Parse(s)
		return v.JSON(), err == nil
	})
	for _, s := range jsonTexts {
		v, err := jstext.Parse(s)
		if err != nil || v.Raw() != strings.Trim(s, " \t\r\n") || !v.Exists() {
			t.Errorf("Parse(%q) = %q, %v", s, v.Raw(), err)
		}
	}
	for _, s := range notJSON {
		v, err := jstext.Parse(s)
		var syntax *jstext.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(s) || v.Exists() {
			t.Errorf("Parse(%q) = %q, %v", s, v.Raw(), err)
		}
		if json.Valid([]byte(s)) {
			t.Errorf("%q is in the wrong list", s)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{`[1,2`, "no comma or ] after an array element at byte 4"},
		{`{"a" 1}`, "no colon after an object key at byte 5"},
		{`{"a":1;}`, "no comma or } after an object member at byte 6"},
		{`{a:1}`, "not an object key at byte 1"},
		{`[1.]`, "no digit after the decimal point at byte 1"},
		{`[1e]`, "no digit in the exponent at byte 1"},
		{`[x]`, "not a JSON value at byte 1"},
		{`"ab\q"`, "bad escape in a string at byte 3"},
		{"\"abcdefghij\n\"", "control character in a string at byte 11"},
		{`"abc`, "text ends inside a string at byte 4"},
		{`[`, "text ends inside a value at byte 1"},
		{`1 2`, "text after the JSON value at byte 2"},
		{strings.Repeat("[", jstext.MaxDepth+1), "nested deeper than 10000 at byte 10000"},
	}
	for _, tt := range tests {
		if _, err := jstext.Parse(tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("Parse(%.20q): %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, brackets := range []string{"[]", `{"a":}`} {
		open, closing := brackets[:len(brackets)-1], brackets[len(brackets)-1:]
		inner := "1"
		nest := func(n int) string { return strings.Repeat(open, n) + inner + strings.Repeat(closing, n) }
		v, err := jstext.Parse(nest(jstext.MaxDepth))
		if err != nil {
			t.Fatalf("%s at the limit: %v", brackets, err)
		}
		if got := v.JSON(); got != v.Raw() {
			t.Errorf("%s at the limit is written as %.40s…", brackets, got)
		}
		if !jstext.Equal(v, jstext.MustParse(" "+v.Raw()+" ")) || jstext.Equal(v, jstext.MustParse(nest(jstext.MaxDepth-1))) {
			t.Errorf("%s at the limit is compared wrongly", brackets)
		}
		if _, err := jstext.Parse(nest(jstext.MaxDepth + 1)); err == nil {
			t.Errorf("%s beyond the limit is accepted", brackets)
		}
	}
}

func TestWalk(t *testing.T) {
	v := jstext.MustParse(` { "a" : { "b" : [ 1 , "x,]}" , { "c" : true } ] } , "a" : { "b\u0021" : null, "b!" : "last" } , "n" : -0 } `)
	tests := []struct {
		name string
		got  jstext.Value
		raw  string
		kind jstext.Kind
	}{
		{"whole", v, strings.TrimSpace(v.Raw()), jstext.Object},
		{"the last of two", v.Get("a", "b!"), `"last"`, jstext.String},
		{"overwritten", v.Get("a", "b"), "", jstext.Absent},
		{"below nothing", v.Get("x", "y", "z"), "", jstext.Absent},
		{"below a number", v.Get("n", "y"), "", jstext.Absent},
		{"number", v.Get("n"), "-0", jstext.Number},
		{"null", jstext.MustParse("null"), "null", jstext.Null},
		{"bool", jstext.MustParse("false"), "false", jstext.Bool},
		{"array", jstext.MustParse("[]"), "[]", jstext.Array},
		{"no keys", v.Get(), v.Raw(), jstext.Object},
	}
	for _, tt := range tests {
		if tt.got.Raw() != tt.raw || tt.got.Kind() != tt.kind || tt.got.Exists() != (tt.kind != jstext.Absent) {
			t.Errorf("%s: %q of kind %d, want %q of kind %d", tt.name, tt.got.Raw(), tt.got.Kind(), tt.raw, tt.kind)
		}
	}
	var keys []string
	for k, m := range v.Members() {
		keys = append(keys, k+"="+m.Raw())
	}
	want := []string{`a={ "b" : [ 1 , "x,]}" , { "c" : true } ] }`, `a={ "b\u0021" : null, "b!" : "last" }`, `n=-0`}
	if !slices.Equal(keys, want) || v.Len() != 3 {
		t.Errorf("members %q, want %q", keys, want)
	}
	var elements []string
	for e := range jstext.MustParse(`[ 1 , "x,]}" , [ [ ] ] , null ]`).Elements() {
		elements = append(elements, e.Raw())
	}
	if want := []string{`1`, `"x,]}"`, `[ [ ] ]`, `null`}; !slices.Equal(elements, want) {
		t.Errorf("elements %q, want %q", elements, want)
	}
	for range v.Members() { // a walk may be left
		break
	}
	for range jstext.MustParse("[1,2]").Elements() {
		break
	}
	for _, other := range []jstext.Value{{}, jstext.MustParse(`"[1]"`), jstext.MustParse("1")} {
		for range other.Elements() {
			t.Error("an element of", other.Raw())
		}
		for range other.Members() {
			t.Error("a member of", other.Raw())
		}
		if other.Len() != 0 {
			t.Error("a length of", other.Raw())
		}
	}
}

func TestScalars(t *testing.T) {
	text := func(raw string) any { s, ok := jstext.MustParse(raw).Text(); return [2]any{s, ok} }
	integer := func(raw string) any { n, ok := jstext.MustParse(raw).Int(); return [2]any{n, ok} }
	float := func(raw string) any { f, ok := jstext.MustParse(raw).Float(); return [2]any{f, ok} }
	no := [2]any{int64(0), false}
	tests := []struct {
		name      string
		got, want any
	}{
		{"text", text(`"\ud83d\ude00"`), [2]any{smile, true}},
		{"text of a number", text(`1`), [2]any{"", false}},
		{"int", integer(`-12`), [2]any{int64(-12), true}},
		{"int, exponent", integer(`1e1`), [2]any{int64(10), true}},
		{"int, fraction", integer(`5.0`), [2]any{int64(5), true}},
		{"int, negative zero", integer(`-0`), [2]any{int64(0), true}},
		{"int, most", integer(`9007199254740991`), [2]any{int64(jstext.MaxSafeInt), true}},
		{"int, least", integer(`-9007199254740991`), [2]any{int64(-jstext.MaxSafeInt), true}},
		{"int, too large", integer(`9007199254740992`), no},
		{"int, rounds into range", integer(`9007199254740991.4`), [2]any{int64(jstext.MaxSafeInt), true}},
		{"int, huge", integer(`1e400`), no},
		{"int, half", integer(`0.5`), no},
		{"int of a string", integer(`"1"`), no},
		{"int of an object", integer(`{}`), no},
		{"float", float(`0.1`), [2]any{0.1, true}},
		{"float, overflow", float(`-1e400`), [2]any{math.Inf(-1), true}},
		{"float, underflow", float(`1e-400`), [2]any{0.0, true}},
		{"float of null", float(`null`), [2]any{0.0, false}},
		{"true", jstext.MustParse("true").True(), true},
		{"not true", jstext.MustParse(`"true"`).True(), false},
		{"is", jstext.MustParse(`"\u0061"`).Is("a"), true},
		{"is not", jstext.MustParse(`"a"`).Is("b"), false},
		{"absent is nothing", jstext.Value{}.Is(""), false},
		{"-0", jstext.MustParse("-0").IsNegativeZero(), true},
		{"-0.00", jstext.MustParse("-0.00").IsNegativeZero(), true},
		{"-1e-400", jstext.MustParse("-1e-400").IsNegativeZero(), true},
		{"0", jstext.MustParse("0").IsNegativeZero(), false},
		{"-1", jstext.MustParse("-1").IsNegativeZero(), false},
		{"from a string", jstext.FromString(low).Raw(), `"\ude00"`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

// checkParse holds the parser to its laws for any text.
func checkParse(t *testing.T, s string) {
	t.Helper()
	v, err := jstext.Parse(s)
	if want := json.Valid([]byte(s)); (err == nil) != want {
		t.Fatalf("Parse(%q): %v, encoding/json says %v", s, err, want)
	}
	if err != nil {
		return
	}
	once := v.JSON()
	again, err := jstext.Parse(once)
	if err != nil || again.JSON() != once {
		t.Fatalf("%q is written %q and then %q, %v", s, once, again.JSON(), err)
	}
	if !utf8.ValidString(once) && utf8.ValidString(s) {
		t.Fatalf("%q is written %q", s, once)
	}
	if jstext.Valid(s) && (!jstext.Equal(v, again) || !jstext.Equal(again, v)) {
		t.Fatalf("%q is not equal to %q", s, once)
	}
	n := 0
	for range v.Members() {
		n++
	}
	for e := range v.Elements() {
		n++
		if _, err := jstext.Parse(e.Raw()); err != nil {
			t.Fatalf("element %q of %q: %v", e.Raw(), s, err)
		}
	}
	if n != v.Len() {
		t.Fatalf("%q has %d parts and length %d", s, n, v.Len())
	}
}

func TestParseLaws(t *testing.T) {
	for _, s := range append(slices.Clone(jsonTexts), notJSON...) {
		checkParse(t, s)
		for i := range min(len(s), 200) { // each with a byte gone, doubled, changed
			checkParse(t, s[:i]+s[i+1:])
			checkParse(t, s[:i+1]+s[i:])
			checkParse(t, s[:i]+"\xff"+s[i+1:])
		}
	}
}
