package jsonl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// A line that is mostly let go costs what is kept of it.
func TestHugeLineMemory(t *testing.T) {
	const huge = 64 << 20
	path := write(t, "x.jsonl", `{"type":"user","junk":"`+strings.Repeat("x", huge)+`","text":"kept"}`+"\n"+`{"type":"end"}`)
	s := open(t, path)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	recs := all(t, s, Shape{"type": nil, "text": nil})
	runtime.ReadMemStats(&after)
	if len(recs) != 2 || !recs[0].Value.Get("text").Is("kept") || recs[0].Len < huge {
		t.Errorf("%d records, the first with text %q and %d bytes", len(recs), recs[0].Value.Get("text").Raw(), recs[0].Len)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("allocated %d bytes, want under 1 MiB", used)
	}
}

func TestHash(t *testing.T) {
	for _, content := range []string{"{\"a\":1}\n{\"b", pack(t, "{\"a\":1}\n")} {
		s := open(t, write(t, "x.jsonl", content))
		h := sha256.New()
		s.Hash = h
		all(t, s, Shape{})
		want := sha256.Sum256([]byte(content))
		if got := h.Sum(nil); hex.EncodeToString(got) != hex.EncodeToString(want[:]) {
			t.Errorf("packed %v: got %x, want %x", s.Packed, got, want)
		}
	}
}

func TestUnpack(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&b, "{\"i\":%d}\n", i)
	}
	whole := pack(t, b.String())
	read := func(content string) (n int, torn int64, err error) {
		s := open(t, write(t, "x.jsonl.zst", content))
		for _, rerr := range s.Records(context.Background(), nil) {
			if rerr != nil {
				err = rerr
				break
			}
			n++
		}
		return n, s.Torn, err
	}
	t.Run("two frames", func(t *testing.T) {
		if n, _, err := read(whole + whole); n != 40000 || err != nil {
			t.Errorf("%d records, %v", n, err)
		}
	})
	t.Run("cut", func(t *testing.T) {
		for _, cut := range []int{5, len(whole) / 2, len(whole) - 1} {
			if _, torn, err := read(whole[:cut]); err != nil || torn == 0 {
				t.Errorf("cut at %d of %d: torn %d, %v; want a torn tail", cut, len(whole), torn, err)
			}
		}
	})
	t.Run("bad checksum", func(t *testing.T) {
		bad := []byte(whole)
		bad[len(bad)-1] ^= 1
		if _, _, err := read(string(bad)); fault.KindOf(err) != fault.Damaged {
			t.Errorf("got %v, want damage", err)
		}
	})
	t.Run("garbage behind", func(t *testing.T) {
		if _, _, err := read(whole + "garbage"); fault.KindOf(err) != fault.Damaged {
			t.Errorf("got %v, want damage", err)
		}
	})
	t.Run("bomb", func(t *testing.T) {
		bomb := pack(t, `{"a":"`+strings.Repeat("x", freeGrowth+64<<20)+`"}`)
		_, _, err := read(bomb)
		var f *fault.Error
		if !errors.As(err, &f) || f.Rule != "zstd-growth" {
			t.Errorf("%d bytes that unpack to over %d: got %v, want a refusal", len(bomb), freeGrowth, err)
		}
	})
	t.Run("claimed window", func(t *testing.T) {
		for window, kind := range map[string]fault.Kind{"\x68": fault.Damaged, "\x88": fault.Unsupported} {
			// A frame header that asks for a window of 8 or 128 MiB and 1 TiB of content,
			// with one raw block of two bytes.
			frame := "\x28\xB5\x2F\xFD\xC0" + window + "\x00\x00\x00\x00\x00\x01\x00\x00" + "\x11\x00\x00{}"
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := read(frame)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
				t.Errorf("window %q: allocated %d bytes for what a header claims", window, used)
			}
			if fault.KindOf(err) != kind {
				t.Errorf("window %q: got %v", window, err)
			}
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{
		"absent": filepath.Join(dir, "absent"), "directory": dir, "device": os.DevNull,
	} {
		if _, err := Open(context.Background(), path); fault.KindOf(err) != fault.Unreadable {
			t.Errorf("%s: got %v, want Unreadable", name, err)
		}
		if _, err := ReadPeek(path); fault.KindOf(err) != fault.Unreadable {
			t.Errorf("%s: peek: got %v, want Unreadable", name, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	s := open(t, write(t, "x.jsonl", "{}\n"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range s.Records(ctx, nil) {
		if fault.KindOf(err) != fault.Cancelled {
			t.Errorf("records: got %v", err)
		}
	}
	for _, err := range s.Fetch(ctx, nil, []Span{{0, 2}}) {
		if fault.KindOf(err) != fault.Cancelled {
			t.Errorf("fetch: got %v", err)
		}
	}
	start := time.Now()
	if _, err := Await(ctx, func() (int, error) { select {} }); !errors.Is(err, context.Canceled) {
		t.Errorf("await: got %v", err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("await: took %v", d)
	}
}

// A file that is cut or rewritten between the two passes is named as such.
func TestFetchChanged(t *testing.T) {
	for name, after := range map[string]string{"cut": "{}", "rewritten": strings.Repeat("x", 40)} {
		path := write(t, "x.jsonl", `{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":1}`)
		s := open(t, path)
		recs := all(t, s, nil)
		if err := os.WriteFile(path, []byte(after), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, err := range s.Fetch(context.Background(), nil, []Span{recs[0].Span}) {
			var f *fault.Error
			if !errors.As(err, &f) || f.Rule != "changed" {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}
