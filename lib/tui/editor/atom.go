package editor

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

// atom is what the cursor steps over: one grapheme cluster or one chip.
type atom struct {
	raw   string // what Text returns for it
	shown string // what is drawn: no control characters, no newline
	chip  bool
}

// atoms cuts one line of text, without chips, into clusters.
func atoms(text string) []atom {
	out := make([]atom, 0, len(text))
	for c := range cells.Clusters(0, text) {
		shown := c
		if c == "\t" {
			shown = strings.Repeat(" ", cells.TabWidth)
		} else if len(c) > 1 || c[0] < 0x20 || c[0] == 0x7F {
			shown = termtext.Line(c)
		}
		out = append(out, atom{raw: c, shown: shown})
	}
	return out
}

// chip is the atom of a whole mention.
func chip(raw, label string) atom {
	return atom{raw: raw, shown: "@" + termtext.Line(label), chip: true}
}

// piece is a part of a text: plain text, which may hold newlines, or one chip.
type piece struct {
	text string
	chip *atom
}

// pieces finds the mentions of a text. Where one of them is malformed none
// becomes a chip: the text is then shown as it is, and submitting it will say why.
func pieces(text string) []piece {
	found, err := frame.Find(text)
	if err != nil {
		found = nil
	}
	var out []piece
	done := 0
	for _, f := range found {
		if !f.Explicit {
			continue
		}
		if f.Start > done {
			out = append(out, piece{text: text[done:f.Start]})
		}
		c := chip(text[f.Start:f.End], f.Label)
		out = append(out, piece{chip: &c})
		done = f.End
	}
	if done < len(text) {
		out = append(out, piece{text: text[done:]})
	}
	return out
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// clean makes UTF-8 with \n line ends of what a terminal delivered.
func clean(text string) string {
	return lineEnds.Replace(jstext.Decode([]byte(text)))
}
