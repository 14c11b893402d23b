package surface

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// table prints a listing for a person: when it began, which is what the listing is
// ordered by, what, where, the id to name it by, and what else is to be known of it.
// The title column takes what the others leave.
func table(c *cli.Call, rows []row) error {
	now, home := c.Sys.Now(), c.Sys.Home()
	lines := make([][5]string, 0, len(rows)+1)
	lines = append(lines, [5]string{"CREATED", "TITLE", "CWD", "ID", ""})
	for _, r := range rows {
		cwd := "-"
		if r.Cwd != nil {
			cwd = shortHome(*r.Cwd, home)
		}
		note := r.note(home)
		if note != "" {
			lines[0][4] = "NOTE"
		}
		lines = append(lines, [5]string{
			Ago(now, cmp.Or(r.CreatedAt, r.UpdatedAt)), termtext.Line(jstext.ToUTF8(r.Label())), termtext.Line(cwd), termtext.Line(r.ID), note,
		})
	}
	widths := columnWidths(lines, c.Sys.Columns)
	for _, l := range lines {
		for i, cell := range l[:3] {
			fmt.Fprint(c.Out, fit(cell, widths[i]), "  ")
		}
		id := l[3] // stays whole: it is there to be copied
		if l[4] != "" {
			id = fit(id, widths[3]) + "  " + l[4]
		}
		if _, err := fmt.Fprintln(c.Out, id); err != nil {
			return err
		}
	}
	return nil
}

// note is what a person should know of a session beside its columns: where it can
// no longer be continued, and what other names it may be looked for under.
func (e row) note(home string) string {
	var notes []string
	if e.cwdGone {
		notes = append(notes, "folder is gone")
	}
	if e.Archived {
		notes = append(notes, "archived")
	}
	if e.CopiedFrom != "" {
		notes = append(notes, "copy of "+termtext.Line(e.CopiedFrom))
	}
	if n := len(e.OtherCwds); n > 0 {
		dir := termtext.Line(shortHome(e.OtherCwds[0], home))
		also := "also in " + fit(dir, min(uniseg.StringWidth(dir), maxCwd))
		if n > 1 {
			also += fmt.Sprintf(" and %d more", n-1)
		}
		notes = append(notes, also)
	}
	return strings.Join(notes, ", ")
}

const (
	minTitle = 16
	maxTitle = 60
	maxCwd   = 32
	maxNote  = 16 // what the title column makes room for; longer notes run over the line
)

func columnWidths(lines [][5]string, total int) [5]int {
	var w [5]int
	for _, l := range lines {
		for i, cell := range l {
			w[i] = max(w[i], uniseg.StringWidth(cell))
		}
	}
	w[2] = min(w[2], maxCwd)
	left := total - w[0] - w[2] - w[3] - 3*2
	if w[4] > 0 {
		left -= min(w[4], maxNote) + 2
	}
	w[1] = min(w[1], max(minTitle, min(left, maxTitle)))
	return w
}

// fit pads or cuts s to width columns; a cut ends in an ellipsis.
func fit(s string, width int) string {
	if n := uniseg.StringWidth(s); n <= width {
		return s + strings.Repeat(" ", width-n)
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used+g.Width() > width-1 {
			break
		}
		used += g.Width()
		b.WriteString(g.Str())
	}
	return b.String() + "…" + strings.Repeat(" ", width-used-1)
}

// shortHome is a directory for people: without half surrogates, its home as ~.
func shortHome(dir, home string) string {
	dir = jstext.ToUTF8(dir)
	if rest, ok := strings.CutPrefix(dir, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return dir
}

// Ago is a short relative time: "now", "5m", "3h", "2d", else the date.
func Ago(now time.Time, ms int64) string {
	t := time.UnixMilli(ms)
	switch d := now.Sub(t); {
	case d < 0 || d >= 30*24*time.Hour:
		return t.In(now.Location()).Format(time.DateOnly)
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
