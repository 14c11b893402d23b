package cmd_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	jq "github.com/itchyny/gojq/cli"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite golden sections that differ")

// TestMain lets the test binary be each of the programs, and jq, which scripts use
// as people do and a fresh machine may lack.
func TestMain(m *testing.M) {
	commands := map[string]func(){"jq": func() { os.Exit(jq.Run()) }}
	for name, run := range programs {
		commands[name] = func() { os.Exit(run(scriptSystem())) }
	}
	os.Setenv(raceExit()) // for the programs that tests start without a script
	// Scripts mostly wait. The command line comes after this and has the last word.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	testscript.Main(m, commands)
}

// raceExit is a setting without which every program built with -race stays a
// second longer, for reports that come late.
func raceExit() (name, value string) { return "GORACE", "atexit_sleep_ms=0" }

// TestScripts runs testdata/scripts/*.txtar. Beside testscript's own commands
// they have those of scriptCommands; a script starts in $WORK with nothing of the
// caller's environment but PATH:
//
//	HOME        $WORK/home, empty
//	DATA        the project's testdata, to be read only
//	TZ          UTC
//	LC_ALL      C.UTF-8
//	SCRIPT_NOW  what the programs take for the present
func TestScripts(t *testing.T) {
	runScripts(t, "scripts", func(*testscript.Env) error { return nil })
}

// TestCases runs testdata/cases/*.txtar: one small case each of what real agents, or
// accidents, leave on a disk, with the commands that read it and the right answers. A
// case is a script as TestScripts has them. The files that it is about stand in the
// folder of its name beside it, of which $WORK/case is a copy.
func TestCases(t *testing.T) {
	data, err := filepath.Abs("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join(data, e.Name()+".txtar")); err != nil {
			t.Errorf("testdata/cases/%s has no script beside it: %v", e.Name(), err)
		}
	}
	runScripts(t, "cases", func(env *testscript.Env) error {
		name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
		return os.CopyFS(filepath.Join(env.WorkDir, "case"), os.DirFS(filepath.Join(data, name)))
	})
}

func runScripts(t *testing.T, dir string, setup func(*testscript.Env) error) {
	data, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(data, dir), UpdateScripts: *update,
		RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: scriptCommands,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("DATA", data)
			env.Setenv("TZ", "UTC")
			env.Setenv("LC_ALL", "C.UTF-8")
			env.Setenv(raceExit())
			env.Setenv("SCRIPT_NOW", "2026-03-04T05:06:07Z")
			env.Values[testKey{}] = t
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			return setup(env)
		},
	})
}

type testKey struct{}

// complain fails the tests from what runs behind the end of a script, where
// ts.Fatalf would end them all.
func complain(ts *testscript.TestScript, format string, args ...any) {
	ts.Value(testKey{}).(*testing.T).Errorf(ts.Name()+": "+format, args...)
}
