// Package state is where the programs find what the toolkit keeps of its own and
// must not lose.
package state

import (
	"path/filepath"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
)

// Inbox is the inbox below $XDG_STATE_HOME/dsh-toolkit.
func Inbox(sys *cli.System) (*inbox.Inbox, error) {
	dir, err := below(sys, "inbox")
	if err != nil {
		return nil, err
	}
	return inbox.Open(dir, inbox.Options{Now: sys.Now})
}

func below(sys *cli.System, name string) (string, error) {
	dir := sys.StateDir()
	if dir == "" {
		return "", &fault.Error{
			Kind: fault.Usage, Code: fault.InvalidConfig, Message: "there is no home directory to keep messages in",
			Hint: "set XDG_STATE_HOME to an absolute path",
		}
	}
	return filepath.Join(dir, name), nil
}
