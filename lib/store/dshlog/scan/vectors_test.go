package scan_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/record"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
)

const testdata = "../../../../testdata"

func vectors(t testing.TB) []jstext.Value {
	data, err := os.ReadFile(testdata + "/vectors/scan-log.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jstext.Parse(jstext.Decode(data))
	if err != nil {
		t.Fatal(err)
	}
	cases := slices.Collect(v.Get("cases").Elements())
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	return cases
}

// bytesOf is the log of a case.
func bytesOf(t testing.TB, c jstext.Value) []byte {
	if text, ok := c.Get("text").Text(); ok {
		return []byte(text)
	}
	b64, _ := c.Get("base64").Text()
	b, err := base64.StdEncoding.DecodeString(b64)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tagged(c jstext.Value, tag string) bool {
	for v := range c.Get("tags").Elements() {
		if v.Is(tag) {
			return true
		}
	}
	return false
}

func file(b []byte) scan.Source { return scan.Source{At: bytes.NewReader(b), Size: int64(len(b))} }

func TestVectors(t *testing.T) {
	for _, c := range vectors(t) {
		name, _ := c.Get("case").Text()
		for _, opts := range []struct {
			name string
			scan.Options
		}{{"", scan.Options{}}, {"/plain", scan.Options{Plain: true}}} {
			t.Run(name+opts.name, func(t *testing.T) {
				res, err := scan.Scan(context.Background(), file(bytesOf(t, c)), opts.Options)
				if tagged(c, "null-line") {
					checkNullLine(t, bytesOf(t, c), res, err)
					return
				}
				if want, failing := c.Get("error", "rule").Text(); failing {
					var f *fault.Error
					if !errors.As(err, &f) || f.Rule != want || f.Kind != fault.Damaged {
						t.Fatalf("error %v, want the rule %q", err, want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				checkResult(t, c, res)
			})
		}
	}
}

func checkResult(t *testing.T, c jstext.Value, res *scan.Result) {
	t.Helper()
	want := c.Get("result")
	events, _ := want.Get("eventCount").Int()
	committed, _ := want.Get("committedBytes").Int()
	if tagged(c, "invalid-utf8-inside-string") {
		// The reference counts the bytes of the decoded text, in which the one bad
		// byte has become the three of U+FFFD. A writer that would cut the file there
		// cuts two bytes of a record: we count the file's.
		committed -= 2
	}
	if got := res.Header.JSON.JSON(); got != want.Get("header").JSON() {
		t.Errorf("header %s, want %s", got, want.Get("header").JSON())
	}
	if res.Events != events || res.Committed != committed {
		t.Errorf("%d events in %d bytes, want %d in %d", res.Events, res.Committed, events, committed)
	}
	last, ok := want.Get("lastSeq").Int()
	if got := res.LastSeq(); (got != nil) != ok || ok && *got != last {
		t.Errorf("last seq %v, want %s", got, want.Get("lastSeq").Raw())
	}
	if err := record.CheckHeader(res.Header); (err != nil) != (tagged(c, "accepted-by-scan") && !isFormat1(res)) {
		if !tagged(c, "header-fraction-created") { // taken by the scan, and no safe integer
			t.Errorf("CheckHeader: %v", err)
		}
	}
}

// isFormat1 is true for a log that the reference's later layer rejects because it
// reads format 0 only, where this toolkit reads 1 too.
func isFormat1(res *scan.Result) bool { return res.Header.Version == 1 }

// The reference fails on the line "null" wherever it stands, because it looks for
// the seq of nothing (tag reference-bug). FORMATS-dsh says what a record without
// the next seq is: corruption where a turn/end follows, else a damaged tail.
func checkNullLine(t *testing.T, log []byte, res *scan.Result, err error) {
	t.Helper()
	before, after, _ := bytes.Cut(log, []byte("\nnull\n"))
	if bytes.Contains(after, []byte("turn/end")) {
		var f *fault.Error
		if !errors.As(err, &f) || f.Rule != "null-record" || f.Kind != fault.Damaged {
			t.Errorf("error %v, want the rule null-record", err)
		}
		return
	}
	events := int64(bytes.Count(before, []byte("\n")))
	if err != nil || res.Events != events || res.Committed != int64(len(before))+1 || len(res.Damage) != 1 {
		t.Errorf("%+v, %v, want %d events in %d bytes", res, err, events, len(before)+1)
	}
}
