package ref

import (
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/host/known"
)

// command returns the program of a command of dsh-ref, and the arguments as that
// program sees them; nil where the arguments are a message's.
//
// A message may begin with the word hook. So that word alone is none: it is a
// command only where an agent's name, an action or a flag comes next.
func command(args []string) (run func(*cli.System) int, rest []string) {
	if len(args) < 3 || args[1] != "hook" {
		return nil, nil
	}
	rest = append([]string{args[0]}, args[2:]...)
	if run := actions[args[2]]; run != nil {
		return run, agentLast(append([]string{args[0]}, args[3:]...))
	}
	if next := args[2]; slices.Contains(known.Names(), next) || strings.HasPrefix(next, "-") && next != "-" && next != "--" {
		return hookMain, rest
	}
	return nil, nil
}

// agentLast lets the agent's name stand before the flags: "install claude --dry-run".
func agentLast(args []string) []string {
	if len(args) < 3 || !slices.Contains(known.Names(), args[1]) {
		return args
	}
	return append(append([]string{args[0]}, args[2:]...), args[1])
}
