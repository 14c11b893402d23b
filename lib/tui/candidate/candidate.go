// Package candidate is one session that could be mentioned, and the row that shows
// it: its title (else its id) on the left, directory and age on the right. What
// other sessions wrote is drawn with control characters escaped (SPEC 8).
package candidate

import (
	"fmt"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

// Session is a candidate.
type Session struct {
	ID    string
	Label string // the latest folded title, else the id; well-formed
	Cwd   *string
	Time  int64 // when it began, as lists are ordered, ms since the epoch
}

// Mention is the text that refers to the session.
func (s Session) Mention() string { return sessionuri.Mention(s.ID, &s.Label) }

// Place is what rows are drawn with.
type Place struct {
	Method cells.Method
	Home   string // shown as ~; empty: unknown
	Now    time.Time
}

// narrow is the width below which a row has no room for a directory.
const narrow = 56

// Row draws the session in exactly width cells: its title, and what stands on the
// right of it, which can be passed over.
func (p Place) Row(s Session, width int) (title, rest string) {
	rest = fmt.Sprintf("%8s", Ago(p.Now, time.UnixMilli(s.Time)))
	if width >= narrow {
		room := width/3 + 2
		rest = cells.Fit(p.Method, cells.TruncateLeft(p.Method, p.Dir(s.Cwd), room), room) + rest
	}
	rest = cells.Truncate(p.Method, "  "+rest, width)
	// A title may be very long: only its beginning can be seen, or need be escaped.
	return cells.Fit(p.Method, termtext.Line(head(s.Label, 4*width)), width-cells.Width(p.Method, rest)), rest
}

// Dir shows a directory; none is a dash.
func (p Place) Dir(cwd *string) string {
	if cwd == nil || *cwd == "" {
		return "-"
	}
	d := *cwd
	if rest, ok := strings.CutPrefix(d, p.Home); ok && p.Home != "" && p.Home != "/" && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
		d = "~" + rest
	}
	return termtext.Line(d)
}

// head is the first n bytes of s and whatever completes the last character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n < len(s) && s[n]&0xC0 == 0x80 {
		n++
	}
	return s[:n]
}

// Ago says how long before now t was, in at most eight cells: "now", "5m ago",
// "3h ago", "6d ago", "12w ago"; a year and more is the year and month. What lies
// ahead, as clocks differ, is "now".
func Ago(now, t time.Time) string {
	const day = 24 * time.Hour
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	case d < 14*day:
		return fmt.Sprintf("%dd ago", d/day)
	case d < 365*day:
		return fmt.Sprintf("%dw ago", d/(7*day))
	}
	if y := t.Year(); y < 0 || y > 9999 {
		return "-"
	}
	return t.Format("Jan 2006")
}
