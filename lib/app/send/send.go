// Package send is the program dsh-send: it owns messages and delivers them. Each
// command has a file of its own; without one the program enqueues.
//
// It parses no mention in a message and reads no other session.
package send

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/cli"
)

// Main runs dsh-send and returns its exit status.
func Main(sys *cli.System) int {
	own := *sys
	own.Args = joinOptionalURL(sys.Args)
	return cli.Program{
		Name:    "dsh-send",
		Usage:   "[flags] [FILE] | queue | cancel [RECORD…] | run",
		Summary: "Own a message and deliver it to a session",
		Examples: []string{
			"dsh-ref 'Port the fix from @[retry bug](dsh-session:…)' | dsh-send --to ID",
			"dsh-send --to ID --steer -m 'and keep the old flag'",
			"dsh-send run --to ID --exec 'claude -p'   # have it answered",
		},
		Flags:    enqueueFlags(),
		Commands: []*urfave.Command{queueCommand(), cancelCommand(), runCommand()},
		Action:   enqueue,
	}.Main(&own)
}
