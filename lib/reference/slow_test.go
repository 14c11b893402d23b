package reference_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/reference/headtail"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// slowItem is a message to the plain implementation of retention below.
type slowItem struct {
	reference.Item
	text    string
	omitted int
}

// slowRetain is SPEC 5 word for word: it serialises everything again for each
// message it drops and each cut it makes.
func slowRetain(s *session.Surface, label string, maxBytes int) (string, reference.Stats, bool) {
	var items []*slowItem
	stats := reference.Stats{}
	for _, it := range reference.Conversation(s.Events) {
		items = append(items, &slowItem{Item: it, text: it.Text})
		stats.Compacted = stats.Compacted || it.Checkpoint
	}
	stats.OriginalMessages = len(items)
	for len(slowJSON(s, label, items)) > maxBytes {
		oldest := -1
		for i, it := range items[:max(0, len(items)-1)] {
			if !it.Checkpoint {
				oldest = i
				break
			}
		}
		if oldest < 0 {
			break
		}
		stats.OmittedMessages++
		stats.OmittedBytes += len(items[oldest].text)
		items = append(items[:oldest], items[oldest+1:]...)
	}
	for {
		overflow := len(slowJSON(s, label, items)) - maxBytes
		if overflow <= 0 {
			break
		}
		var longest *slowItem
		for _, it := range items {
			if longest == nil || len(it.text) > len(longest.text) {
				longest = it
			}
		}
		if longest == nil || longest.text == "" {
			return "", reference.Stats{}, false
		}
		text, omitted := slowCut(longest.Item.Text, max(0, len(longest.text)-overflow))
		if text == longest.text {
			return "", reference.Stats{}, false
		}
		longest.text, longest.omitted = text, omitted
	}
	for _, it := range items {
		stats.OmittedBytes += it.omitted
	}
	stats.RetainedMessages = len(items)
	stats.Truncated = stats.OmittedMessages > 0 || stats.OmittedBytes > 0
	return slowJSON(s, label, items), stats, true
}

// slowCut makes every text that the search tries.
func slowCut(text string, target int) (best string, omitted int) {
	omitted = len(text)
	for lo, hi := 0, target; lo <= hi; {
		mid := (lo + hi) / 2
		r, err := headtail.New((mid+1)/2, mid/2)
		if err != nil {
			panic(err)
		}
		r.PushString(text)
		kept := r.Result()
		candidate := fmt.Sprintf("%s\n[… omitted %d UTF-8 bytes …]", kept.Text, kept.Omitted)
		if len(candidate) <= target {
			best, omitted = candidate, int(kept.Omitted)
			lo = mid + 1
		} else {
			hi = mid - 1
		}
	}
	return best, omitted
}

func slowJSON(s *session.Surface, label string, items []*slowItem) string {
	w := jstext.Writer{TagSafe: true}
	w.BeginObject()
	w.Key("sessionId")
	w.Text(s.Header.ID)
	w.Key("label")
	w.Text(label)
	w.Key("cwd")
	w.OptText(s.Header.Cwd)
	w.Key("capturedThroughSeq")
	w.OptInt(s.CapturedThroughSeq)
	w.Key("conversation")
	w.BeginArray()
	for _, it := range items {
		w.BeginObject()
		w.Key("role")
		w.Text(string(it.Role))
		w.Key("text")
		w.Text(it.text)
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	return w.String()
}

// pieces are what random texts are made of: each kind of escape, widths of one to
// four bytes, lone halves of surrogate pairs, and byte order marks.
var pieces = []string{"a", "bc ", "<", "\"", "\\", "\n", "\x00", "é", "日本", "\uFEFF", "🚀", "\xed\xa0\x80", "\xed\xb0\x80", "\uFFFD", "\u2028", "dsh-session:", "@[x](dsh-session:ImEi)", "\x1dsh-session:a"}

func randomText(rng *rand.Rand, n int) string {
	// A text of one piece alone makes ties and steps that mixed ones do not.
	only := rng.IntN(4 * len(pieces))
	var parts []string
	for range n {
		if only < len(pieces) {
			parts = append(parts, pieces[only])
		} else {
			parts = append(parts, pieces[rng.IntN(len(pieces))])
		}
	}
	return jstext.Join(parts...)
}

func randomSurface(rng *rand.Rand) *session.Surface {
	var b session.Builder
	long := 1 + rng.IntN(120)
	for i := range int64(rng.IntN(9)) {
		text := randomText(rng, 1+rng.IntN(long))
		switch rng.IntN(5) {
		case 0:
			b.Checkpoint(i, 1, text)
		case 1, 2:
			b.Assistant(i, 1, text, "p", "m")
		default:
			b.User(i, 1, text)
		}
	}
	var cwd *string
	if rng.IntN(2) == 0 {
		dir := randomText(rng, rng.IntN(5))
		cwd = &dir
	}
	return b.Surface(session.NewHeader(randomText(rng, rng.IntN(5)), 1, cwd), nil, nil)
}

func TestRetainLikePlainImplementation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 8_000 {
		s := randomSurface(rng)
		label := randomText(rng, rng.IntN(4))
		whole, _, _ := slowRetain(s, label, 1<<30)
		// Budgets from nothing to more than enough, most of them where it is tight.
		checkRetain(t, s, label, rng.IntN(len(whole)+50))
		if t.Failed() {
			t.Fatalf("surface %s", s.AppendJSON(nil))
		}
	}
}

// TestRetainAwkwardTexts has texts that a cap on raw bytes, on characters or on
// UTF-16 units gets wrong, in the budget that is usual. Where JSON is longer than
// the text by more than the text is long, the rule leaves nothing of it.
func TestRetainAwkwardTexts(t *testing.T) {
	tests := []struct {
		name, text string
		emptied    bool
	}{
		{"three bytes a character", strings.Repeat("日本語の長い返答", 3_750), false},
		{"escapes", strings.Repeat("<", 12_000), false},
		{"escapes that inflate more", strings.Repeat("<", 12_000) + strings.Repeat("\x01\x1f", 600), true},
		{"joined emoji", strings.Repeat("👩‍👩‍👧‍👦🇫🇷", 3_000), false},
		{"joined emoji, shifted", "x" + strings.Repeat("👩‍👩‍👧‍👦🇫🇷", 3_000) + "y", false},
		{"halves of pairs", strings.Repeat("\xed\xa0\x80 ", 12_000), false},
		{"byte order marks", strings.Repeat(headtail.BOM, 40_000), false},
		{"two bytes a character", strings.Repeat("é", 40_000), false},
	}
	for _, tt := range tests {
		s := oneMessage("id", tt.text)
		checkRetain(t, s, "label", reference.DefaultMaxReferenceBytes)
		snap, _, ok := reference.Retain(s, "label", reference.DefaultMaxReferenceBytes)
		if !ok || !snap.Stats.Truncated || tt.emptied != strings.Contains(string(snap.JSON), `"text":""`) ||
			!tt.emptied && !strings.Contains(string(snap.JSON), "UTF-8 bytes …]") {
			t.Errorf("%s: %v, %d bytes, %+v", tt.name, ok, len(snap.JSON), snap.Stats)
		}
	}
}

// checkRetain compares the two implementations and holds the laws of SPEC 5.
func checkRetain(t *testing.T, s *session.Surface, label string, maxBytes int) {
	t.Helper()
	snap, need, ok := reference.Retain(s, label, maxBytes)
	want, wantStats, wantOK := slowRetain(s, label, maxBytes)
	if ok != wantOK || string(snap.JSON) != want || snap.Stats != wantStats {
		t.Errorf("in %d bytes\ngot  %v %s %+v\nwant %v %s %+v", maxBytes, ok, snap.JSON, snap.Stats, wantOK, want, wantStats)
		return
	}
	if !ok {
		if need <= maxBytes {
			t.Errorf("does not fit into %d bytes, needs %d", maxBytes, need)
		}
		return
	}
	if len(snap.JSON) > maxBytes || !utf8.Valid(snap.JSON) || strings.Contains(string(snap.JSON), "<") {
		t.Errorf("%d bytes of %d: %q", len(snap.JSON), maxBytes, snap.JSON)
	}
	if found, err := sessionuri.Find(string(snap.JSON)); len(found) > 0 || err != nil {
		t.Errorf("mentions %+v, %v in %s", found, err, snap.JSON)
	}
	v, err := jstext.Parse(string(snap.JSON))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, it := range reference.Conversation(s.Events) {
		total += len(it.Text)
	}
	n := 0
	for range v.Get("conversation").Elements() {
		n++
	}
	st := snap.Stats
	if n != st.RetainedMessages || n+st.OmittedMessages != st.OriginalMessages || st.OmittedBytes > total ||
		st.Truncated != (string(snap.JSON) != slowJSON(s, label, slowItems(s))) {
		t.Errorf("%d messages, %d bytes, stats %+v", n, total, st)
	}
}

func slowItems(s *session.Surface) []*slowItem {
	var out []*slowItem
	for _, it := range reference.Conversation(s.Events) {
		out = append(out, &slowItem{Item: it, text: it.Text})
	}
	return out
}

// FuzzRetain makes a conversation of the lines of a text and holds the same laws.
func FuzzRetain(f *testing.F) {
	f.Add("!summary\n?question <b>\nanswer", "label", uint16(150))
	f.Add("\uFEFF日本語\uFEFF\n?\"\\\x00\n!\xed\xa0\x80", "", uint16(90))
	f.Add("?"+strings.Repeat("🚀<", 300), "x", uint16(400))
	f.Add("?see @[x](dsh-session:ImEi)\n"+strings.Repeat("dsh-session:ImEi ", 30), "dsh-session:ImEi", uint16(300))
	f.Fuzz(func(t *testing.T, text, label string, maxBytes uint16) {
		if !jstext.Valid(text) || !jstext.Valid(label) || len(text) > 20_000 {
			return
		}
		var b session.Builder
		seq := int64(0)
		for line := range strings.Lines(text) {
			switch {
			case strings.HasPrefix(line, "!"):
				b.Checkpoint(seq, 1, line[1:])
			case strings.HasPrefix(line, "?"):
				b.User(seq, 1, line[1:])
			default:
				b.Assistant(seq, 1, line, "p", "m")
			}
			seq++
		}
		checkRetain(t, b.Surface(session.NewHeader("id", 1, &label), nil, nil), label, int(maxBytes))
	})
}

// FuzzConversation projects any events: nothing panics, no text is empty, and what
// no person and no model said does not come through.
func FuzzConversation(f *testing.F) {
	f.Add(`{"type":"user/message","seq":0,"data":{"content":[{"type":"text","text":"a"}],"source":{"kind":"user"},"envelope":{"displayContent":[]}}}`)
	f.Add(`{"type":"assistant/message","data":{"message":{"content":[{"type":"text","text":"\ud800"},7,null]}}}`)
	f.Add(`{"type":"context/message","data":{"content":[{"type":"text","text":"SECRET"}],"source":{"kind":"user"}}}`)
	f.Fuzz(func(t *testing.T, line string) {
		v, err := jstext.Parse(jstext.Decode([]byte(line)))
		if err != nil {
			return
		}
		ev := session.ParseEvent(v)
		for _, it := range reference.Conversation([]session.Event{ev}) {
			m := session.MessageOf(ev)
			if it.Text == "" || it.Role != session.User && it.Role != session.Assistant {
				t.Fatalf("%+v", it)
			}
			if it.Role == session.User && !m.ByPerson() && !m.Checkpoint() {
				t.Fatalf("nobody said %q", it.Text)
			}
		}
	})
}
