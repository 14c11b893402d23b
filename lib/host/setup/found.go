package setup

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
)

// LookPath is the path of a program, as a shell finds it; empty: not found. Folders
// that are not absolute are passed over: they mean another place for an agent.
func LookPath(getenv func(string) string, name string) string {
	names := []string{name}
	if runtime.GOOS == "windows" {
		names = []string{name + ".exe", name + ".cmd"}
	}
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, n := range names {
			path := filepath.Join(dir, n)
			info, err := os.Stat(path)
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return path
			}
		}
	}
	return ""
}

var versionName = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+[-.0-9A-Za-z]*$`)

// version is an agent's version without running it, because most take seconds to
// start: the name of the file that its link leads to, or what the package.json above
// that file says. Empty: neither.
func version(program string) string {
	real, err := filepath.EvalSymlinks(program)
	if program == "" || err != nil {
		return ""
	}
	if name := filepath.Base(real); versionName.MatchString(name) {
		return name
	}
	// Packages have their programs at most three folders deep.
	for dir, n := filepath.Dir(real), 0; n < 4; dir, n = filepath.Dir(dir), n+1 {
		if v := packageVersion(filepath.Join(dir, "package.json")); v != "" {
			return v
		}
	}
	return ""
}

func packageVersion(path string) string {
	const most = 1 << 20
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var about struct{ Name, Version string }
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil || json.Unmarshal(data, &about) != nil || about.Name == "" || !versionName.MatchString(about.Version) {
		return ""
	}
	return about.Version
}
