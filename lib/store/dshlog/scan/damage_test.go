package scan_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
)

const header = `{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}` + "\n"

func event(typ string, seq int) string {
	return fmt.Sprintf(`{"type":%q,"seq":%d,"time":1,"data":{}}`+"\n", typ, seq)
}

func user(seq int, text string) string {
	return fmt.Sprintf(`{"type":"user/message","seq":%d,"time":1,"data":{"content":[{"type":"text","text":%q}],"source":{"kind":"user"}},"surfaceOp":"append"}`+"\n", seq, text)
}

func frames(parts ...string) [][]byte {
	var out [][]byte
	for _, p := range parts {
		out = append(out, encoder.EncodeAll([]byte(p), nil))
	}
	return out
}

func join(f [][]byte) []byte { return bytes.Join(f, nil) }

func scanAll(t *testing.T, log []byte, all bool) (*scan.Result, error) {
	t.Helper()
	return scan.Scan(context.Background(), file(log), scan.Options{All: all})
}

func wantRule(t *testing.T, err error, kind fault.Kind, rule string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Rule != rule || f.Kind != kind {
		t.Errorf("error %v, want the rule %q", err, rule)
	}
}

func TestBadFrame(t *testing.T) {
	f := frames(header, user(0, "a")+event("turn/end", 1), user(2, "b"), event("turn/end", 3))
	spoiled := func(i int, g [][]byte) []byte {
		g = append([][]byte(nil), g...)
		g[i] = bytes.Clone(g[i])
		g[i][len(g[i])-1] ^= 0x40 // in the checksum
		return join(g)
	}
	t.Run("a turn/end behind it", func(t *testing.T) {
		res, err := scanAll(t, spoiled(1, f), false)
		wantRule(t, err, fault.Damaged, "committed-frame")
		if want := fmt.Sprintf("zstd frame at byte %d", len(f[0])); !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name the %s", err, want)
		}
		if res.Events != 0 {
			t.Errorf("%d events count", res.Events)
		}
	})
	t.Run("a turn/end in it only", func(t *testing.T) {
		// The frame's own bytes prove nothing.
		res, err := scanAll(t, spoiled(3, f), false)
		if err != nil || res.Events != 3 || len(res.Damage) != 1 || res.Damage[0].Rule != "frame" || res.Damage[0].Committed {
			t.Errorf("%+v, %v, want the three events before it", res, err)
		}
	})
	t.Run("the header's", func(t *testing.T) {
		_, err := scanAll(t, spoiled(0, f), false)
		wantRule(t, err, fault.Damaged, "no-header")
	})
	t.Run("bytes that are no frame", func(t *testing.T) {
		g := append(append([][]byte(nil), f[:2]...), []byte("garbage"), f[2], f[3])
		_, err := scanAll(t, join(g), false)
		wantRule(t, err, fault.Damaged, "committed-frame")
		res, err := scanAll(t, join(g[:3]), false)
		if err != nil || res.Events != 2 || len(res.Damage) != 1 {
			t.Errorf("at the end: %+v, %v", res, err)
		}
	})
	t.Run("a line that went on into it", func(t *testing.T) {
		line := user(2, "b")
		g := frames(header, user(0, "a")+event("turn/start", 1)+line[:20], line[20:]+user(3, "c"), user(4, "d")+user(5, "e"))
		res, err := scanAll(t, spoiled(2, g), false)
		if err != nil || res.Events != 2 || res.Dropped != 2 || res.Torn != 0 {
			t.Errorf("%+v, %v, want two events, two dropped", res, err)
		}
	})
}

// Whatever byte of a log in zstd is spoiled, what is read is the log's beginning,
// or an error.
func TestEveryByteSpoiled(t *testing.T) {
	var parts []string
	parts = append(parts, header)
	seq := 0
	for range 5 {
		part := ""
		for range 3 {
			part += user(seq, fmt.Sprint("text ", seq)) + event("assistant/chunk", seq+1)
			seq += 2
		}
		parts = append(parts, part+event("turn/end", seq))
		seq++
	}
	log := join(frames(parts...))
	want := strings.Join(parts, "")
	for i := range log {
		for _, flip := range []byte{0x01, 0xFF} {
			b := bytes.Clone(log)
			b[i] ^= flip
			var fold *session.Fold
			res, err := scan.Scan(context.Background(), file(b), scan.Options{Begin: func(h session.Header) (scan.Sink, error) {
				fold = session.NewFold(h.Version)
				return fold, nil
			}})
			if err != nil {
				continue
			}
			if res.Committed > int64(len(want)) || strings.Count(want[:res.Committed], "\n") != int(res.Events)+1 {
				t.Fatalf("byte %d: %+v", i, res)
			}
			if res.Events != int64(seq) && len(res.Damage) == 0 && res.Torn == 0 {
				t.Fatalf("byte %d: %d of %d events, and nothing is said", i, res.Events, seq)
			}
			for _, ev := range fold.Nodes() {
				if !strings.Contains(want, ev.JSON.Raw()) {
					t.Fatalf("byte %d: read %s", i, ev.JSON.Raw())
				}
			}
		}
	}
}

// A log may be cut anywhere: what is read is what was whole before the cut.
func TestCutAnywhere(t *testing.T) {
	parts := []string{header, user(0, "a") + event("turn/end", 1), user(2, "b") + user(3, "c"), event("turn/end", 4)}
	whole := strings.Join(parts, "")
	f := frames(parts...)
	log := join(f)
	for n := range log {
		if n < len(f[0])-4 {
			continue
		}
		res, err := scanAll(t, log[:n], false)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		at, least := 0, len(parts[0])
		for i := 1; i < len(f); i++ {
			if at += len(f[i-1]); n >= at+len(f[i]) {
				least += len(parts[i])
			}
		}
		if res.Committed < int64(least) || res.Committed > int64(len(whole)) {
			t.Errorf("cut at %d: %d bytes count, want at least %d", n, res.Committed, least)
		}
		edge := n == len(f[0]) || n == len(f[0])+len(f[1]) || n == len(log)-len(f[3])
		if (res.Torn == 0) != edge || len(res.Damage) > 0 {
			t.Errorf("cut at %d: torn %d, damage %v", n, res.Torn, res.Damage)
		}
	}
	for n := len(header); n < len(whole); n++ {
		res, err := scanAll(t, []byte(whole[:n]), false)
		end := strings.LastIndexByte(whole[:n], '\n') + 1
		if err != nil || res.Committed != int64(end) || res.Torn != int64(n-end) {
			t.Errorf("raw, cut at %d: %+v, %v", n, res, err)
		}
	}
}

func TestAllDamage(t *testing.T) {
	log := header + user(0, "a") + "{bad\n" + event("turn/start", 2) + event("turn/start", 5) + "null\n" +
		event("turn/end", 7) + event("step/start", 9) + event("step/start", 10) + "torn"
	res, err := scanAll(t, []byte(log), true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range res.Damage {
		got = append(got, fmt.Sprintf("%s at %d, committed %v", d.Rule, d.Offset, d.Committed))
	}
	at := func(s string) int { return strings.Index(log, s) }
	want := []string{
		fmt.Sprintf("unparsable at %d, committed true", at("{bad")),
		fmt.Sprintf("seq-gap at %d, committed true", at(event("turn/start", 5))),
		fmt.Sprintf("null-record at %d, committed true", at("null\n")),
		fmt.Sprintf("seq-gap at %d, committed false", at(event("step/start", 9))),
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if res.Events != 1 || res.Dropped != 7 || res.Torn != 4 {
		t.Errorf("%+v", res)
	}
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{"gap", user(0, "a") + user(1, "b") + user(5, "c") + event("turn/end", 6), "seq gap, expected 2 got 5"},
		{"unsafe", event("x", 0) + `{"type":"x","seq":9007199254740993}` + "\n" + event("turn/end", 2), "seq gap, expected 1 got 9007199254740993"},
		{"text", `{"type":"x","seq":"0"}` + "\n" + event("turn/end", 1), `seq gap, expected 0 got "0"`},
		{"none", event("x", 0) + `{"type":"x"}` + "\n" + event("turn/end", 2), "seq gap, expected 1 got none"},
		{"null", "null\n" + event("turn/end", 1), "seq gap, expected 0 got null"},
		{"not JSON", event("x", 0) + "{\n" + event("turn/end", 1), fmt.Sprintf("line at byte %d: not a record", len(header)+len(event("x", 0)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := scanAll(t, []byte(header+c.log), false)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q in one line", err, c.want)
			}
		})
	}
}

// bomb is n zero bytes, or spaces, in few.
func bomb(n int, c byte) []byte {
	var out bytes.Buffer
	e, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	chunk := bytes.Repeat([]byte{c}, 1<<20)
	for ; n > 0; n -= len(chunk) {
		_, _ = e.Write(chunk)
	}
	_ = e.Close()
	return out.Bytes()
}

func TestBombs(t *testing.T) {
	head := encoder.EncodeAll([]byte(header), nil)
	big := bomb(100<<20, '\n')
	small := bomb(15<<20, '\n')
	for _, c := range []struct {
		name string
		log  []byte
		rule string
	}{
		{"one frame", append(bytes.Clone(head), big...), "decoded-size"},
		{"one frame, cut", append(bytes.Clone(head), big[:len(big)-5]...), "decoded-size"},
		{"many frames", append(bytes.Clone(head), bytes.Repeat(small, 20)...), "decoded-size"},
		{"as the header", bomb(100<<20, ' '), "header-json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := scanAll(t, c.log, false)
			wantRule(t, err, fault.Damaged, c.rule)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 400<<20 {
				t.Errorf("%d MiB were allocated", n>>20)
			}
			t.Logf("%d bytes, %v", len(c.log), time.Since(start))
		})
	}
}

// A frame may ask for a window that nothing needs.
func TestWindow(t *testing.T) {
	log := append(encoder.EncodeAll([]byte(header), nil), "\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00"...)
	_, err := scanAll(t, log, false)
	wantRule(t, err, fault.Unsupported, "window-size")
}

// Long lines, also beyond what is held of one, are lines like others.
func TestLongLines(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, hold := range []int64{1 << 20, 1000} {
		reset := scan.SetMaxPending(hold)
		text := strings.Repeat("long line 长 ", 900_000/14)
		log := header + user(0, "a") + user(1, text) +
			fmt.Sprintf(`{"type":"assistant/chunk","seq":2,"time":1,"data":{"chunk":{"text":%q}}}`+"\n", text) + user(3, "b")
		same(t, r, []byte(log))
		same(t, r, []byte(log+text))
		reset()
	}
}

// memory is the most that is allocated at a time while f runs.
func memory(f func()) uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(time.Millisecond):
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	f()
	close(done)
	return max(<-peak, before) - before
}

// Memory follows the surface, not the log.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, lines func(w *bufio.Writer)) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		lines(w)
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const events = 50_000
	words := strings.Repeat("some words ", 60)
	chunk := func(w io.Writer, seq int) {
		fmt.Fprintf(w, `{"type":"assistant/chunk","seq":%d,"time":%d,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"%s"}}}`+"\n", seq, seq*7, words)
	}
	for _, c := range []struct {
		path string
		most uint64 // MiB
	}{
		{write("raw", func(w *bufio.Writer) {
			_, _ = w.WriteString(header)
			for seq := range events {
				chunk(w, seq)
			}
		}), 16},
		{write("zstd", func(w *bufio.Writer) {
			_, _ = w.Write(encoder.EncodeAll([]byte(header), nil))
			var b bytes.Buffer
			for seq := range events {
				if chunk(&b, seq); seq%20 == 19 {
					_, _ = w.Write(encoder.EncodeAll(b.Bytes(), nil))
					b.Reset()
				}
			}
		}), 32},
		{write("torn", func(w *bufio.Writer) {
			_, _ = w.WriteString(header)
			for seq := range events {
				chunk(w, seq)
			}
			for range 100 {
				_, _ = w.WriteString(strings.Repeat("x", 1<<20))
			}
		}), 96},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			f, err := os.Open(c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			n := memory(func() {
				res, err := scan.Scan(context.Background(), scan.Source{At: f, Size: info.Size()}, scan.Options{})
				if err != nil || res.Events != events {
					t.Errorf("%+v, %v", res, err)
				}
			})
			if n > c.most<<20 {
				t.Errorf("%d MiB for a log of %d MiB without a surface", n>>20, info.Size()>>20)
			}
		})
	}
}

// Frames as no dsh writes them, and as any zstd does: the whole log in one, with
// content that packs well or not at all; whole, cut and spoiled.
func TestLargeFrames(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	random := make([]byte, 3<<20)
	for i := range random {
		random[i] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+/"[r.IntN(64)]
	}
	var noisy, flat strings.Builder
	noisy.WriteString(header)
	flat.WriteString(header)
	for seq := range 300 {
		noisy.WriteString(user(seq, string(random[seq*10_000:][:10_000])))
		flat.WriteString(user(seq, strings.Repeat("same ", 4000)))
	}
	for name, log := range map[string]string{"noisy": noisy.String(), "flat": flat.String(), "mixed": string(generated(r, 2000))} {
		want := plainly([]byte(log))
		one := encoder.EncodeAll([]byte(log), nil)
		head := strings.IndexByte(log, '\n') + 1
		two := join(frames(log[:head], log[head:]))
		for how, z := range map[string][]byte{"one frame": one, "header and rest": two, "unsized": unsized(log)} {
			for _, src := range []scan.Source{file(z), {Stream: bytes.NewReader(z)}} {
				if got := scanned(src, scan.Options{}); got != want {
					t.Errorf("%s, %s: %d events, rule %q, want %d", name, how, got.events, got.rule, want.events)
				}
			}
		}
		spoiled := bytes.Clone(two)
		spoiled[len(spoiled)-1] ^= 1
		res, err := scanAll(t, spoiled, false)
		if err != nil || res.Events != 0 || len(res.Damage) != 1 || res.Damage[0].Rule != "frame" {
			t.Errorf("%s, spoiled: %+v, %v", name, res, err)
		}
		res, err = scanAll(t, two[:len(two)*2/3], false)
		if err != nil || res.Torn == 0 || len(res.Damage) > 0 || res.Committed > int64(len(log)) ||
			strings.Count(log[:res.Committed], "\n") < int(res.Events)/3 {
			t.Errorf("%s, cut: %+v, %v", name, res, err)
		}
		if name == "noisy" && res.Events < 100 {
			t.Errorf("%s, cut: only %d events", name, res.Events)
		}
	}
}

// unsized packs a log by a writer that does not know how long it will be.
func unsized(log string) []byte {
	var out bytes.Buffer
	e, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	for rest := log; rest != ""; {
		n := min(len(rest), 50_000)
		_, _ = e.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	_ = e.Close()
	return out.Bytes()
}
