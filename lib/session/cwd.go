package session

import (
	"path"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// moveType is the event by which a session of format 4 goes to another directory.
const moveType = "working-directory/change"

func moves(version int, typ string) bool { return version >= 4 && typ == moveType }

// Folds reports whether a fold of the given format learns something from a log-only
// event of this type: the title, or the directory.
func Folds(version int, typ string) bool { return typ == titleType || moves(version, typ) }

// movedTo is the header of a session that is now in another directory.
func (h Header) movedTo(cwd string) Header {
	var w jstext.Writer
	write := func() {
		w.Key("cwd")
		w.Text(cwd)
	}
	w.BeginObject()
	for key, v := range h.JSON.Members() {
		if key == "cwd" {
			write()
			continue
		}
		w.Key(key)
		w.Raw(v)
		if key == "createdAt" && h.Cwd == nil {
			write()
		}
	}
	w.EndObject()
	h.Cwd, h.JSON = &cwd, w.Value()
	return h
}

// IsAbs reports whether p is absolute where it was written, which may have been
// another kind of machine.
func IsAbs(p string) bool {
	if path.IsAbs(p) || strings.HasPrefix(p, `\\`) {
		return true
	}
	return len(p) >= 3 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') &&
		(p[0] >= 'a' && p[0] <= 'z' || p[0] >= 'A' && p[0] <= 'Z')
}
