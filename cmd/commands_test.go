package cmd_test

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands is what scripts can do beside testscript's own commands.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":        exits,
	"trim-newline": trimNewline,
	"unescape":     unescape,
	"zstd":         zstdFrames,
	"tear":         tear,
	"stdout2env":   stdoutToEnv,
	"replace":      replaceInFile,
	"waitfile":     waitFile,
	"terminal":     terminal,
}

// usage ends a script whose command is not used as it must be.
func usage(ts *testscript.TestScript, bad bool, text string) {
	if bad {
		ts.Fatalf("usage: %s", text)
	}
}

// exits N PROGRAM [ARG…] is exec with an exact status: "! exec" also holds for a
// panic.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 2, "exits N program [arg...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var status *exec.ExitError
	switch {
	case errors.As(err, &status):
		got = status.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s exited %d, want %d", args[1], got, want)
	}
}

// trim-newline FILE… takes one newline from the end: archives always have one.
func trimNewline(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) == 0, "trim-newline file...")
	for _, f := range args {
		rewrite(ts, f, func(s string) string {
			if !strings.HasSuffix(s, "\n") {
				ts.Fatalf("%s does not end in a newline", f)
			}
			return strings.TrimSuffix(s, "\n")
		})
	}
}

var byteEscape = regexp.MustCompile(`\\x[0-9A-Fa-f]{2}`)

// unescape FILE… turns \xED into that byte: an archive holds UTF-8 only.
func unescape(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) == 0, "unescape file...")
	for _, f := range args {
		rewrite(ts, f, func(s string) string {
			return byteEscape.ReplaceAllStringFunc(s, func(e string) string {
				b, err := strconv.ParseUint(e[2:], 16, 8)
				ts.Check(err)
				return string([]byte{byte(b)})
			})
		})
	}
}

// stdout2env NAME puts the last command's output, without its newline, into the
// environment.
func stdoutToEnv(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "stdout2env NAME")
	ts.Setenv(args[0], strings.TrimSuffix(ts.ReadFile("stdout"), "\n"))
}

// replace FILE OLD=NEW… puts NEW for every OLD, which must be there.
func replaceInFile(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 2, "replace file old=new...")
	rewrite(ts, args[0], func(s string) string {
		for _, pair := range args[1:] {
			from, to, ok := strings.Cut(pair, "=")
			usage(ts, !ok || from == "", "replace file old=new...")
			if !strings.Contains(s, from) {
				ts.Fatalf("%s has no %q", args[0], from)
			}
			s = strings.ReplaceAll(s, from, to)
		}
		return s
	})
}

// waitfile FILE waits until a background command has made it; ! waitfile until it
// is gone.
func waitFile(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) != 1, "[!] waitfile file")
	const patience = 20 * time.Second
	for start := time.Now(); time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Lstat(ts.MkAbs(args[0])); (err == nil) != neg {
			return
		}
	}
	ts.Fatalf("waited %v for %s", patience, args[0])
}

func rewrite(ts *testscript.TestScript, file string, f func(string) string) {
	path := ts.MkAbs(file)
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, []byte(f(ts.ReadFile(file))), info.Mode().Perm()))
}
