package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
)

func TestCheckHeader(t *testing.T) {
	for _, c := range []struct {
		name, line string
		kind       fault.Kind // Unexpected: no error
		message    string
	}{
		{"plain", `{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}`, 0, ""},
		{"all keys", `{"type":"session","version":4,"id":"x","createdAt":1,"cwd":"/a","parentSession":"p","isSeeded":true,"origin":{"kind":"x"},"delegationDepth":2}`, 0, ""},
		{"windows cwd", `{"type":"session","version":4,"id":"x","createdAt":1,"cwd":"C:\\a","delegationDepth":0}`, 0, ""},
		{"share cwd", `{"type":"session","version":4,"id":"x","createdAt":1,"cwd":"\\\\host\\a","delegationDepth":0}`, 0, ""},
		{"newer", `{"type":"session","version":5,"id":"x","createdAt":1,"delegationDepth":0}`, fault.Unsupported, "session format 5 is newer than this tool reads (4)"},
		{"much newer", `{"type":"session","version":1e300,"id":"x","createdAt":1,"delegationDepth":0}`, fault.Unsupported, "newer than this tool reads (4)"},
		{"newer with other keys", `{"type":"session","version":7,"id":"","createdAt":1.5,"cwd":7,"delegationDepth":0}`, fault.Unsupported, "format 7"},
		{"negative version", `{"type":"session","version":-3,"id":"x","createdAt":1,"delegationDepth":0}`, fault.Damaged, "version -3 is no format"},
		{"half version", `{"type":"session","version":0.5,"id":"x","createdAt":1,"delegationDepth":0}`, fault.Damaged, "version 0.5 is no format"},
		{"empty id", `{"type":"session","version":0,"id":"","createdAt":1,"delegationDepth":0}`, fault.Damaged, "id"},
		{"half createdAt", `{"type":"session","version":0,"id":"x","createdAt":1.5,"delegationDepth":0}`, fault.Damaged, "createdAt"},
		{"negative createdAt", `{"type":"session","version":0,"id":"x","createdAt":-1,"delegationDepth":0}`, fault.Damaged, "createdAt"},
		{"null cwd", `{"type":"session","version":0,"id":"x","createdAt":1,"cwd":null,"delegationDepth":0}`, fault.Damaged, "cwd"},
		{"number cwd", `{"type":"session","version":0,"id":"x","createdAt":1,"cwd":5,"delegationDepth":0}`, fault.Damaged, "cwd"},
		{"relative cwd", `{"type":"session","version":0,"id":"x","createdAt":1,"cwd":"a/b","delegationDepth":0}`, fault.Damaged, "cwd"},
		{"parent", `{"type":"session","version":0,"id":"x","createdAt":1,"parentSession":7,"delegationDepth":0}`, fault.Damaged, "parentSession"},
		{"seed length", `{"type":"session","version":0,"id":"x","createdAt":1,"seedLength":-2,"delegationDepth":0}`, fault.Damaged, "seedLength"},
		{"seed length of another format", `{"type":"session","version":2,"id":"x","createdAt":1,"seedLength":-2,"delegationDepth":0}`, 0, ""},
		{"seeded", `{"type":"session","version":2,"id":"x","createdAt":1,"isSeeded":1,"delegationDepth":0}`, fault.Damaged, "isSeeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := record.ParseHeader([]byte(c.line))
			if err != nil {
				t.Fatal(err)
			}
			err = record.CheckHeader(h)
			if c.message == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.message) {
				t.Errorf("error %v, want kind %d with %q", err, c.kind, c.message)
			}
		})
	}
}

func TestHeaderPrinted(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{
			`{"delegationDepth":0,"origin":null,"isSeeded":true,"seedLength":3,"parentSession":"p","cwd":"/a","createdAt":1e0,"id":"\u0041","version":1,"type":"session","title":"t"}`,
			`{"version":1,"id":"A","createdAt":1,"cwd":"/a","parentSession":"p","seedLength":3,"origin":null,"delegationDepth":0}`,
		},
		{
			`{"type":"session","version":2,"id":"\ud800","createdAt":1,"isSeeded":true,"seedLength":3,"delegationDepth":0}`,
			`{"version":2,"id":"\ud800","createdAt":1,"isSeeded":true,"delegationDepth":0}`,
		},
	} {
		h, err := record.ParseHeader([]byte(c.line))
		if err != nil || h.JSON.JSON() != c.want {
			t.Errorf("%s, %v\nwant %s", h.JSON.JSON(), err, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name    string
		version int
		line    string
		want    string // see describe
	}{
		{"log-only", 0, `{"type":"turn/start","seq":7,"time":1,"data":{}}`, "7+1"},
		{"turn end", 0, `{"type":"turn/end","seq":7,"time":1,"data":{}}`, "7+1 end"},
		{"turn end, other order", 0, `{"seq":7,"type":"turn/end"}`, "7+1 end"},
		{"escaped type", 0, `{"type":"turn\/end","seq":7}`, "7+1 end"},
		{"user message", 0, `{"type":"user/message","seq":7,"time":1,"data":{}}`, "7+1 fold user/message"},
		{"user message, escaped", 0, `{"type":"user\u002fmessage","seq":7}`, "7+1 fold user/message"},
		{"title", 0, `{"type":"session/title","seq":7,"data":{"title":"x"}}`, "7+1 fold session/title"},
		{"steering in format 0", 0, `{"type":"steering/message","seq":7}`, "7+1 fold steering/message"},
		{"steering in format 1", 1, `{"type":"steering/message","seq":7}`, "7+1 unknown steering/message"},
		{"system message", 3, `{"type":"system/message","seq":7}`, "7+1 fold system/message"},
		{"developer message", 4, `{"type":"developer/message","seq":7}`, "7+1 fold developer/message"},
		{"developer message in format 3", 3, `{"type":"developer/message","seq":7}`, "7+1 unknown developer/message"},
		{"chunk with surfaceOp", 0, `{"type":"assistant/chunk","seq":7,"surfaceOp":"append"}`, "7+1 fold assistant/chunk"},
		{"unknown with sources", 0, `{"type":"x/y","seq":7,"sourceEventSeqs":[1]}`, "7+1 fold x/y"},
		{"unknown", 4, `{"type":"x/y","seq":7}`, "7+1 unknown x/y"},
		{"unknown, ignorable", 4, `{"type":"x/y","seq":7,"ignorable":true}`, "7+1"},
		{"unknown, not ignorable", 4, `{"type":"x/y","seq":7,"ignorable":false}`, "7+1 unknown x/y"},
		{"row", 0, `{"type":"text-chunks","seq0":7,"time0":5,"data":{"turn":1,"step":1,"index":0,"dt":[1,1],"texts":["a","b","c"]}}`, "7+3"},
		{"row in format 1", 1, `{"type":"text-chunks","seq0":7,"time0":5,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}}`, "7+2"},
		{"row in format 2", 2, `{"type":"text-chunks","seq0":7,"time0":5,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}}`, "none+1 unknown text-chunks"},
		{"bad row", 0, `{"type":"text-chunks","seq0":7}`, "error"},
		{"seq as 5.0", 0, `{"type":"turn/start","seq":5.0}`, "5+1"},
		{"seq above 2^53", 0, `{"type":"turn/start","seq":9007199254740993}`, "9007199254740993+1"},
		{"seq text", 0, `{"type":"turn/start","seq":"0"}`, `"0"+1`},
		{"no seq", 0, `{"type":"turn/start"}`, "none+1"},
		{"seq object", 0, `{"type":"turn/start","seq":{}}`, "something that is no number+1"},
		{"scalar", 0, `5`, "a record that is no object+1"},
		{"null", 0, `null`, "null+1 null"},
		{"type no text", 0, `{"type":5,"seq":0}`, "0+1"},
		{"blank", 0, ``, "error"},
		{"carriage return", 0, "{\"type\":\"turn/end\",\"seq\":7}\r", "7+1 end"},
		{"two on a line", 0, `{"type":"turn/end","seq":7}{"type":"turn/end","seq":8}`, "error"},
		{"surface type, not JSON", 0, `{"type":"user/message","seq":7`, "error"},
		{"not UTF-8", 0, "{\"type\":\"user/message\",\"seq\":7,\"data\":\"\xff\xe2\x28\"}", "7+1 fold user/message \"\ufffd\ufffd(\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record.Reader{Version: c.version}
			rec, err := r.Read([]byte(c.line))
			if got := describe(rec, err); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func describe(rec record.Record, err error) string {
	if err != nil {
		return "error"
	}
	s := fmt.Sprint(rec.Seq)
	if rec.Seq < 0 {
		s = rec.Got
	}
	s += fmt.Sprint("+", rec.Len)
	if rec.End {
		s += " end"
	}
	if rec.Null {
		s += " null"
	}
	if rec.Fold {
		s += " fold " + rec.Event.Type
		if rec.Event.Data.Kind() == jstext.String {
			s += " " + rec.Event.Data.Raw()
		}
	}
	if rec.Unknown != "" {
		s += " unknown " + rec.Unknown
	}
	return s
}

// A record must not change when its line's bytes do.
func TestReadKeepsNothing(t *testing.T) {
	for _, line := range []string{
		`{"type":"user/message","seq":7,"time":1,"data":{"a":"b"}}`, `{"type":"other/thing","seq":"x"}`,
		`{"type":"assistant/chunk","seq":1,"time":2,"data":{"chunk":{"text":"abc"}},"surfaceOp":1}`,
	} {
		var r record.Reader
		buf := []byte(line)
		rec, err := r.Read(buf)
		before := describe(rec, err) + rec.Event.JSON.Raw()
		for i := range buf {
			buf[i] = 'X'
		}
		if after := describe(rec, err) + rec.Event.JSON.Raw(); after != before {
			t.Errorf("%s became %s", before, after)
		}
	}
}

var chunkLines = []string{
	`{"type":"assistant/chunk","seq":%d,"time":%d,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"%s"}}}`,
	`{"type":"assistant/chunk","seq":%d,"time":%d,"data":{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":"%s"}}}`,
	` {"type":"assistant/chunk","seq":%d,"time":%d,"data":{"chunk":{"index":0,"text":"%s","type":"reasoning-delta"},"step":1,"turn":2},"ignorable":true}` + "\r",
	`{"seq":%d,"type":"assistant/chunk","time":%d,"data":{"chunk":{"text":"%s","text":"x"}}}`,
}

func TestPass(t *testing.T) {
	for _, format := range chunkLines[:3] {
		var r record.Reader
		if n, next := r.Pass([]byte(fmt.Sprintf(format, 0, 5, "a")+"\n"), 0); n != 0 || next != 0 {
			t.Fatalf("passed %d bytes without having read a line", n)
		}
		if _, err := r.Read(fmt.Appendf(nil, format, 0, 5, "a")); err != nil {
			t.Fatal(err)
		}
		var buf []byte
		for i, text := range []string{"", "some text", `\u00e9\n\"\\`, "\xff\xfe", "\u2028", strings.Repeat("long ", 1000)} {
			buf = append(fmt.Appendf(buf, format, 98+i, i*1000, text), '\n')
		}
		if n, next := r.Pass(buf, 98); n != len(buf) || next != 104 {
			t.Errorf("%s: passed %d of %d bytes, through %d", format, n, len(buf), next)
		}
		allocs := testing.AllocsPerRun(10, func() { r.Pass(buf, 98) })
		if allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
		for _, bad := range []string{"\x01", `\x`, `\u12`, `\u123g`, `a"`, `a","b":"c`, `\`, "a\nb"} {
			line := append(fmt.Appendf(nil, format, 98, 5, bad), '\n')
			if n, _ := r.Pass(line, 98); n != 0 {
				t.Errorf("passed a line with the text %q", bad)
			}
		}
		line := append(fmt.Appendf(nil, format, 98, 5, "a"), '\n')
		for i := range line {
			if n, _ := r.Pass(line[:i], 98); n != 0 {
				t.Errorf("passed a line that is cut at %d", i)
			}
		}
		if n, _ := r.Pass(line, 99); n != 0 {
			t.Error("passed a line with another seq")
		}
		if n, _ := r.Pass(line, -1); n != 0 {
			t.Error("passed a line without a seq to expect")
		}
		if n, _ := r.Pass(bytes.Replace(line, []byte(`:98,`), []byte(`:098,`), 1), 98); n != 0 {
			t.Error("passed a seq with a leading zero")
		}
	}
}

// The numbers behind a text, and those of small records, change from turn to turn.
func TestPassRenumbers(t *testing.T) {
	chunk := func(tail string) string {
		return `{"type":"assistant/chunk","seq":7,"time":5,"data":{"chunk":{"text":"a"}` + tail + `}}`
	}
	step := func(tail string) string { return `{"type":"step/start","seq":7,"time":5,"data":{` + tail + `}}` }
	for _, c := range []struct {
		learnt, line string
		passed       bool
	}{
		{chunk(`,"turn":9`), chunk(`,"turn":10`), true},
		{chunk(`,"turn":10,"step":3`), chunk(`,"turn":9,"step":11`), true},
		{chunk(`,"turn":9`), chunk(`,"turn":09`), false},
		{chunk(`,"turn":9`), chunk(`,"turn":`), false},
		{chunk(`,"turn":9`), chunk(`,"turn":9e`), false},
		{chunk(`,"turn":9`), chunk(`,"turn":9,"x":1`), false},
		{chunk(`,"turn":9`), chunk(`,"turn":1234567890123456`), false}, // no safe integer
		{chunk(`,"turn":1.50`), chunk(`,"turn":1.5`), true},
		{chunk(`,"turn":1.5`), chunk(`,"turn":1.05`), false}, // it could be passed
		{chunk(`,"\u0074":9`), chunk(`,"\u0075":9`), false},
		{step(`"turn":1,"step":2`), step(`"turn":12,"step":1`), true},
		{step(`"turn":1`), step(`"turn":01`), false},
		{step(`"turn":1`), step(`"turn":1,"step":2`), false},
		{step(`"turn":1`), step(`"\u0074urn":1`), false},
		{step(`"turn":1`), strings.Replace(step(`"turn":1`), `"time":5`, `"time":6789`, 1), true},
		{step(`"turn":1`), strings.Replace(step(`"turn":1`), `start`, `end`, 1), false},
		{step(`"x":"` + strings.Repeat("long", 200) + `"`), step(`"x":"` + strings.Repeat("long", 200) + `"`), false},
		{`{"type":"turn/end","seq":7,"time":5}`, `{"type":"turn/end","seq":7,"time":5}`, false},
		{`{"type":"other/thing","seq":7,"time":5}`, `{"type":"other/thing","seq":7,"time":5}`, false},
	} {
		var r record.Reader
		if _, err := r.Read([]byte(c.learnt)); err != nil {
			t.Fatal(err)
		}
		line := c.line + "\n"
		n, _ := r.Pass([]byte(line), 7)
		if passed := n == len(line); passed != c.passed || n != 0 && !passed {
			t.Errorf("learnt %s: passed %d bytes of %s", c.learnt, n, line)
		}
	}
}

// Passing over lines must be the same as reading each of them.
func checkPass(t *testing.T, version int, buf []byte, next int64) {
	fast, plain := record.Reader{Version: version}, record.Reader{Version: version, Plain: true}
	for len(buf) > 0 {
		n, follows := fast.Pass(buf, next)
		passed := buf[:n]
		for len(passed) > 0 {
			end := bytes.IndexByte(passed, '\n')
			if end < 0 {
				t.Fatalf("passed half a line: %q", passed)
			}
			rec, err := plain.Read(passed[:end])
			if got := describe(rec, err); got != fmt.Sprint(next, "+1") {
				t.Fatalf("passed %q, which is %s; %d was next", passed[:end], got, next)
			}
			passed = passed[end+1:]
			next++
		}
		if next != follows {
			t.Fatalf("Pass says that %d follows, not %d", follows, next)
		}
		buf = buf[n:]
		end := bytes.IndexByte(buf, '\n')
		if end < 0 {
			return
		}
		a, errA := fast.Read(buf[:end])
		b, errB := plain.Read(buf[:end])
		if describe(a, errA) != describe(b, errB) || a.Event.JSON.Raw() != b.Event.JSON.Raw() {
			t.Fatalf("%q read as %s, plainly as %s", buf[:end], describe(a, errA), describe(b, errB))
		}
		if errA == nil && a.Seq >= 0 {
			next = a.Seq + a.Len
		}
		buf = buf[end+1:]
	}
}

func generate(r *rand.Rand) []byte {
	var buf []byte
	texts := []string{"", "a", "word ", `\"`, `\\`, `\u0041`, "重", "\xff", "<b>", `a","b":"`}
	for seq := r.IntN(200); len(buf) < 3000; seq++ {
		format := chunkLines[r.IntN(len(chunkLines))]
		for range r.IntN(5) + 1 {
			buf = append(fmt.Appendf(buf, format, seq, r.IntN(2000), texts[r.IntN(len(texts))]), '\n')
			seq++
		}
		for _, typ := range []string{"step/end", "turn/end", "turn/start", "step/start"} {
			if typ == "turn/end" || r.IntN(3) > 0 {
				buf = append(fmt.Appendf(buf, `{"type":%q,"seq":%d,"time":%d,"data":{"turn":%d}}`, typ, seq, r.IntN(2000), r.IntN(12)), '\n')
				seq++
			}
		}
		seq--
	}
	for _, old := range []string{`"turn":1,`, `"turn":2}`} { // of chunks
		for bytes.Contains(buf, []byte(old)) {
			buf = bytes.Replace(buf, []byte(old), fmt.Appendf(nil, `"turn": %d%c`, r.IntN(120), old[len(old)-1]), r.IntN(20)+1)
		}
	}
	return buf
}

func TestPassIsRead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		buf := generate(r)
		checkPass(t, 0, buf, 0)
		for range 10 {
			b := bytes.Clone(buf)
			for range r.IntN(4) + 1 {
				i := r.IntN(len(b))
				switch r.IntN(3) {
				case 0:
					b[i] = byte(r.IntN(256))
				case 1:
					b = append(b[:i], b[i+1:]...)
				case 2:
					b[i] = `{}[]",:\0198nue`[r.IntN(15)]
				}
			}
			checkPass(t, r.IntN(5), b, 0)
		}
	}
}

func FuzzPass(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		f.Add(uint8(r.IntN(5)), generate(r)[:800])
	}
	f.Fuzz(func(t *testing.T, version uint8, buf []byte) {
		checkPass(t, int(version%5), buf, 0)
	})
}

func FuzzHeader(f *testing.F) {
	f.Add([]byte(`{"type":"session","version":4,"id":"x","createdAt":1,"cwd":"/a","isSeeded":true,"delegationDepth":2}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		h, err := record.ParseHeader(line)
		if err == nil {
			err = record.CheckHeader(h)
		}
		var f *fault.Error
		if err != nil && (!errors.As(err, &f) || f.Rule == "") {
			t.Fatalf("error without a rule: %v", err)
		}
		if err == nil && (h.Version < 0 || h.Version > record.MaxVersion || h.ID == "") {
			t.Fatalf("took %q", line)
		}
	})
}

func BenchmarkPass(b *testing.B) {
	var buf []byte
	var r record.Reader
	for i := range 5000 {
		line := fmt.Appendf(nil, `{"type":"assistant/chunk","seq":%d,"time":%d,"data":{"chunk":{"index":0,"text":"%s","type":"text-delta"},"step":1,"turn":1}}`,
			1_000_000+i, 1_780_000_000_000+i*37, []string{"waits ", "off 锁", "y off", ` \u003ctag`, " so a of"}[i%5])
		if _, err := r.Read(line); err != nil {
			b.Fatal(err)
		}
		buf = append(append(buf, line...), '\n')
	}
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		if n, _ := r.Pass(buf, 1_000_000); n != len(buf) {
			b.Fatal(n)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	data, err := os.ReadFile("../../../../testdata/fixtures/dsh/formats/v4/raw/--home-dev-api-server--/fmt-v4-raw/session.v4.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))[1:]
	r := record.Reader{Version: 4}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			if _, err := r.Read(line); err != nil {
				b.Fatal(err)
			}
		}
	}
}
