package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dsh-toolkit/dsh/interop/model"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Place is where the programs are.
type Place struct {
	Cache string // the packages, NAME-VERSION each
	Bin   string // our programs
	Node  string // the directory of node
}

// Program is an agent's program.
func (p Place) Program(a *Agent) string {
	return filepath.Join(p.Cache, a.Name+"-"+a.Version, "node_modules", ".bin", a.Program)
}

// World is all that one scenario has: nothing of it is shared with another.
type World struct {
	Agent *Agent
	Place Place
	Model *model.Server
	Home  string // of the agent
	Work  string // the directory it works in
	Reads int    // how often our programs read the agent's files

	ctx  context.Context // ends with the scenario, and with it all that runs in the world
	root string
	env  []string
	asks []ask
}

// ask is one comparison, in the shape of the oracle's recorded requests.
type ask struct {
	Agent  string          `json:"agent"`
	Path   string          `json:"path"`
	Prompt string          `json:"prompt"`
	Before []oracle.Said   `json:"before"`
	Body   json.RawMessage `json:"body"`
}

// NewWorld makes a world, and configures the agent in it.
func NewWorld(ctx context.Context, place Place, agent *Agent, hook bool) (*World, error) {
	root, err := os.MkdirTemp("", "dsh-interop-")
	if err != nil {
		return nil, err
	}
	// Agents resolve links in their working directory; macOS's /tmp is one.
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	w := &World{
		Agent: agent, Place: place, ctx: ctx, root: root,
		Home: filepath.Join(root, "home"), Work: filepath.Join(root, "work"),
	}
	for _, dir := range []string{w.Home, w.Work, w.path("ours"), w.path("tmp")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
	}
	w.env = []string{
		"HOME=" + w.Home, "PATH=" + place.Node + ":" + place.Bin + ":" + os.Getenv("PATH"), "TMPDIR=" + w.path("tmp"),
		"LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh", "USER=interop", "NO_PROXY=127.0.0.1,localhost",
	}
	if w.Model, err = model.Start(); err != nil {
		return nil, err
	}
	if err := agent.Setup(w, hook); err != nil {
		return nil, errors.Join(fmt.Errorf("configuring %s: %w", agent.Name, err), w.Close())
	}
	return w, nil
}

func (w *World) path(name string) string { return filepath.Join(w.root, name) }

// Root is the directory that holds all of the world's files.
func (w *World) Root() string { return w.root }

// Context ends when the scenario's time is over.
func (w *World) Context() context.Context { return w.ctx }

// Close ends the model.
func (w *World) Close() error { return w.Model.Close() }

// Remove deletes the world's files.
func (w *World) Remove() error { return os.RemoveAll(w.root) }

// Keep writes the requests that the model got, and what was compared, beside the world's
// other files.
func (w *World) Keep() error {
	requests, _ := w.Model.Since(0)
	var all, compared bytes.Buffer
	for _, r := range requests {
		if err := json.NewEncoder(&all).Encode(map[string]any{"n": r.N, "path": r.Path, "body": r.Body}); err != nil {
			return err
		}
	}
	for _, a := range w.asks {
		if err := json.NewEncoder(&compared).Encode(a); err != nil {
			return err
		}
	}
	return errors.Join(
		os.WriteFile(w.path("requests.jsonl"), all.Bytes(), 0o644),
		os.WriteFile(w.path("compared.jsonl"), compared.Bytes(), 0o644),
	)
}

// Env adds to the environment of every program of the world.
func (w *World) Env(vars ...string) { w.env = append(w.env, vars...) }

// WriteHome writes a file below the home; a value that is no string is written as JSON.
func (w *World) WriteHome(name string, value any) error {
	return write(filepath.Join(w.Home, name), value)
}

// WriteWork does the same below the working directory.
func (w *World) WriteWork(name string, value any) error {
	return write(filepath.Join(w.Work, name), value)
}

func write(path string, value any) error {
	text, ok := value.(string)
	if !ok {
		data, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return err
		}
		text = string(data) + "\n"
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// Command is the agent's program with these arguments, in the working directory. It and
// all that it started end with the scenario.
func (w *World) Command(args ...string) *exec.Cmd {
	return w.command(w.Place.Program(w.Agent), args...)
}

func (w *World) command(program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.ctx, program, args...)
	cmd.Dir, cmd.Env = w.Work, w.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// Run runs the agent's program to its end and gives what it printed. A status that is
// not 0 is an error, which has the end of what was printed.
func (w *World) Run(stdin string, args ...string) (string, error) {
	return w.run(w.Command(args...), stdin)
}

// Ours runs one of our programs.
func (w *World) Ours(stdin, program string, args ...string) (string, error) {
	cmd := w.command(filepath.Join(w.Place.Bin, program), args...)
	// Our cache lies outside the home, so that the home can be held to stay as it is.
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "XDG_CACHE_HOME="+w.path("ours"), "XDG_STATE_HOME="+w.path("ours"))
	return w.run(cmd, stdin)
}

func (w *World) run(cmd *exec.Cmd, stdin string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s: %w\n%s%s", filepath.Base(cmd.Path), err, tail(stdout.String()), tail(stderr.String()))
	}
	return stdout.String(), nil
}

// tail is the last 2,000 bytes of a text.
func tail(text string) string { return text[max(0, len(text)-2000):] }
