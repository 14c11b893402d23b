// Package cmd_test runs the programs as people do: scripts that pipe them
// (testdata/scripts), the rules that all of them keep, and their manual pages.
package cmd_test

import (
	"os"
	"time"

	"github.com/dsh-toolkit/dsh/lib/app/ref"
	"github.com/dsh-toolkit/dsh/lib/app/send"
	"github.com/dsh-toolkit/dsh/lib/app/surface"
	"github.com/dsh-toolkit/dsh/lib/app/tui"
	"github.com/dsh-toolkit/dsh/lib/app/uri"
	"github.com/dsh-toolkit/dsh/lib/cli"
)

// programs is every program by its name. One that is listed here is available to
// the scripts and held to the common rules and to its page.
var programs = map[string]func(*cli.System) int{
	"dsh-ref":     ref.Main,
	"dsh-send":    send.Main,
	"dsh-surface": surface.Main,
	"dsh-tui":     tui.Main,
	"dsh-uri":     uri.Main,
}

// scriptSystem is the real system but for what a script must be able to fix: the
// clock stands at SCRIPT_NOW. The shipped programs know no such variable.
func scriptSystem() *cli.System {
	sys := cli.OS()
	if now, err := time.Parse(time.RFC3339, os.Getenv("SCRIPT_NOW")); err == nil {
		sys.Now = func() time.Time { return now }
	}
	return sys
}
