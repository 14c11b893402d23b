package gemini

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// roots is .gemini in $GEMINI_CLI_HOME, else in the home directory, on every system.
func roots(env store.Env) []string {
	home := env.Getenv("GEMINI_CLI_HOME")
	if home == "" {
		home = env.Home
	}
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".gemini")}
}

// base is the directory of projects below a root, which may be a home directory,
// .gemini, its tmp, or one project.
func base(root string) string {
	for _, dir := range []string{filepath.Join(root, "tmp"), filepath.Join(root, ".gemini", "tmp")} {
		if isDir(dir) {
			return dir
		}
	}
	return root
}

// projects yields the directories that may have chats, each once, also where links
// lead to it.
func projects(root string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		dir := base(root)
		entries, err := os.ReadDir(dir)
		if err != nil {
			yield("", jsonl.Unreadable(dir, err))
			return
		}
		dirs := []string{}
		if isDir(filepath.Join(dir, chats)) {
			dirs = append(dirs, dir)
		}
		// The directory's own name is better than a link to it.
		slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return linkRank(a) - linkRank(b) })
		for _, e := range entries {
			dirs = append(dirs, filepath.Join(dir, e.Name()))
		}
		seen := make(map[string]bool)
		for _, d := range dirs {
			real, err := filepath.EvalSymlinks(d)
			if err != nil {
				if !yield("", jsonl.Unreadable(d, err)) {
					return
				}
				continue
			}
			if isDir(real) && !seen[real] {
				seen[real] = true
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

func linkRank(e os.DirEntry) int {
	if e.Type()&os.ModeSymlink != 0 {
		return 1
	}
	return 0
}

const chats = "chats"

// sessionFiles lists the recordings of a project; subagents' lie deeper.
func sessionFiles(project string) ([]string, error) {
	dir := filepath.Join(project, chats)
	entries, err := os.ReadDir(dir)
	if err != nil {
		if os.IsNotExist(err) {
			err = nil // a project without chats
		} else {
			err = jsonl.Unreadable(dir, err)
		}
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if isSessionName(e.Name()) && !e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, nil
}

func isSessionName(name string) bool {
	ext := filepath.Ext(name)
	return strings.HasPrefix(name, "session-") && (ext == ".jsonl" || ext == ".json")
}

// place is a project's directory; empty: none is known.
type place string

// placeOf is the project that a recording lies in.
func placeOf(path string) place {
	if dir := filepath.Dir(path); filepath.Base(dir) == chats {
		return place(filepath.Dir(dir))
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
