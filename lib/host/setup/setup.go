// Package setup puts our prompt hook into the configuration of an agent, takes it
// out again, and says how things stand.
//
// Most agents run commands that their settings name; for those a Setup has a hook,
// which lib/hostconfig edits into the file. OpenCode and pi load a file of code; for
// those it has a plugin, which is the file. The places are those that the agents
// document, and were seen to work with the versions of dsh-hosts(7).
package setup

import (
	"path/filepath"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

// patience is how many seconds an agent waits for our hook, at least. It is more
// than the hook itself takes before it gives up.
const patience = 30

// Env is what a Setup asks of its surroundings.
type Env struct {
	Getenv func(string) string
	Home   string
	// Program is the path of dsh-ref as it is written into a configuration.
	Program string
}

// Setup is how our hook gets into one agent.
type Setup struct {
	// Agent is its name in lib/host, and that of its program.
	Agent string
	// user is the folder of a person's own configuration; empty: not known.
	user func(Env) string
	// project is that folder within a project.
	project string
	// file is the file of the hook, below either folder.
	file string
	// hook is the entry, without its command; nil: plugin is the file.
	hook *hostconfig.Hook
	// second is one second in the unit of the entry's timeout.
	second int
	plugin string
	// dialect is what the agent takes in the file beyond JSON, as it was seen to.
	dialect hostconfig.Dialect
	off     offSwitch
	// trust says whether the agent runs the entry as it stands; nil: it does.
	trust func(Env, string, hostconfig.Entry) string
}

// offSwitch is the setting by which a person switches all hooks off: a key, below
// another where there is one, and its value.
type offSwitch struct{ above, key, value string }

// Named is the agent of a name; ok is false where there is none.
func Named(name string) (s Setup, ok bool) {
	i := slices.IndexFunc(All, func(s Setup) bool { return s.Agent == name })
	if i < 0 {
		return Setup{}, false
	}
	return All[i], true
}

// Path is the file of the hook: the person's own, or that of a project where
// project is not empty. It is an error where no home is known.
func (s Setup) Path(env Env, project string) (string, error) {
	dir := filepath.Join(project, s.project)
	if project == "" {
		if dir = s.user(env); dir == "" {
			return "", &fault.Error{
				Kind: fault.Usage, Code: fault.InvalidConfig,
				Message: "the configuration of " + s.Agent + " is not known: the environment names no home directory",
			}
		}
	}
	return filepath.Join(dir, filepath.FromSlash(s.file)), nil
}

// command is what runs our hook: the words of it.
func (s Setup) command(env Env, flags []string) []string {
	return append(append([]string{env.Program, "hook"}, flags...), s.Agent)
}

// entry is the hook with a command in it. seconds is how long the agent waits.
func (s Setup) entry(words []string, seconds int) (hostconfig.Hook, error) {
	h := *s.hook
	h.Ours = func(command string) bool {
		_, ok := hostconfig.OwnCommand(command, s.Agent)
		return ok
	}
	h.Runs = func(command string) bool { return hostconfig.RunsHook(command, s.Agent) }
	h.Timeout = max(seconds, patience) * s.second
	if len(words) == 0 {
		return h, nil
	}
	var err error
	if h.Command, err = hostconfig.Join(words); err != nil {
		return h, notWritten(err)
	}
	return h, nil
}

func notWritten(err error) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.InvalidConfig, Message: "the command cannot be written into a configuration", Err: err,
		Hint: "nothing was changed",
	}
}

// flagsOf is the flags of a command of ours.
func flagsOf(words []string) []string { return words[2 : len(words)-1] }
