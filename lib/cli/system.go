package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"github.com/dsh-toolkit/dsh/lib/store"
)

// System is everything a program may touch outside itself.
type System struct {
	Args   []string // os.Args
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	// Executable is the path of the running program; nil where there is none.
	Executable func() (string, error)
	Now        func() time.Time
	Context    context.Context // done on SIGINT and SIGTERM
	// Interrupts takes SIGINT away from Context: from its call on the channel gets
	// one value for each, while there is room for one. It is for a program at a terminal
	// that means something else by it; nil where that cannot be.
	Interrupts func() <-chan struct{}
	// StdinTTY and the two below say whether a stream is a terminal.
	StdinTTY, StdoutTTY, StderrTTY bool
	// Columns is the width of the terminal on standard output; 80 where unknown.
	Columns int
}

// OS is the real system. It turns SIGINT and SIGTERM into a done context, and a
// second one ends the program the hard way. A write to a closed pipe becomes an
// error instead of a fatal signal, so that every program ends in its own words.
// The runtime has opened /dev/null for any of the three streams that was closed,
// so no file of ours can land on descriptor 1.
func OS() *System {
	// Not signal.Ignore: the programs that we run would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, interrupts := signals()
	tty := func(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }
	return &System{
		Args: os.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Executable: os.Executable, Now: time.Now, Context: ctx, Interrupts: interrupts,
		StdinTTY: tty(os.Stdin), StdoutTTY: tty(os.Stdout), StderrTTY: tty(os.Stderr),
		Columns: columns(os.Stdout),
	}
}

// signals returns the context that ends with SIGINT or SIGTERM, and what takes
// SIGINT away from it.
func signals() (context.Context, func() <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	interrupts := make(chan struct{}, 1)
	var taken atomic.Bool
	go func() {
		for s := range got {
			if s != os.Interrupt || !taken.Load() {
				signal.Stop(got) // the next one ends the program the hard way
				cancel()
				return
			}
			select {
			case interrupts <- struct{}{}:
			default:
			}
		}
	}()
	return ctx, func() <-chan struct{} {
		taken.Store(true)
		return interrupts
	}
}

func columns(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}

// Home is the user's home directory, empty if the environment does not say.
func (s *System) Home() string {
	if runtime.GOOS == "windows" {
		return s.Getenv("USERPROFILE")
	}
	return s.Getenv("HOME")
}

// StateDir is where the toolkit keeps what must not be lost: its own session logs
// and the inbox. It is empty where neither XDG_STATE_HOME nor a home is known.
func (s *System) StateDir() string {
	return s.under("XDG_STATE_HOME", ".local", "state")
}

// CacheDir is where droppable files may be kept; empty: nowhere.
func (s *System) CacheDir() string {
	return s.under("XDG_CACHE_HOME", ".cache")
}

func (s *System) under(env string, elem ...string) string {
	base := s.Getenv(env)
	if base == "" || !filepath.IsAbs(base) { // the XDG rule: relative paths are ignored
		if s.Home() == "" {
			return ""
		}
		base = filepath.Join(append([]string{s.Home()}, elem...)...)
	}
	return filepath.Join(base, "dsh-toolkit")
}

// StoreEnv is what store formats may ask of this system.
func (s *System) StoreEnv() store.Env {
	return store.Env{Getenv: s.Getenv, Home: s.Home(), CacheDir: s.CacheDir(), GOOS: runtime.GOOS}
}

// Color reports whether a terminal stream may be coloured.
func (s *System) Color(tty bool) bool {
	return tty && s.Getenv("NO_COLOR") == "" && s.Getenv("TERM") != "dumb"
}
