package setup

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

// Status is how things stand with one agent.
type Status struct {
	Agent   string
	Program string // the agent's path in PATH; empty: not found
	Version string // of the agent; empty: cannot be told without running it
	File    string // of the hook
	// Installed says that the file has an entry of ours, Current that it is the one
	// that Install would write.
	Installed, Current bool
	Command            string // of the entry
	// Trust is empty where the agent runs the hook as it stands, else what to do.
	Trust string
	// Edited says that a person has changed the plugin: Install and Remove refuse it.
	Edited bool
	// PassedOver is empty, or what the file has that makes the agent pass it over.
	PassedOver string
	// Off is empty, or the setting by which all hooks are switched off.
	Off string
}

// Status looks at one agent. Where its file cannot be read the error says so, and
// what is known without it is there.
func (s Setup) Status(env Env, project string) (Status, error) {
	st := Status{Agent: s.Agent}
	st.Program = LookPath(env.Getenv, s.Agent)
	st.Version = version(st.Program)
	c, err := s.open(env, project)
	if err != nil {
		st.File, _ = s.Path(env, project)
		return st, err
	}
	st.File = c.Path
	var entry hostconfig.Entry
	if s.hook == nil {
		if plugin := s.readPlugin(c.file.Data); plugin.words != nil {
			entry.Command, _ = hostconfig.Join(plugin.words)
			st.Installed, st.Edited = true, plugin.edited
			st.Current = bytes.Equal(c.file.Data, s.pluginText(s.command(env, flagsOf(plugin.words))))
		}
	} else {
		hook, err := s.entry(nil, 0)
		if err != nil {
			return st, err
		}
		found, err := hook.Find(c.Path, c.file.Data)
		if err != nil {
			return st, err
		}
		st.Off = s.off.in(c.file.Data)
		var f *fault.Error
		if errors.As(s.dialect.Check(c.Path, s.Agent, c.file.Data), &f) {
			st.PassedOver = f.Message
		}
		if len(found) > 0 {
			entry, st.Installed = found[0], true
			words, _ := hostconfig.OwnCommand(entry.Command, s.Agent)
			same := slices.Equal(words, s.command(env, flagsOf(words)))
			st.Current = same && len(found) == 1 && entry.Timeout >= patience*s.second
		}
	}
	st.Command = entry.Command
	if st.Installed && s.trust != nil {
		st.Trust = s.trust(env, realPath(c.Path), entry)
	}
	return st, nil
}

// in says how a file switches hooks off; empty: it does not.
func (o offSwitch) in(data []byte) string {
	if o.key == "" {
		return ""
	}
	path := []string{o.key}
	if o.above != "" {
		path = []string{o.above, o.key}
	}
	if hostconfig.Literal(data, path...) != o.value {
		return ""
	}
	name := o.key
	if o.above != "" {
		name = o.above + "." + o.key
	}
	return name + ": " + o.value
}

// realPath is a path without links, as far as that can be told.
func realPath(path string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
