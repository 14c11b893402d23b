package reference_test

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/vectors"
)

// surfaceOf reads {session, capturedThroughSeq, events} of a case.
func surfaceOf(t testing.TB, c jstext.Value) *session.Surface {
	t.Helper()
	var w jstext.Writer
	w.BeginObject()
	for _, key := range []string{"session", "capturedThroughSeq", "events"} {
		w.Key(key)
		w.Raw(c.Get(key))
	}
	w.EndObject()
	s, err := session.ParseSurface(w.String())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func statsJSON(s reference.Stats) string {
	var w jstext.Writer
	w.BeginObject()
	w.Key("compacted")
	w.Bool(s.Compacted)
	for _, m := range []struct {
		key string
		n   int
	}{
		{"originalMessages", s.OriginalMessages},
		{"retainedMessages", s.RetainedMessages},
		{"omittedMessages", s.OmittedMessages},
		{"omittedBytes", s.OmittedBytes},
	} {
		w.Key(m.key)
		w.Int(int64(m.n))
	}
	w.Key("truncated")
	w.Bool(s.Truncated)
	w.EndObject()
	return w.String()
}

func TestProjectVectors(t *testing.T) {
	vectors.Each(t, "project.json", func(t *testing.T, c jstext.Value) {
		label, _ := c.Get("label").Text()
		maxBytes, _ := c.Get("maxBytes").Int()
		snap, need, ok := reference.Retain(surfaceOf(t, c), label, int(maxBytes))
		if c.Get("result").Kind() == jstext.Null {
			if ok || need <= int(maxBytes) {
				t.Fatalf("fits, or needs %d of %d bytes", need, maxBytes)
			}
			return
		}
		if !ok {
			t.Fatal("does not fit")
		}
		if want, _ := c.Get("result", "dataJson").Text(); string(snap.JSON) != want {
			t.Errorf("got  %s\nwant %s", snap.JSON, want)
		}
		if got, want := statsJSON(snap.Stats), c.Get("result", "stats").JSON(); got != want {
			t.Errorf("stats %s, want %s", got, want)
		}
	})
}
