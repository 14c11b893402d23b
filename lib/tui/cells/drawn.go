package cells

import (
	"strings"
	"unicode/utf8"
)

// Drawn is a text as it is drawn: tabs as spaces, and on a terminal that sums code
// points the parts of a joined emoji side by side (three people for a family, a hand
// without its colour). Such terminals differ in what they make of the joined form,
// two cells or six, and everything behind it would be drawn in the wrong place;
// about the parts they agree.
func Drawn(m Method, s string) string {
	if strings.IndexByte(s, '\t') >= 0 {
		s = strings.ReplaceAll(s, "\t", strings.Repeat(" ", TabWidth))
	}
	if m != 0 || strings.IndexFunc(s, joins) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for c := range Clusters(m, s) {
		b.WriteString(apart(c))
	}
	return b.String()
}

// joins reports a code point that changes the picture before it and takes no cell
// of its own: joiner, presentation, skin tone.
func joins(r rune) bool {
	return r == 0x200D || r == 0xFE0F || r >= 0x1F3FB && r <= 0x1F3FF
}

// apart is a cluster without what joins it, if it is a picture: in other scripts a
// joiner shapes letters.
func apart(cluster string) string {
	base, n := utf8.DecodeRuneInString(cluster)
	if n == len(cluster) || !picture(base) {
		return cluster
	}
	return cluster[:n] + strings.Map(func(r rune) rune {
		if joins(r) {
			return -1
		}
		return r
	}, cluster[n:])
}

func picture(base rune) bool {
	return base >= 0x1F000 || base >= 0x203C && base <= 0x3299 || base == 0xA9 || base == 0xAE || base < 0x80
}
