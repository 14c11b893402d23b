// Package headtail keeps the beginning and the end of a stream of UTF-8 within a
// budget of bytes each, and says exactly how much it left out.
//
// Bytes come in any chunks, also such that part a code point; memory is bounded by
// the two budgets. What is kept is decoded as a WHATWG decoder does it, head and
// tail each on its own where something lies between them: a code point that a
// budget parts is left out whole, bytes that are no UTF-8 become U+FFFD, and one
// leading U+FEFF disappears though its bytes count as kept.
//
// Rule: SPEC 5 (retention), vectors/retain.json.
package headtail

import (
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Retainer is one stream. It must be made by New.
type Retainer struct {
	headMax, tailMax int
	head             []byte
	tail             []byte // the last bytes behind the head, at least tailMax of them where there are
	total            int64
	dropped          bool
}

// New begins a stream of which the first head and the last tail bytes are kept;
// either may be 0. The error says that one is negative.
func New(head, tail int) (*Retainer, error) {
	if head < 0 || tail < 0 {
		return nil, fmt.Errorf("a budget of %d and %d bytes: not a length", head, tail)
	}
	return &Retainer{headMax: head, tailMax: tail}, nil
}

// Push says what became of one chunk.
type Push struct {
	Kept      bool // nothing was left out because of it
	Truncated bool // something has been left out so far
}

// Push adds a chunk of bytes.
func (r *Retainer) Push(chunk []byte) Push {
	r.total += int64(len(chunk))
	n := min(r.headMax-len(r.head), len(chunk))
	r.head = append(r.head, chunk[:n]...)
	rest := chunk[n:]
	kept := len(rest) == 0 || r.total-int64(len(r.head)) <= int64(r.tailMax)
	if len(rest) > r.tailMax {
		r.tail = r.tail[:0]
		rest = rest[len(rest)-r.tailMax:]
	}
	r.tail = append(r.tail, rest...)
	// Old bytes go only once they are as many as the budget, so that small chunks
	// do not move it all each time.
	if extra := len(r.tail) - r.tailMax; extra > r.tailMax {
		r.tail = append(r.tail[:0], r.tail[extra:]...)
	}
	r.dropped = r.dropped || !kept
	return Push{Kept: kept, Truncated: r.dropped}
}

// PushString adds a JavaScript string, whose lone surrogates become U+FFFD.
func (r *Retainer) PushString(s string) Push { return r.Push([]byte(jstext.ToUTF8(s))) }

// Result is what was kept. Omitted counts the bytes of the stream that are not in
// it, those of parted code points included.
type Result struct {
	Text      string
	Truncated bool
	Omitted   int64
}

// Result returns what is kept of the stream so far.
func (r *Retainer) Result() Result {
	if !r.dropped {
		return Result{Text: decode(append(append([]byte(nil), r.head...), r.tail...))}
	}
	head := r.head[:HeadEnd(r.head, len(r.head))]
	tail := r.tail[max(0, len(r.tail)-r.tailMax):]
	tail = tail[TailStart(tail, 0):]
	return Result{
		Text:      jstext.Join(decode(head), decode(tail)),
		Truncated: true,
		Omitted:   r.total - int64(len(head)) - int64(len(tail)),
	}
}

// decode is TextDecoder.decode: it drops one leading byte order mark.
func decode(b []byte) string { return strings.TrimPrefix(jstext.Decode(b), BOM) }

// BOM is the character that a decoder drops at the beginning of a text.
const BOM = "\uFEFF"

// HeadEnd is where a head of at most n bytes of s ends, 0 <= n <= len(s): at n, or
// before the code point that n parts. The bytes from n on are looked at where there
// are any; where there are none, a sequence that is not complete counts as parted.
func HeadEnd[T ~string | ~[]byte](s T, n int) int {
	start := n
	for start > 0 && n-start < 3 && isContinuation(s[start-1]) {
		start--
	}
	if start == 0 {
		return n // no lead byte: nothing is parted
	}
	if have := n - start + 1; have < sequenceLen(s[start-1]) {
		return start - 1
	}
	return n
}

// TailStart is where a tail of s from n on begins, 0 <= n <= len(s): behind the
// rest of a code point that n parts.
func TailStart[T ~string | ~[]byte](s T, n int) int {
	for i := 0; i < 3 && n < len(s) && isContinuation(s[n]); i++ {
		n++
	}
	return n
}

func isContinuation(c byte) bool { return c&0xC0 == 0x80 }

// sequenceLen is the length that a lead byte promises; 1 for any other byte.
func sequenceLen(c byte) int {
	switch {
	case c >= 0xF0 && c <= 0xF7:
		return 4
	case c >= 0xE0 && c <= 0xEF:
		return 3
	case c >= 0xC0 && c <= 0xDF:
		return 2
	}
	return 1
}
