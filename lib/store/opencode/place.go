package opencode

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/store"
)

// dataDir is OpenCode's data directory, the same on every system; empty where
// neither the environment nor the home directory tells.
func dataDir(env store.Env) string {
	if d := env.Getenv("XDG_DATA_HOME"); d != "" {
		return filepath.Join(d, "opencode")
	}
	if env.Home == "" {
		return ""
	}
	return filepath.Join(env.Home, ".local", "share", "opencode")
}

// roots lists the data directory and two that other programs have been seen to use.
// Where only OPENCODE_DB leads to anything, its file is the root.
func roots(env store.Env) []string {
	var out []string
	data := dataDir(env)
	if data != "" {
		out = append(out, data)
	}
	if _, err := os.Stat(data); err != nil {
		if db := namedDB(env); db != "" {
			out = append(out, db)
		}
	}
	switch env.GOOS {
	case "darwin":
		if env.Home != "" {
			out = append(out, filepath.Join(env.Home, "Library", "Application Support", "opencode"))
		}
	case "windows":
		if d := env.Getenv("APPDATA"); d != "" {
			out = append(out, filepath.Join(d, "opencode"))
		}
	}
	return out
}

// namedDB is the database that OPENCODE_DB names, relative to the data directory;
// empty where it names none on disk.
func namedDB(env store.Env) string {
	db := env.Getenv("OPENCODE_DB")
	switch {
	case db == "" || db == ":memory:":
		return ""
	case filepath.IsAbs(db):
		return db
	case dataDir(env) == "":
		return ""
	}
	return filepath.Join(dataDir(env), db)
}

// place is what a root stands for.
type place struct {
	databases func() []string
	trees     func() []tree
}

// placeOf says where the sessions of a root are. The environment speaks for the data
// directory alone: a place that somebody names is read as it is.
func placeOf(root string, env store.Env) place {
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		return place{
			databases: func() []string { return []string{root} },
			trees:     func() []tree { return nil },
		}
	}
	p := place{
		databases: func() []string { return databasesIn(root) },
		trees:     func() []tree { return treesIn(root) },
	}
	if !sameFile(root, dataDir(env)) {
		return p
	}
	switch disabled := env.Getenv("OPENCODE_DISABLE_CHANNEL_DB"); {
	case env.Getenv("OPENCODE_DB") != "":
		p.databases = func() []string { return existing(namedDB(env)) }
	case disabled == "1" || disabled == "true":
		p.databases = func() []string { return existing(filepath.Join(root, "opencode.db")) }
	}
	return p
}

// databasesIn lists the databases of a directory: one for each release channel.
func databasesIn(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, "opencode") && strings.HasSuffix(n, ".db") {
			out = append(out, existing(filepath.Join(dir, n))...)
		}
	}
	return out
}

// treesIn lists the trees of JSON files below a data directory, or the directory
// itself where it is one.
func treesIn(dir string) []tree {
	var out []tree
	switch {
	case isDir(filepath.Join(dir, "storage")):
		out = append(out, tree{root: filepath.Join(dir, "storage")})
	case isDir(filepath.Join(dir, "session")):
		out = append(out, tree{root: dir})
	}
	projects, _ := os.ReadDir(filepath.Join(dir, "project"))
	for _, e := range projects {
		if root := filepath.Join(dir, "project", e.Name(), "storage"); isDir(filepath.Join(root, "session", "info")) {
			out = append(out, tree{root: root, old: true})
		}
	}
	return out
}

func existing(path string) []string {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []string{path}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// treeOf is the tree that a session record's file belongs to.
func treeOf(path string) tree {
	dir := filepath.Dir(path)
	root := filepath.Dir(filepath.Dir(dir))
	old := filepath.Base(dir) == "info" && isDir(filepath.Join(filepath.Dir(dir), "message"))
	return tree{root: root, old: old}
}
