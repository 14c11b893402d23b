// Package known is the list of agents whose prompt box our hook can serve.
package known

import (
	"slices"

	"github.com/dsh-toolkit/dsh/lib/host"
	"github.com/dsh-toolkit/dsh/lib/host/claude"
	"github.com/dsh-toolkit/dsh/lib/host/codex"
	"github.com/dsh-toolkit/dsh/lib/host/copilot"
	"github.com/dsh-toolkit/dsh/lib/host/gemini"
	"github.com/dsh-toolkit/dsh/lib/host/opencode"
	"github.com/dsh-toolkit/dsh/lib/host/pi"
	"github.com/dsh-toolkit/dsh/lib/host/qwen"
)

// Hosts is every known agent, by name.
var Hosts = []host.Host{
	claude.Host, codex.Host, copilot.Host, gemini.Host, opencode.Host, pi.Host, qwen.Host,
}

// Named is the agent of a name; ok is false where there is none.
func Named(name string) (h host.Host, ok bool) {
	i := slices.IndexFunc(Hosts, func(h host.Host) bool { return h.Name == name })
	if i < 0 {
		return host.Host{}, false
	}
	return Hosts[i], true
}

// Names is the names of all agents, in the order of Hosts.
func Names() []string {
	names := make([]string, len(Hosts))
	for i, h := range Hosts {
		names[i] = h.Name
	}
	return names
}
