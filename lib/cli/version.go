package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version is "MODULE-VERSION (COMMIT[, modified]) GO-VERSION" from the build
// info. A build with -buildvcs=false, or one outside a checkout, has no commit.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel) " + runtime.Version()
	}
	version, commit := info.Main.Version, ""
	if version == "" {
		version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))] + commit
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += ", modified"
		}
	}
	if commit == "" {
		commit = "no commit"
	}
	return fmt.Sprintf("%s (%s) %s", version, commit, info.GoVersion)
}
