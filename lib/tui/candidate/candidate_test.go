package candidate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

var now = time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)

func TestAgo(t *testing.T) {
	for _, c := range []struct {
		before time.Duration
		want   string
	}{
		{-time.Hour, "now"},
		{59 * time.Second, "now"},
		{time.Minute, "1m ago"},
		{59 * time.Minute, "59m ago"},
		{23 * time.Hour, "23h ago"},
		{13 * 24 * time.Hour, "13d ago"},
		{14 * 24 * time.Hour, "2w ago"},
		{364 * 24 * time.Hour, "52w ago"},
		{365 * 24 * time.Hour, "Jul 2025"},
	} {
		if got := candidate.Ago(now, now.Add(-c.before)); got != c.want {
			t.Errorf("Ago(%v) = %q, want %q", c.before, got, c.want)
		}
	}
	if got := candidate.Ago(now, time.UnixMilli(-1<<62)); got != "-" {
		t.Errorf("an impossible time is %q, want a dash", got)
	}
}

func TestRow(t *testing.T) {
	cwd := func(s string) *string { return &s }
	at := now.Add(-2 * time.Hour).UnixMilli()
	p := candidate.Place{Home: "/home/dev", Now: now}
	for _, c := range []struct {
		name  string
		s     candidate.Session
		width int
		want  string
	}{
		{"wide", candidate.Session{ID: "id", Label: "Retry bug", Cwd: cwd("/home/dev/api"), Time: at}, 60, "Retry bug" + strings.Repeat(" ", 21) + "~/api                   2h ago"},
		{"no directory", candidate.Session{ID: "id", Label: "Retry bug", Cwd: nil, Time: at}, 60, "Retry bug" + strings.Repeat(" ", 21) + "-                       2h ago"},
		{"narrow", candidate.Session{ID: "id", Label: "Retry bug", Cwd: cwd("/home/dev/api"), Time: at}, 30, "Retry bug               2h ago"},
		{"long directory", candidate.Session{ID: "id", Label: "x", Cwd: cwd("/srv/" + strings.Repeat("d", 40)), Time: at}, 60, "x" + strings.Repeat(" ", 29) + "…" + strings.Repeat("d", 21) + "  2h ago"},
		{"long title", candidate.Session{ID: "id", Label: strings.Repeat("L", 10_000), Cwd: nil, Time: at}, 30, strings.Repeat("L", 19) + "…    2h ago"},
		{"wide characters", candidate.Session{ID: "id", Label: "漢字漢字漢字漢字漢字漢字", Cwd: nil, Time: at}, 30, "漢字漢字漢字漢字漢…     2h ago"},
		{"hostile", candidate.Session{ID: "id", Label: "a\x1b]52;c;aGk=\x07b\u202e", Cwd: cwd("/x\x1b[2J"), Time: at}, 60, `a\x1b]52;c;aGk=\x07b\u202e` + strings.Repeat(" ", 4) + `/x\x1b[2J               2h ago`},
		{"home's neighbour", candidate.Session{ID: "id", Label: "x", Cwd: cwd("/home/developer"), Time: at}, 60, "x" + strings.Repeat(" ", 29) + "/home/developer         2h ago"},
	} {
		t.Run(c.name, func(t *testing.T) {
			title, rest := p.Row(c.s, c.width)
			got := title + rest
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if w := cells.Width(0, got); w != c.width {
				t.Errorf("%d cells wide, want %d", w, c.width)
			}
		})
	}
}
