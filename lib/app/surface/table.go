package surface

import (
	"fmt"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// table prints a listing for a person: when, what, where, and the id to name it
// by. The title column takes what the others leave.
func table(c *cli.Call, entries []store.Entry) error {
	now := c.Sys.Now()
	rows := make([][4]string, 0, len(entries)+1)
	rows = append(rows, [4]string{"UPDATED", "TITLE", "CWD", "ID"})
	for _, e := range entries {
		cwd := "-"
		if e.Cwd != nil {
			cwd = shortHome(*e.Cwd, c.Sys.Home())
		}
		rows = append(rows, [4]string{Ago(now, e.UpdatedAt), termtext.Line(e.Label()), termtext.Line(cwd), termtext.Line(e.ID)})
	}
	widths := columnWidths(rows, c.Sys.Columns)
	for _, r := range rows {
		for i, cell := range r[:3] {
			fmt.Fprint(c.Out, fit(cell, widths[i]), "  ")
		}
		if _, err := fmt.Fprintln(c.Out, r[3]); err != nil { // ids stay whole: they are there to be copied
			return err
		}
	}
	return nil
}

const (
	minTitle = 16
	maxTitle = 60
	maxCwd   = 32
)

func columnWidths(rows [][4]string, total int) [4]int {
	var w [4]int
	for _, r := range rows {
		for i, cell := range r {
			w[i] = max(w[i], uniseg.StringWidth(cell))
		}
	}
	w[2] = min(w[2], maxCwd)
	left := total - w[0] - w[2] - w[3] - 3*2
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

func shortHome(dir, home string) string {
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
