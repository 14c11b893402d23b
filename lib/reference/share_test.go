package reference_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// sized reads sessions whose id is the number of bytes of their one message.
var sized = readerFunc(func(_ context.Context, id string) (*session.Surface, error) {
	var n int
	fmt.Sscan(id, &n)
	var b session.Builder
	b.User(0, 0, strings.Repeat("é", n/2))
	through := int64(0)
	return b.Surface(session.NewHeader(id, 0, nil), &through, nil), nil
})

func sizedRequest(block reference.Block, ids ...string) reference.Request {
	req := reference.Request{Content: session.TextContent("x"), Block: block}
	for _, id := range ids {
		req.References = append(req.References, jstext.MustParse(`{"sessionId":"`+id+`"}`))
	}
	return req
}

// A bound on the block holds for one, two and three sessions of any size, and is
// used: what a small one leaves goes to the others.
func TestBlockBound(t *testing.T) {
	sizes := [][]string{
		{"200000"},
		{"200000", "300000"},
		{"200000", "300000", "400000"},
		{"100", "200000", "300000"},
		{"200000", "100", "2000"},
		{"100", "200"},
		{"9000", "200"},
	}
	for _, place := range []frame.Place{frame.InPrompt, frame.BesidePrompt} {
		for _, ids := range sizes {
			block := reference.Block{Place: place, MaxBytes: 10_000}
			p, err := reference.Prepare(t.Context(), sized, sizedRequest(block, ids...))
			if err != nil {
				t.Fatal(ids, err)
			}
			n, total := len(p.BlockFor(place)), 0
			truncated := false
			for i, s := range p.Snapshots() {
				var size int
				fmt.Sscan(ids[i], &size)
				total += size
				truncated = truncated || s.Stats.Truncated
			}
			if n > block.MaxBytes {
				t.Errorf("%v: a block of %d bytes, %d allowed", ids, n, block.MaxBytes)
			}
			if truncated && n < block.MaxBytes-50 {
				t.Errorf("%v: cut to a block of %d bytes where %d are allowed", ids, n, block.MaxBytes)
			}
			if total < 9000 && truncated {
				t.Errorf("%v: cut, though all of it fits", ids)
			}
		}
	}
}

// The bound of one source still holds, and no bound is none.
func TestBlockBoundAndSourceBound(t *testing.T) {
	most := 2000
	req := sizedRequest(reference.Block{MaxBytes: 100_000}, "5000", "6000")
	req.Config.MaxReferenceBytes = &most
	p, err := reference.Prepare(t.Context(), sized, req)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Snapshots() {
		if len(s.JSON) > most {
			t.Errorf("a snapshot of %d bytes, %d allowed", len(s.JSON), most)
		}
	}
	p, err = reference.Prepare(t.Context(), sized, sizedRequest(reference.Block{}, "5000"))
	if err != nil || p.Snapshots()[0].Stats.Truncated {
		t.Errorf("cut without a bound, or %v", err)
	}
}

// A block that has no room for the fixed fields is refused whole.
func TestBlockTooSmall(t *testing.T) {
	for _, most := range []int{1, 500, 600} {
		_, err := reference.Prepare(t.Context(), sized, sizedRequest(reference.Block{MaxBytes: most}, "5000", "6000"))
		if f := fault.Of(err); f == nil || f.Code != fault.BudgetExceeded {
			t.Errorf("a block of %d bytes: got %v, want %s", most, err, fault.BudgetExceeded)
		}
	}
}
