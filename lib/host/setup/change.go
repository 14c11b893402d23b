package setup

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

// Change is what an edit would do. Nothing has been done yet.
type Change struct {
	Path   string
	file   *hostconfig.File
	after  []byte
	exists bool // after it
	backup backup
}

// backup is what becomes of the backup when a Change is made.
type backup int

const (
	leave backup = iota
	save
	drop
)

// Options is what a person chose for a hook.
type Options struct {
	// Flags are those of the command; nil: those that an entry of ours has already.
	Flags []string
	// Seconds is how long the agent must wait for the command; 0: the default.
	Seconds int
}

// Install returns the change that puts our hook in, once and with env's program.
func (s Setup) Install(env Env, project string, o Options) (*Change, error) {
	if !isProgram(env.Program) {
		return nil, &fault.Error{
			Kind: fault.Usage, Code: fault.InvalidConfig, Subject: env.Program,
			Message: "is not called dsh-ref, so that its hook could not be found again",
		}
	}
	c, err := s.open(env, project)
	if err != nil {
		return nil, err
	}
	if s.hook == nil {
		return c, s.installPlugin(c, env, o)
	}
	if err := s.dialect.Check(c.Path, s.Agent, c.file.Data); err != nil {
		return nil, err
	}
	any, err := s.entry(nil, 0)
	if err != nil {
		return nil, err
	}
	found, err := any.Find(c.Path, c.file.Data)
	if err != nil {
		return nil, err
	}
	flags := o.Flags
	if flags == nil && len(found) > 0 {
		words, _ := hostconfig.OwnCommand(found[0].Command, s.Agent)
		flags = flagsOf(words)
	}
	hook, err := s.entry(s.command(env, flags), o.Seconds)
	if err != nil {
		return nil, err
	}
	if c.after, err = hook.Install(c.Path, c.file.Data); err != nil {
		return nil, err
	}
	c.exists = true
	if c.file.Exists && len(found) == 0 {
		c.backup = save
	}
	return c, nil
}

// Remove returns the change that takes our hook out. Where nothing but the install
// came after the backup, the file becomes the backup, byte for byte.
func (s Setup) Remove(env Env, project string) (*Change, error) {
	c, err := s.open(env, project)
	if err != nil || !c.file.Exists {
		return c, err
	}
	if s.hook == nil {
		return c, s.removePlugin(c)
	}
	hook, err := s.entry(nil, 0)
	if err != nil {
		return nil, err
	}
	found, err := hook.Find(c.Path, c.file.Data)
	if err != nil {
		return nil, err
	}
	c.after, c.exists, c.backup = c.file.Data, true, drop
	if len(found) == 0 {
		return c, nil
	}
	before, had, err := c.file.Backup()
	if err != nil {
		return nil, err
	}
	hook.Command, hook.Timeout = found[0].Command, found[0].Timeout
	if again, err := hook.Install(c.Path, before); err == nil && bytes.Equal(again, c.file.Data) {
		c.after, c.exists = before, had
		return c, nil
	}
	if c.after, err = hook.Remove(c.Path, c.file.Data, before); err != nil {
		return nil, err
	}
	c.exists = had || !hostconfig.Empty(c.after)
	return c, nil
}

func (s Setup) open(env Env, project string) (*Change, error) {
	path, err := s.Path(env, project)
	if err != nil {
		return nil, err
	}
	file, err := hostconfig.Open(path)
	if err != nil {
		return nil, err
	}
	return &Change{Path: path, file: file}, nil
}

// Nothing reports whether the file is already as it would be.
func (c *Change) Nothing() bool {
	return c.exists == c.file.Exists && bytes.Equal(c.after, c.file.Data)
}

// Diff is the change as a unified diff; empty where there is none.
func (c *Change) Diff() []byte {
	name := func(exists bool) string {
		if exists {
			return c.Path
		}
		return "/dev/null"
	}
	if c.Nothing() {
		return nil
	}
	after := c.after
	if !c.exists {
		after = nil
	}
	return diff.Diff(name(c.file.Exists), c.file.Data, name(c.exists), after)
}

// Make makes the change: first the backup, then the file, so that a crash between
// the two loses nothing.
func (c *Change) Make() error {
	if c.backup == save && !c.Nothing() {
		if err := c.file.SaveBackup(); err != nil {
			return err
		}
	}
	switch {
	case c.Nothing():
	case c.exists:
		if err := c.file.Replace(c.after); err != nil {
			return err
		}
	default:
		if err := c.file.Delete(); err != nil {
			return err
		}
	}
	if c.backup != drop {
		return nil
	}
	if c.exists {
		if err := c.file.Settle(); err != nil {
			return err
		}
	}
	return c.file.DropBackup()
}
