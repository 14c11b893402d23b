package state

import (
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
)

// sessions is the root of the logs of our own agent; lib/store/dshlog reads it.
const sessions = "sessions"

// Sessions is the root of our own sessions below $XDG_STATE_HOME/dsh-toolkit. It
// is made if it is not there.
func Sessions(sys *cli.System) (*logwriter.Root, error) {
	dir, err := below(sys, sessions)
	if err != nil {
		return nil, err
	}
	return logwriter.OpenRoot(dir)
}

// IsSessions reports whether a directory is that root.
func IsSessions(sys *cli.System, dir string) bool {
	ours, err := below(sys, sessions)
	return err == nil && dir == ours
}
