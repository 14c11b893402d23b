package opencode

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// jsonNames lists the JSON files of a directory, sorted by id: OpenCode's ids sort
// by time.
func jsonNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".json" && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(a, ".json"), strings.TrimSuffix(b, ".json"))
	})
	return names, err
}

const (
	// A half-written file is read again after a while, then after twice that, …
	retryAfter = 5 * time.Millisecond
	retries    = 5
	// inWork is how lately a file must have been written to be given that time.
	inWork = 2 * time.Second
)

// readJSON reads one JSON object. OpenCode rewrites files in place, so one that is
// empty or half is read again.
func readJSON(ctx context.Context, path string, shape jsonl.Shape, count *tally) (jstext.Value, error) {
	for i := 0; ; i++ {
		// Asked before the open: to open a pipe would wait for its writer.
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return jstext.Value{}, jsonl.Unreadable(path, cmp.Or(err, errNotRegular))
		}
		v, modTime, err := readOnce(ctx, path, shape, count)
		if err == nil || fault.KindOf(err) != fault.Damaged || i == retries || time.Since(modTime) > inWork {
			return v, err
		}
		time.Sleep(retryAfter << i)
	}
}

var errNotRegular = errors.New("not a regular file")

func readOnce(ctx context.Context, path string, shape jsonl.Shape, count *tally) (jstext.Value, time.Time, error) {
	src, err := jsonl.Open(ctx, path)
	if err != nil {
		return jstext.Value{}, time.Time{}, err
	}
	defer src.Close()
	if count.hash != nil {
		src.Hash = count.hash
	}
	count.bytes += src.Size
	v, err := src.Document(ctx, shape)
	return v, src.ModTime, err
}
