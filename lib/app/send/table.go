package send

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// minText is the width that a message gets however long the ids are.
const minText = 20

// table prints records for a person: the id whole, to be copied, and the message
// as far as the line goes.
func table(c *cli.Call, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	idWidth := len("ID")
	for _, r := range rows {
		idWidth = max(idWidth, uniseg.StringWidth(termtext.Line(r.ID)))
	}
	line := func(seq, kind, state, id, text string) error {
		id += strings.Repeat(" ", idWidth-uniseg.StringWidth(id))
		head := fmt.Sprintf("%6s  %-6s  %-8s  %s  ", seq, kind, state, id)
		text = cut(text, max(minText, c.Sys.Columns-uniseg.StringWidth(head)))
		_, err := fmt.Fprintln(c.Out, head+text)
		return err
	}
	if err := line("SEQ", "KIND", "STATE", "ID", "MESSAGE"); err != nil {
		return err
	}
	for _, r := range rows {
		text := termtext.Line(strings.Join(strings.Fields(summary(r.Content)), " "))
		if err := line(fmt.Sprint(r.Seq), string(r.Kind), r.state, termtext.Line(r.ID), text); err != nil {
			return err
		}
	}
	return nil
}

// summary is the text of a message, other blocks by their type.
func summary(content jstext.Value) string {
	var parts []string
	for b := range content.Elements() {
		text, ok := b.Get("text").Text()
		if kind, _ := b.Get("type").Text(); kind != "text" || !ok {
			text = "[" + kind + "]"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// cut shortens s to width columns; a cut ends in an ellipsis.
func cut(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); used += g.Width() {
		if used+g.Width() >= width {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}
