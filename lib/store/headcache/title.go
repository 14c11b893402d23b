package headcache

import (
	"os"
	"path/filepath"
)

// Title is the title of the session in the file at path: what the cache has for the
// file as it is now, else what find says, which is kept. An error of find is
// returned, and nothing is kept then. A file that changes meanwhile is remembered as
// it was before, and so asked again.
func (c *Cache) Title(path string, find func() (*string, error)) (*string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return find()
	}
	key := KeyOf(path, info)
	if v, ok := c.Get(key); ok {
		return decodeTitle(v), nil
	}
	title, err := find()
	if err == nil {
		c.Put(key, encodeTitle(title))
	}
	return title, err
}

// A title is kept behind one letter, and none as nothing.
func encodeTitle(title *string) string {
	if title == nil {
		return ""
	}
	return "t" + *title
}

func decodeTitle(v string) *string {
	if v == "" {
		return nil
	}
	title := v[1:]
	return &title
}

// ForRoot is the cache of a store's root below dir, by the root's real path; with dir
// empty facts are kept in memory alone.
func ForRoot(dir, kind, root string) *Cache {
	if dir == "" {
		return New("")
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return New("")
	}
	return New(Path(dir, kind, abs))
}
