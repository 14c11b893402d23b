package jsonl

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls f for every item, as many at a time as there are processors, and
// returns the results in the order of the items. Once ctx has ended no further
// call is begun; the results that are missing then are zero.
func Each[T, R any](ctx context.Context, items []T, f func(T) R) []R {
	out := make([]R, len(items))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(items)) {
					return
				}
				out[i] = f(items[i])
			}
		})
	}
	wg.Wait()
	return out
}
