package inbox

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func FuzzParseName(f *testing.F) {
	const key = "0123456789abcdef0123456789abcdef"
	for _, s := range []string{
		"0000000000000012.steer." + key + ".0.json", "0000000000000000.send." + key + ".3.dropped.json",
		"0000000000000012.inject." + key + ".-1.json", "9007199254740991.send." + key + ".0.json", "...", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, dir := range []string{newDir, curDir, doneDir} {
			n, ok := parseName(dir, s)
			if ok && (n.String() != s || n.path() != dir+"/"+s || len(s) > 100) {
				t.Errorf("%q in %s was read as %q", s, dir, n.path())
			}
			if !ok && n != (name{}) && n.dir != dir {
				t.Errorf("%q: %v", s, n)
			}
		}
	})
}

// What was frozen is read back as it is, and what is read back was frozen.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`{"id":"a","to":"t","kind":"send","content":[],"source":{"kind":"user"},"contexts":[],"time":0}`,
		`{"id":"\ud800","to":"","kind":"steer","content":[{"type":"text","text":"\u2028<"}],"source":{"kind":"x","n":1.50},"contexts":[{"content":[],"source":{"kind":"y"},"placement":"prompt-prefix","meta":[1]}],"time":1700000000000}`,
		`{"id":"i","to":"\"","kind":"inject","content":[{"type":"x","a":{"b":[-1e3]}}],"source":{"kind":""},"meta":null,"time":-1}`,
		`{"content":[{"type":"text","text":"a"}],"kind":"inject","meta":[-0]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := jstext.Parse(s)
		if err != nil || !jstext.Valid(s) {
			return
		}
		id, _ := v.Get("id").Text()
		to, _ := v.Get("to").Text()
		kind, _ := v.Get("kind").Text()
		r, err := Freeze(Draft{
			ID: id, To: to, Kind: Kind(kind), Content: v.Get("content"), Source: v.Get("source"),
			Contexts: v.Get("contexts"), Meta: v.Get("meta"),
		})
		n := name{ident: ident{7, keyOf(id)}, kind: Kind(kind), attempts: 1, dir: newDir}
		if _, ok := parseRecord(s, to, n); ok && err != nil && jstext.Lossless(v) == nil && checkLossless("", v) == nil {
			t.Fatalf("read but not frozen: %v", err)
		}
		if err != nil {
			return
		}
		n.kind = r.Kind
		text := r.fileText()
		got, ok := parseRecord(text, to, n)
		if !ok {
			t.Fatalf("frozen but not read: %s", text)
		}
		if !got.same(r) || got.fileText() != text || got.ID != id {
			t.Fatalf("froze %s\n read %s", text, got.fileText())
		}
	})
}
