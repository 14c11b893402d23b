package reference

import (
	"strconv"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference/headtail"
)

// The notice that a cut text ends with, around the number of bytes it lacks.
const (
	noticeBefore = "\n[… omitted "
	noticeAfter  = " UTF-8 bytes …]"
)

// cut is what is left of a text: its first head and its bytes from tail on.
type cut struct {
	text       string
	head, tail int
}

func (c cut) omitted() int { return c.tail - c.head }

// cutAt keeps about r bytes of a text, rather at its head than at its tail, and
// parts no code point. r is less than the text is long.
func cutAt(text string, r int) cut {
	return cut{text, headtail.HeadEnd(text, r-r/2), headtail.TailStart(text, len(text)-r/2)}
}

// size is the UTF-8 length of String, without making it.
func (c cut) size() int {
	n := c.head + len(c.text) - c.tail + len(noticeBefore) + len(noticeAfter) + decimals(c.omitted())
	for _, part := range c.parts() {
		if strings.HasPrefix(part, headtail.BOM) {
			n -= len(headtail.BOM)
		}
	}
	return n
}

func (c cut) parts() [2]string { return [2]string{c.text[:c.head], c.text[c.tail:]} }

// String is the cut text with its notice. Head and tail are as a decoder would give
// each: without a leading byte order mark, a lone surrogate being U+FFFD.
func (c cut) String() string {
	var b strings.Builder
	b.Grow(c.size() + len(headtail.BOM))
	for _, part := range c.parts() {
		b.WriteString(jstext.ToUTF8(strings.TrimPrefix(part, headtail.BOM)))
	}
	b.WriteString(noticeBefore)
	b.WriteString(strconv.Itoa(c.omitted()))
	b.WriteString(noticeAfter)
	return b.String()
}

func decimals(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}

// cutText cuts a text to at most target bytes, the notice included, keeping the
// most that the reference's search finds; ok is false where nothing fits. Sizes do
// not rise evenly with what is kept, so it must try what the reference tries, in
// its order (SPEC 5, vectors/project.json tag non-monotonic). target is less than
// the text is long.
func cutText(text string, target int) (best cut, ok bool) {
	for lo, hi := 0, target; lo <= hi; {
		mid := lo + (hi-lo)/2
		if c := cutAt(text, mid); c.size() <= target {
			best, ok = c, true
			lo = mid + 1
		} else {
			hi = mid - 1
		}
	}
	return best, ok
}
