package known

import (
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/claude"
	"github.com/dsh-toolkit/dsh/lib/store/codex"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
	"github.com/dsh-toolkit/dsh/lib/store/gemini"
	"github.com/dsh-toolkit/dsh/lib/store/opencode"
	"github.com/dsh-toolkit/dsh/lib/store/pi"
)

// Formats is every format the toolkit reads, dsh's own first. The order is also
// the order in which a bare file is tried.
var Formats = []store.Format{dshlog.Format, claude.Format, codex.Format, opencode.Format, gemini.Format, pi.Format}
