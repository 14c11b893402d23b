package drive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Project is the conversation of a session, as dsh-surface --project gives it; nothing
// for an id that is "". It holds the agent's files to stay as they are.
func (w *World) Project(id string) (oracle.Projection, error) {
	var p oracle.Projection
	if id == "" {
		return p, nil
	}
	err := w.untouched(func() error {
		out, err := w.Ours("", "dsh-surface", "--project", id)
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(out), &p)
	})
	return p, err
}

// Listed is one line of dsh-surface --list.
type Listed struct{ SessionID, Title, Mention string }

// List is what dsh-surface --list prints.
func (w *World) List() ([]Listed, error) {
	var all []Listed
	err := w.untouched(func() error {
		out, err := w.Ours("", "dsh-surface", "--list", "--limit", "0")
		if err != nil {
			return err
		}
		lines := json.NewDecoder(strings.NewReader(out))
		for {
			var line Listed
			if err := lines.Decode(&line); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			all = append(all, line)
		}
	})
	return all, err
}

// Find is the listed session of an id.
func (w *World) Find(id string) (Listed, error) {
	all, err := w.List()
	if err != nil {
		return Listed{}, err
	}
	for _, line := range all {
		if line.SessionID == id {
			return line, nil
		}
	}
	return Listed{}, fmt.Errorf("%s is not listed among %d sessions", id, len(all))
}

// untouched runs something that reads, and is an error where a file of the agent's
// sessions is not what it was. An agent that still runs has to come to rest first.
func (w *World) untouched(read func() error) error {
	var dirs []string
	for _, name := range w.Agent.Files {
		dirs = append(dirs, filepath.Join(w.Home, name))
	}
	if err := w.Settled(dirs...); err != nil {
		return err
	}
	before, err := Fingerprint(dirs...)
	if err != nil {
		return err
	}
	readErr := read()
	after, err := Fingerprint(dirs...)
	if err != nil {
		return err
	}
	w.Reads++
	if diff := before.diff(after); diff != "" {
		return errors.Join(readErr, fmt.Errorf("reading changed the agent's files: %s", diff))
	}
	return readErr
}

// Print is what every file below a directory holds, by its path: its kind and mode, and
// the hash of its bytes or the target of its link.
type Print map[string]string

// Fingerprint takes the print of directories, without those that do not exist.
func Fingerprint(dirs ...string) (Print, error) {
	print := make(Print)
	for _, dir := range dirs {
		if err := print.take(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return print, nil
}

func (p Print) take(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			what += " " + info.ModTime().String() + " " + hex.EncodeToString(sum[:])
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " " + target
		}
		p[path] = what
		return nil
	})
}

// diff names the paths that differ.
func (p Print) diff(other Print) string {
	var names []string
	for path, what := range p {
		if other[path] != what {
			names = append(names, path)
		}
	}
	for path := range other {
		if _, ok := p[path]; !ok {
			names = append(names, path+" (new)")
		}
	}
	return strings.Join(names, ", ")
}
