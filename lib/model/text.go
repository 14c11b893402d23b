package model

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Prompt is a message's content as one text: its text blocks joined by newlines,
// but for agent.Delimiter, which brings its own. So a message with a snapshot
// reads here as dsh-ref prints it for agents that read no more than a text. Blocks
// of other types are passed over.
func Prompt(content jstext.Value) string {
	var b strings.Builder
	joined := true // nothing has to stand between the last text and the next
	for block := range content.Elements() {
		if !block.Get("type").Is("text") {
			continue
		}
		text, _ := block.Get("text").Text()
		if !joined && text != agent.Delimiter {
			b.WriteByte('\n')
		}
		b.WriteString(text)
		joined = text == agent.Delimiter
	}
	return jstext.Join(b.String())
}

// pieces puts the pieces of an answer together, so that the halves of a surrogate
// pair which came apart go out as one.
type pieces struct {
	emit func(string)
	half string // a high half that waits for its partner
	all  strings.Builder
}

func (p *pieces) add(piece string) {
	piece = jstext.Join(p.half, piece)
	p.half = ""
	if n := len(piece) - 3; n >= 0 && isHighHalf(piece[n:]) {
		piece, p.half = piece[:n], piece[n:]
	}
	p.write(piece)
}

// end lets go of what still waits.
func (p *pieces) end() {
	p.write(p.half)
	p.half = ""
}

func (p *pieces) write(s string) {
	if s != "" {
		p.all.WriteString(s)
		p.emit(s)
	}
}

func isHighHalf(s string) bool {
	r, n := jstext.DecodeRune(s)
	return n == 3 && jstext.IsSurrogate(r) && r < 0xDC00
}
