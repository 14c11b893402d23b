package files

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui/files/gitignore"
)

// rules are the ignore files that hold in a directory: its own, then those above.
type rules struct {
	file gitignore.File
	base string // the file's directory, relative to the top of the rules, "" or "x/y/"
	up   *rules
}

// ignores decides for a path relative to the top of the rules.
func (r *rules) ignores(name string, isDir bool) bool {
	for ; r != nil; r = r.up {
		switch r.file.Match(strings.TrimPrefix(name, r.base), isDir) {
		case gitignore.Ignored:
			return true
		case gitignore.Included:
			return false
		}
	}
	return false
}

// walk reads the tree below root, nearest directories first, and hands over the
// files of each directory until yield returns false or ctx is done. What cannot be
// read is as if it were empty. Links to directories are not followed.
func walk(ctx context.Context, root string, yield func([]entry) bool) {
	top, prefix, above := repository(root)
	type dir struct {
		rel   string // "" or "x/y/", relative to root
		rules *rules
	}
	for queue := []dir{{"", above}}; len(queue) > 0 && ctx.Err() == nil; queue = queue[1:] {
		d := queue[0]
		list, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(d.rel)))
		if err != nil && len(list) == 0 {
			continue
		}
		rs := withFile(d.rules, filepath.Join(top, filepath.FromSlash(prefix+d.rel)), prefix+d.rel)
		var found []entry
		for _, e := range list {
			rel := d.rel + e.Name()
			isDir := e.IsDir()
			switch {
			case e.Name() == ".git" || isDir && e.Name() == "node_modules", untypable(e.Name()), rs.ignores(prefix+rel, isDir):
			case isDir:
				queue = append(queue, dir{rel + "/", rs})
			case isFile(filepath.Join(root, filepath.FromSlash(rel)), e):
				found = append(found, newEntry(rel))
			}
		}
		if !yield(found) {
			return
		}
	}
}

// repository finds the top of the repository that holds root (root itself where
// none does), root's place in it as "x/y/", and the rules that hold from above.
func repository(root string) (top, prefix string, above *rules) {
	for at := root; ; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			top = at
			break
		}
		up := filepath.Dir(at)
		if up == at {
			return root, "", nil
		}
		at = up
	}
	rel, err := filepath.Rel(top, root)
	if err != nil {
		return root, "", nil
	}
	above = withText(nil, filepath.Join(top, ".git", "info", "exclude"), "")
	if rel == "." {
		return top, "", above
	}
	prefix = filepath.ToSlash(rel) + "/"
	for i := 0; i < len(prefix); i += strings.IndexByte(prefix[i:], '/') + 1 {
		above = withFile(above, filepath.Join(top, filepath.FromSlash(prefix[:i])), prefix[:i])
	}
	return top, prefix, above
}

func withFile(up *rules, dir, base string) *rules {
	return withText(up, filepath.Join(dir, ".gitignore"), base)
}

// maxIgnoreFile is more than any ignore file that a person wrote.
const maxIgnoreFile = 1 << 20

func withText(up *rules, file, base string) *rules {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return up
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return up
	}
	if f := gitignore.Parse(string(text)); len(f) > 0 {
		return &rules{f, base, up}
	}
	return up
}

// isFile reports whether a directory's entry is a file, or a link to one.
func isFile(name string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func untypable(name string) bool {
	return strings.Contains(name, `"`) || termtext.Line(name) != name
}

// entry is one file, with what a search looks at.
type entry struct {
	path  string
	lower string
	base  int // where the last element begins in lower
	depth int
}

func newEntry(p string) entry {
	lower := strings.ToLower(p)
	return entry{p, lower, len(lower) - len(path.Base(lower)), strings.Count(p, "/")}
}
