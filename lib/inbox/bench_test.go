package inbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// BenchmarkEnqueue takes turns between acknowledged records and bare files that
// are written, flushed and renamed: what any durable message costs. "of-bare" is
// the rate of the first as a share of the second, which the load of the disk
// changes little; the goal is a half.
//
//	go test -run - -bench . -benchtime 1000x ./lib/inbox
func BenchmarkEnqueue(b *testing.B) {
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) { againstBare(b, writers, false) })
	}
	// An id of the caller's is looked for among all records that are there.
	b.Run("writers=1,ids", func(b *testing.B) { againstBare(b, 1, true) })
}

// benchContent is a message with a snapshot of ordinary size.
var benchContent = jstext.MustParse(`[{"type":"text","text":` + jstext.Quote(strings.Repeat("a line of a message\n", 200)) + `}]`)

func againstBare(b *testing.B, writers int, ids bool) {
	box, err := inbox.Open(b.TempDir(), inbox.Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	bare := newBare(b)
	var ours, theirs time.Duration
	n := 0
	for b.Loop() {
		n++
		theirs += together(b, writers, func(w int) error { return bare(fmt.Sprintf("%d-%d", n, w)) })
		ours += together(b, writers, func(w int) error {
			d := inbox.Draft{To: "target", Content: benchContent}
			if ids {
				d.ID = fmt.Sprintf("%d-%d", n, w)
			}
			_, err := box.Enqueue(ctx, d)
			return err
		})
	}
	b.ReportMetric(0, "ns/op") // of both together it says nothing
	b.ReportMetric(float64(n*writers)/ours.Seconds(), "enqueued/s")
	b.ReportMetric(float64(theirs)/float64(ours), "of-bare")
}

// newBare returns a function that makes one durable file.
func newBare(b *testing.B) func(name string) error {
	dir := b.TempDir()
	for _, d := range []string{"tmp", "new"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	data := []byte(benchContent.Raw())
	return func(name string) error {
		tmp := filepath.Join(dir, "tmp", name)
		f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.Write(data); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		return os.Rename(tmp, filepath.Join(dir, "new", name))
	}
}

// together runs op once for each writer, all at the same time.
func together(b *testing.B, writers int, op func(w int) error) time.Duration {
	began := time.Now()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			if err := op(w); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	return time.Since(began)
}
