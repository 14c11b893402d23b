package send

import (
	"strings"

	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// summary is the beginning of a message, on one line and safe to show.
func summary(r inbox.Record) string {
	line, _, _ := strings.Cut(strings.TrimSpace(session.Text(r.Content)), "\n")
	if short := session.TruncateUTF8(line, 60); short != line {
		line = short + "…"
	}
	return termtext.Line(line)
}
