package inbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// The figure that matters is the ratio of the two, taken in one run: an
// acknowledged record against what any durable file costs.
//
//	go test -run - -bench 'Bare|Enqueue' ./lib/inbox

func BenchmarkBare(b *testing.B)             { benchBare(b, 1) }
func BenchmarkBareParallel8(b *testing.B)    { benchBare(b, 8) }
func BenchmarkEnqueue(b *testing.B)          { benchEnqueue(b, 1, false) }
func BenchmarkEnqueueParallel8(b *testing.B) { benchEnqueue(b, 8, false) }
func BenchmarkEnqueueWithID(b *testing.B)    { benchEnqueue(b, 1, true) }

// benchContent is a message with a snapshot of ordinary size.
var benchContent = jstext.MustParse(`[{"type":"text","text":` + jstext.Quote(strings.Repeat("a line of a message\n", 200)) + `}]`)

func benchBare(b *testing.B, writers int) {
	dir := b.TempDir()
	for _, d := range []string{"tmp", "new"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	data := []byte(benchContent.Raw())
	var n atomic.Int64
	inParallel(b, writers, func() error {
		name := fmt.Sprint(n.Add(1))
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
	})
}

func benchEnqueue(b *testing.B, writers int, withID bool) {
	box, err := inbox.Open(b.TempDir(), inbox.Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	inParallel(b, writers, func() error {
		d := inbox.Draft{To: "target", Content: benchContent}
		if withID {
			d.ID = fmt.Sprint(n.Add(1))
		}
		_, err := box.Enqueue(context.Background(), d)
		return err
	})
}

func inParallel(b *testing.B, writers int, op func() error) {
	b.ReportAllocs()
	b.SetParallelism(max(1, writers/2)) // of a machine with two cores
	if writers == 1 {
		for b.Loop() {
			if err := op(); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := op(); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
