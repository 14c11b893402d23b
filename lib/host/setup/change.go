package setup

import (
	"bytes"
	"path/filepath"
	"slices"

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
	remove bool // it takes our hook out
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
	if !hostconfig.IsProgram(env.Program) || !filepath.IsAbs(env.Program) {
		return nil, &fault.Error{
			Kind: fault.Usage, Code: fault.InvalidConfig, Subject: env.Program,
			Message: "is not the whole path of a dsh-ref, so that its hook could not be found again",
		}
	}
	c, err := s.open(env, project)
	if err != nil {
		return nil, err
	}
	if s.hook == nil {
		return c, s.installPlugin(c, env, o)
	}
	if err := c.noLeftover(); err != nil {
		return nil, err
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
	if c.file.Exists && (len(found) == 0 || losesEdits(found, any.Timeout)) {
		c.backup = save
	}
	return c, nil
}

// losesEdits reports whether an install changes what a person did to entries of ours:
// it takes all but one away, and raises a timeout that is below the least of ours.
func losesEdits(found []hostconfig.Entry, least int) bool {
	edited := 0
	for _, e := range found {
		if e.Timeout > 0 && e.Timeout < least {
			return true
		}
		if e.Edited {
			edited++
		}
	}
	return edited > 1
}

// Remove returns the change that takes our hook out. Where nothing but the install
// came after the backup, the file becomes the backup, byte for byte. An entry that a
// person has edited goes too; then the file as it was is the backup, and stays.
func (s Setup) Remove(env Env, project string) (*Change, error) {
	c, err := s.open(env, project)
	if err != nil {
		return nil, err
	}
	c.remove = true
	if !c.file.Exists {
		return c, nil
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
	before, had, err := s.before(c, hook)
	if err != nil {
		return nil, err
	}
	again := hook
	again.Command, again.Timeout = found[0].Command, found[0].Timeout
	if data, err := again.Install(c.Path, before); err == nil && bytes.Equal(data, c.file.Data) {
		c.after, c.exists = before, had
		return c, nil
	}
	if slices.ContainsFunc(found, func(e hostconfig.Entry) bool { return e.Edited }) {
		c.backup = save
	}
	if c.after, err = hook.Remove(c.Path, c.file.Data, before); err != nil {
		return nil, err
	}
	c.exists = had || !hostconfig.Empty(c.after)
	return c, nil
}

// before is the file as it was before our hook: the backup, unless that was made of a
// file with the hook in it. had is false where there was no file.
func (s Setup) before(c *Change, hook hostconfig.Hook) (before []byte, had bool, err error) {
	before, had, err = c.file.Backup()
	if err != nil || !had {
		return nil, false, err
	}
	if ours, err := hook.Find(c.Path, before); err == nil && len(ours) > 0 {
		return nil, false, nil
	}
	return before, true, nil
}

// noLeftover is an error where the file is gone and a backup of it is still there: with
// a new file a remove would take that for what was before.
func (c *Change) noLeftover() error {
	if c.file.Exists {
		return nil
	}
	_, had, err := c.file.Backup()
	if err != nil || !had {
		return err
	}
	return &fault.Error{
		Kind: fault.Usage, Code: fault.InvalidConfig, Rule: "backup-alone", Subject: c.file.BackupPath(),
		Message: "an earlier install kept this of " + filepath.Base(c.Path) + ", which is gone",
		Hint:    "nothing was changed; move it back, or remove it",
	}
}

// Left is the path of a backup that a remove leaves, because its file is gone; empty:
// there is none.
func (c *Change) Left() string {
	if _, had, err := c.file.Backup(); c.remove && !c.file.Exists && had && err == nil {
		return c.file.BackupPath()
	}
	return ""
}

// Kept is the path of the backup that stays behind for a person's own words; empty:
// none does.
func (c *Change) Kept() string {
	if c.backup == save && c.remove && !c.Nothing() {
		return c.file.BackupPath()
	}
	return ""
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

// Make makes the change. Where it fails, what could not be written has changed nothing.
func (c *Change) Make() error {
	keep := c.backup == save
	switch {
	case c.remove && !c.file.Exists:
		if err := c.file.Delete(false); err != nil { // for the folders
			return err
		}
	case c.Nothing():
	case c.exists:
		if err := c.file.Replace(c.after, keep); err != nil {
			return err
		}
	default:
		if err := c.file.Delete(keep); err != nil {
			return err
		}
	}
	if c.remove && c.exists {
		if err := c.file.Settle(); err != nil {
			return err
		}
	}
	if c.backup == drop {
		return c.file.DropBackup()
	}
	return nil
}
