package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wrap breaks a text of several lines into rows of at most width cells: at spaces
// where it can (those at the break go), between ideographs, else inside a word.
// Spaces that begin a line stay, so that code keeps its shape. Rows come out as Drawn
// draws them. There is at least one row; a width below 1 counts as 1, and a cluster
// wider than the width gets a row of its own.
func Wrap(m Method, s string, width int) []string {
	var rows []string
	for line := range strings.SplitSeq(s, "\n") {
		rows = AppendWrapped(rows, m, line, width)
	}
	return rows
}

// AppendWrapped appends the rows of one line, which holds no newline.
func AppendWrapped(rows []string, m Method, line string, width int) []string {
	line = Drawn(m, line)
	if len(line) <= width { // a cluster is never wider than its bytes
		return append(rows, line)
	}
	width = max(width, 1)
	row := row{line: line}
	space, wide := false, false // what the cluster before was
	for c, w := range Clusters(m, line) {
		wasSpace, wasWide := space, wide
		space, wide = c == " ", ideograph(c)
		if space {
			row.addSpace(wasSpace)
			continue
		}
		if (wide || wasWide) && !wasSpace && !closing(c) {
			row.allowBreak()
		}
		for row.used+w > width && row.at > row.start {
			rows = append(rows, row.finish())
		}
		row.add(len(c), w)
	}
	tail := line[row.start:]
	if row.used > width {
		tail = strings.TrimRight(tail, " ")
	}
	return append(rows, tail)
}

// row is the row being filled: line[start:at], used cells wide.
type row struct {
	line            string
	start, at, used int
	text            bool // it holds more than indentation
	// Where it may end, where the next one would begin, and the cells up to there;
	// next is 0 where no break has been seen.
	end, next, nextUsed int
}

func (r *row) add(n, w int) {
	r.at += n
	r.used += w
	r.text = true
}

func (r *row) addSpace(again bool) {
	if r.text && !again {
		r.end = r.at
	}
	r.at++
	r.used++
	if r.text {
		r.next, r.nextUsed = r.at, r.used
	}
}

func (r *row) allowBreak() {
	if r.text {
		r.end, r.next, r.nextUsed = r.at, r.at, r.used
	}
}

// finish ends the row at its last break, or here, and begins the next.
func (r *row) finish() string {
	if r.next <= r.start {
		r.end, r.next, r.nextUsed = r.at, r.at, r.used
	}
	done := r.line[r.start:r.end]
	r.start, r.used = r.next, r.used-r.nextUsed
	r.text = r.at > r.start
	r.next = 0
	return done
}

// ideograph reports a cluster of a script that is written without spaces between
// words.
func ideograph(c string) bool {
	r, _ := utf8.DecodeRuneInString(c)
	return r >= 0x3000 && (r < 0x3040 || r >= 0xFF00 && r < 0xFFF0 ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}

// closing reports punctuation that must not begin a row.
func closing(c string) bool {
	r, _ := utf8.DecodeRuneInString(c)
	return strings.ContainsRune("、。，．・：；！？」』）】〕〉》ー…,.:;!?)]}\"'", r)
}
