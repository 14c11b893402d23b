package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/vectors"
)

func eventsOf(c jstext.Value) []session.Event {
	var out []session.Event
	for e := range c.Get("events").Elements() {
		out = append(out, session.ParseEvent(e))
	}
	return out
}

// foldAll folds events of one version and returns the fold, the replaces as JSON
// and the first error.
func foldAll(version int, events []session.Event) (*session.Fold, string, error) {
	f := session.NewFold(version)
	var w jstext.Writer
	w.BeginArray()
	f.OnReplace = func(r session.Replacement) {
		w.BeginObject()
		for _, m := range []struct {
			key string
			seq int64
		}{{"seq", r.Seq}, {"start", r.Start}, {"end", r.End}} {
			w.Key(m.key)
			w.Int(m.seq)
		}
		w.Key("shadowedSeqs")
		w.BeginArray()
		for _, s := range r.Shadowed {
			w.Int(s)
		}
		w.EndArray()
		w.EndObject()
	}
	for _, ev := range events {
		if err := f.Add(ev); err != nil {
			return f, w.String() + "]", err
		}
	}
	w.EndArray()
	return f, w.String(), nil
}

func seqsJSON(events []session.Event) string {
	var b strings.Builder
	for i, ev := range events {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, ev.Seq)
	}
	return "[" + b.String() + "]"
}

func TestFoldVectors(t *testing.T) {
	vectors.Each(t, "fold.json", func(t *testing.T, c jstext.Value) {
		events := eventsOf(c)
		f, replaces, err := foldAll(0, events)
		if rule, ok := c.Get("error", "rule").Text(); ok {
			got := fault.Of(err)
			if got == nil || got.Rule != rule || got.Kind != fault.Damaged || got.Code != fault.ReadFailed {
				t.Fatalf("got %#v, want rule %q", got, rule)
			}
			if !strings.Contains(got.Message, rule) || !strings.Contains(got.Message, fmt.Sprint(f.Next())) {
				t.Errorf("message %q does not name seq %d and the rule", got.Message, f.Next())
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, want := seqsJSON(f.Nodes()), c.Get("nodes").JSON(); got != want {
			t.Errorf("nodes %s, want %s", got, want)
		}
		if want := c.Get("replacements").JSON(); replaces != want {
			t.Errorf("replacements %s, want %s", replaces, want)
		}
		last := f.CapturedThroughSeq()
		if len(events) == 0 && last != nil || len(events) > 0 && (last == nil || *last != int64(len(events)-1)) {
			t.Errorf("captured through %v of %d events", last, len(events))
		}
	})
}

func TestDeriveVectors(t *testing.T) {
	vectors.Each(t, "derive.json", func(t *testing.T, c jstext.Value) {
		f, _, err := foldAll(0, eventsOf(c))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(session.AppendMessages(nil, f.Nodes())), c.Get("messages").JSON(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestRepairVectors(t *testing.T) {
	vectors.Each(t, "repair.json", func(t *testing.T, c jstext.Value) {
		var r session.Repair
		for _, ev := range eventsOf(c) {
			r.Add(ev)
		}
		var got []string
		for _, ev := range r.Closers() {
			got = append(got, ev.JSON.JSON())
		}
		if want := c.Get("closers").JSON(); "["+strings.Join(got, ",")+"]" != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestTitleVectors(t *testing.T) {
	vectors.Each(t, "title.json", func(t *testing.T, c jstext.Value) {
		kind, _ := c.Get("kind").Text()
		switch kind {
		case "fold":
			checkTitleFold(t, c)
		case "messages":
			checkTitleMessages(t, c)
		default:
			checkTitleText(t, kind, c)
		}
	})
}

func checkTitleFold(t *testing.T, c jstext.Value) {
	events := eventsOf(c)
	got := "null"
	rec, ok := session.LatestTitle(events)
	if ok {
		var w jstext.Writer
		w.BeginObject()
		w.Key("title")
		w.Text(rec.Title)
		w.Key("messageSeqs")
		w.Raw(rec.MessageSeqs)
		w.Key("source")
		w.Raw(rec.Source)
		w.Key("eventSeq")
		w.Int(rec.EventSeq)
		w.Key("updatedAt")
		w.Int(rec.UpdatedAt)
		w.EndObject()
		got = w.String()
	}
	if want := c.Get("result").JSON(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f, _, err := foldAll(0, events)
	if err != nil {
		t.Fatal(err)
	}
	switch title := f.Title(); {
	case ok != (title != nil):
		t.Errorf("the fold has title %v, the events %v", title, ok)
	case ok && *title != rec.Title:
		t.Errorf("the fold has title %q, the events %q", *title, rec.Title)
	}
}

func checkTitleMessages(t *testing.T, c jstext.Value) {
	var through *int64
	if n, ok := c.Get("throughSeq").Int(); ok {
		through = &n
	}
	var w jstext.Writer
	w.BeginArray()
	for _, m := range session.TitleMessages(eventsOf(c), through) {
		w.BeginObject()
		w.Key("seq")
		w.Int(m.Seq)
		w.Key("text")
		w.Text(m.Text)
		w.EndObject()
	}
	w.EndArray()
	if want := c.Get("result").JSON(); w.String() != want {
		t.Errorf("got  %s\nwant %s", w.String(), want)
	}
}

func checkTitleText(t *testing.T, kind string, c jstext.Value) {
	input, _ := c.Get("input").Text()
	var got string
	var err error
	maxBytes, ok := c.Get("maxBytes").Int()
	maxWords, okWords := c.Get("maxWords").Int()
	if !ok || c.Get("maxWords").Exists() && !okWords {
		// A limit that is no integer cannot be passed to a function that takes one.
		if !c.Get("error").True() {
			t.Fatal("a limit is no integer and yet no error is expected")
		}
		return
	}
	switch kind {
	case "normalize":
		got, err = session.NormalizeTitle(input, int(maxBytes))
	case "fallback":
		got, err = session.FallbackTitle(input, int(maxWords), int(maxBytes))
	case "truncate":
		got = session.TruncateUTF8(input, int(maxBytes))
	default:
		t.Fatalf("unknown kind %q", kind)
	}
	if c.Get("error").True() != (err != nil) {
		t.Fatalf("error %v, want %v", err, c.Get("error").True())
	}
	if want, _ := c.Get("result").Text(); err == nil && got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
