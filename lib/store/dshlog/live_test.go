package dshlog_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
)

func readFile(path string) (*store.Reading, error) {
	return dshlog.Format.ReadFile(ctx, path, store.ReadOptions{})
}

// checkPrefix holds a reading against the events that were, or will be, written:
// event n is the user message whose text is text(n).
func checkPrefix(t *testing.T, r *store.Reading, text func(int) string, atLeast int) int {
	t.Helper()
	n := len(r.Surface.Events)
	if n < atLeast {
		t.Errorf("%d events, %d were there before", n, atLeast)
	}
	for i, ev := range r.Surface.Events {
		var got string
		for block := range ev.Data.Get("content").Elements() {
			got, _ = block.Get("text").Text()
		}
		if ev.Seq != int64(i) || got != text(i) {
			t.Fatalf("event %d is %d, %q", i, ev.Seq, got)
		}
	}
	return n
}

// A log that is appended to in pieces of any size while it is read.
func TestGrowing(t *testing.T) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	text := func(n int) string { return strings.Repeat(fmt.Sprint("text ", n, " "), 1+n%40) }
	const events = 1500
	for _, packed := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		var stored bytes.Buffer
		put := func(s string) {
			if packed {
				stored.Write(enc.EncodeAll([]byte(s), nil))
			} else {
				stored.WriteString(s)
			}
		}
		put(header(0, "x", ""))
		first := stored.Len()
		for n := range events {
			put(user(n, text(n)))
		}
		if err := os.WriteFile(path, stored.Next(first), 0o644); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			for err == nil && stored.Len() > 0 {
				_, err = f.Write(stored.Next(1 + rand.IntN(700)))
			}
			done <- errors.Join(err, f.Close())
		}()
		least, running := 0, true
		for running {
			select {
			case err := <-done:
				if running = false; err != nil {
					t.Fatal(err)
				}
			default:
			}
			r, err := readFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if r.Receipt.DamagedRecords > 0 {
				t.Fatalf("%+v", r.Receipt)
			}
			least = checkPrefix(t, r, text, least)
		}
		if least != events {
			t.Errorf("packed %v: %d events in the end", packed, least)
		}
	}
}

// A log that is cut and written again while it is read, as dsh cuts a torn tail,
// but anywhere and without pause: each reading is the beginning of some state that
// the log was in, or an error. It may end early, in a damaged tail: Linux shows
// zeros for a moment in the place of what is being written again.
func TestCutWhileRead(t *testing.T) {
	text := func(n int) string { return fmt.Sprint("text ", n) }
	path := filepath.Join(t.TempDir(), "x.jsonl")
	var log strings.Builder
	log.WriteString(header(0, "x", ""))
	const events = 4000
	ends := make([]int, 0, events)
	for n := range events {
		log.WriteString(user(n, text(n)))
		ends = append(ends, log.Len())
	}
	all := log.String()
	if err := os.WriteFile(path, []byte(all), 0o644); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		for err == nil {
			select {
			case <-stop:
				done <- f.Close()
				return
			default:
			}
			keep := ends[rand.IntN(events/2)]
			if err = f.Truncate(int64(keep)); err == nil {
				_, err = f.WriteAt([]byte(all[keep:keep+rand.IntN(len(all)-keep)]), int64(keep))
			}
		}
		done <- err
	}()
	failed, reads := 0, 0
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); reads++ {
		r, err := readFile(path)
		if err != nil {
			var f *fault.Error
			if failed++; !errors.As(err, &f) || f.Rule != "unstable" {
				t.Fatalf("%v", err)
			}
			continue
		}
		checkPrefix(t, r, text, 0)
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	t.Logf("%d readings, %d given up", reads, failed)
	if failed == reads {
		t.Error("not one reading succeeded")
	}
}

func TestReceipt(t *testing.T) {
	root := t.TempDir()
	body := header(4, "x", "") + user(0, "a") + user(1, "b")
	path := write(t, root, "_no-cwd/x/session.v4.jsonl", body+"torn")
	s := open(t, root)
	refs, _ := s.Lookup(ctx, "x")
	r, err := s.Read(ctx, refs[0], store.ReadOptions{Hash: true})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(body + "torn"))
	got, one := r.Receipt, int64(1)
	want := store.Receipt{
		SessionID: "x", Path: path, Store: "dsh", Format: "dsh v4 raw", CapturedThroughSeq: &one,
		BytesRead: int64(len(body)) + 4, SHA256: hex.EncodeToString(sum[:]), TornTail: 4,
		Notes: []string{"torn tail: the last 4 bytes are no complete record yet and were left out"},
	}
	if fmt.Sprintf("%+v", deref(got)) != fmt.Sprintf("%+v", deref(want)) {
		t.Errorf("got  %+v\nwant %+v", deref(got), deref(want))
	}
	plain, err := s.Read(ctx, refs[0], store.ReadOptions{})
	if err != nil || plain.Receipt.SHA256 != "" {
		t.Errorf("a hash that nobody asked for: %q, %v", plain.Receipt.SHA256, err)
	}
}

// deref makes a receipt that prints its numbers.
func deref(r store.Receipt) any {
	through := int64(-1)
	if r.CapturedThroughSeq != nil {
		through = *r.CapturedThroughSeq
	}
	r.CapturedThroughSeq = nil
	return struct {
		Through int64
		R       store.Receipt
	}{through, r}
}

func TestCancelled(t *testing.T) {
	path := write(t, t.TempDir(), "x.jsonl", header(0, "x", "")+strings.Repeat("x", 1<<20))
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := dshlog.Format.ReadFile(done, path, store.ReadOptions{}); fault.KindOf(err) != fault.Cancelled {
		t.Errorf("read: %v", err)
	}
	if _, err := dshlog.CheckFile(done, path); fault.KindOf(err) != fault.Cancelled {
		t.Errorf("check: %v", err)
	}
	root := t.TempDir()
	write(t, root, "_no-cwd/x.jsonl", header(0, "x", ""))
	s := open(t, root)
	for e, err := range s.List(done) {
		t.Errorf("listed %v, %v", e, err)
	}
	if _, err := s.Lookup(done, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("lookup: %v", err)
	}
}
