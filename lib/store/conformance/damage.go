package conformance

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/store"
)

// lastLine is where the last line of a file of lines begins.
func lastLine(content []byte) int {
	return bytes.LastIndexByte(bytes.TrimRight(content, "\n"), '\n') + 1
}

func checkTornTail(t *testing.T, r Reader) {
	s := r.session(1)
	if !r.Lines {
		if r.Tear == nil {
			t.Fatal("neither Lines nor Tear is set, and no reason is given")
		}
		st, at := r.laid(t, s)
		r.Tear(t, at)
		r.wantTorn(t, st, s)
		return
	}
	st, at := r.laid(t, s)
	content := mustRead(t, at.Path)
	start := lastLine(content)
	step := max(1, (len(content)-start)/50)
	for cut := start + 1; cut < len(content)-2; cut += step {
		mustWrite(t, at.Path, content[:cut])
		if reading := r.wantTorn(t, st, s); reading.Receipt.TornTail != int64(cut-start) {
			t.Errorf("cut %d bytes into the last line: torn tail of %d", cut-start, reading.Receipt.TornTail)
		}
		if t.Failed() {
			return
		}
	}
	// A writer that comes back begins a new line, or goes on behind the torn one.
	last := content[start:]
	for how, glue := range map[string]string{"on a new line": "\n", "on the same line": ""} {
		torn := slices.Concat(content[:start], last[:len(last)/2], []byte(glue), last)
		mustWrite(t, at.Path, torn)
		reading := read(t, st, s.ID)
		if glue != "" {
			wantTurns(t, Conversation(t, reading.Surface), turns(s.Messages))
		}
		if reading.Receipt.DamagedRecords == 0 {
			t.Errorf("written again %s: no damage counted", how)
		}
	}
}

// wantTorn reads a session whose last message is torn.
func (r Reader) wantTorn(t testing.TB, st store.Store, s Session) *store.Reading {
	t.Helper()
	reading := read(t, st, s.ID)
	got, all := Conversation(t, reading.Surface), turns(s.Messages)
	// A message may stand on more than one line: then it is there but for its end.
	if !slices.Equal(got, all) {
		wantTurns(t, got, all[:len(all)-1])
	}
	if reading.Receipt.TornTail == 0 || len(reading.Receipt.Notes) == 0 {
		t.Error("the receipt or its notes say nothing of a torn tail")
	}
	return reading
}

// checkLiveWriter reads while the session grows, in pieces that end anywhere.
// Every reading is the conversation up to some message.
func checkLiveWriter(t *testing.T, r Reader) {
	var messages []Message
	for i := range 30 {
		messages = append(messages, User("question "+itoa(int64(i))), Assistant("answer "+itoa(int64(i))))
	}
	s := r.session(1, messages...)
	root := t.TempDir()
	first := s
	first.Messages = s.Messages[:2]
	at := r.Lay(t, root, first)
	st := r.open(t, root)
	all := turns(s.Messages)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r.Lines {
			r.grow(t, at, s)
			return
		}
		for n := 2; n <= len(s.Messages); n++ {
			r.Grow(t, root, s, n)
		}
	}()
	least := 2
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		got := Conversation(t, read(t, st, s.ID).Surface)
		if len(got) < least || len(got) > len(all) || !slices.Equal(got, all[:len(got)]) {
			t.Errorf("after %d messages, read %v", least, got)
			<-done
			return
		}
		least = len(got)
	}
	if least != len(all) {
		t.Errorf("in the end %d messages are read, want %d", least, len(all))
	}
}

// grow appends what a longer session has more, seven bytes at a time.
func (r Reader) grow(t testing.TB, at Laid, s Session) {
	longer := mustRead(t, r.Lay(t, t.TempDir(), s).Path)
	f, err := os.OpenFile(at.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	now := mustRead(t, at.Path)
	if !bytes.HasPrefix(longer, now) {
		t.Error("a longer session is not laid as the shorter one with more behind it")
		return
	}
	for rest := longer[len(now):]; len(rest) > 0; {
		n, err := f.Write(rest[:min(7, len(rest))])
		if err != nil {
			t.Error(err)
			return
		}
		rest = rest[n:]
	}
}

func checkDamaged(t *testing.T, r Reader) {
	s := r.session(1, User("one"), Assistant("two"), User("DAMAGED"), Assistant("four"), User("five"), Assistant("six"))
	want := slices.Delete(turns(s.Messages), 2, 3)
	if !r.Lines {
		if r.Damage == nil {
			t.Fatal("neither Lines nor Damage is set, and no reason is given")
		}
		st, at := r.laid(t, s)
		r.Damage(t, at, "DAMAGED")
		r.wantDamaged(t, st, s, want)
		return
	}
	st, at := r.laid(t, s)
	content := string(mustRead(t, at.Path))
	for how, spoil := range map[string]func(line string) string{
		"half a line":         func(line string) string { return line[:len(line)/2] },
		"a control character": func(line string) string { return strings.Replace(line, "DAMAGED", "DAM\x01GED", 1) },
		"a bad escape":        func(line string) string { return strings.Replace(line, "DAMAGED", `DAM\qGED`, 1) },
		"zeros":               func(line string) string { return "{" + strings.Repeat("\x00", len(line)-1) },
		"other text":          func(line string) string { return "segmentation fault (core dumped)" },
	} {
		var out strings.Builder
		for line := range strings.Lines(content) {
			if strings.Contains(line, "DAMAGED") {
				line = spoil(strings.TrimSuffix(line, "\n")) + "\n"
			}
			out.WriteString(line)
		}
		mustWrite(t, at.Path, []byte(out.String()))
		r.wantDamaged(t, st, s, want)
		if t.Failed() {
			t.Fatalf("with %s in the place of a record", how)
		}
	}
}

// checkNULs puts what a power cut leaves between records, and at the end of a file.
func checkNULs(t *testing.T, r Reader) {
	if !r.Lines {
		t.Skip("not a file of lines")
	}
	s := r.session(1, User("one"), Assistant("two"), User("three"), Assistant("four"))
	st, at := r.laid(t, s)
	content := string(mustRead(t, at.Path))
	zeros := strings.Repeat("\x00", 512)
	start := lastLine([]byte(content))
	for where, spoiled := range map[string]string{
		"at the end":        content + zeros,
		"on a line":         content[:start] + zeros + "\n" + content[start:],
		"before a record":   content[:start] + zeros + content[start:],
		"before everything": zeros + content,
		"in two runs":       content[:start] + zeros[:256] + content[start:] + zeros[:256],
	} {
		mustWrite(t, at.Path, []byte(spoiled))
		reading := read(t, st, s.ID)
		wantTurns(t, Conversation(t, reading.Surface), turns(s.Messages))
		told := slices.ContainsFunc(reading.Receipt.Notes, func(note string) bool { return strings.HasPrefix(note, "512 NUL bytes passed over") })
		if reading.Receipt.DamagedRecords == 0 || !told {
			t.Errorf("NULs %s: %d damaged, notes %q", where, reading.Receipt.DamagedRecords, reading.Receipt.Notes)
		}
		entries, _ := list(t, st)
		wantIDs(t, entries, r.full(s.ID))
	}
}

func (r Reader) wantDamaged(t testing.TB, st store.Store, s Session, want []Turn) {
	t.Helper()
	reading, err := st.Read(context.Background(), find(t, st, s.ID), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantTurns(t, Conversation(t, reading.Surface), want)
	if reading.Receipt.DamagedRecords == 0 || len(reading.Receipt.Notes) == 0 {
		t.Error("the receipt or its notes say nothing of a damaged record")
	}
	entries, _ := list(t, st)
	wantIDs(t, entries, r.full(s.ID))
}
