package send

import (
	"context"
	"io"
	"path/filepath"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/app/drive"
	"github.com/dsh-toolkit/dsh/lib/app/state"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hook"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/logwriter"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// runCommand is `dsh-send run`: the agent that takes what was sent to a session.
func runCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "run",
		Usage:     "Take what was sent to a session, in order, and have it answered",
		ArgsUsage: "--to ID --model NAME|--exec CMD|--dsh[=URL]",
		Flags: []urfave.Flag{
			toFlag(),
			&urfave.BoolFlag{Name: "once", Usage: "end when nothing waits any more"},
			&urfave.StringFlag{Name: "model", Usage: "ask `NAME` at a chat endpoint (key: DEEPSEEK_API_KEY or OPENAI_API_KEY)"},
			&urfave.StringFlag{Name: "base-url", Usage: "with --model: the OpenAI-compatible endpoint at `URL`"},
			&urfave.StringFlag{Name: "exec", Usage: "the prompt on the standard input of shell line `CMD`, whose output is the answer"},
			&urfave.GenericFlag{Name: "dsh", Value: &optionalURL{}, Usage: "deliver into the running dsh at `URL` (DSH_WEB_URL; http://127.0.0.1:3080)"},
			&urfave.StringSliceFlag{Name: "hook", Usage: "a prompt-submit listener, shell line `CMD`; repeatable, the first is outermost"},
			&urfave.StringFlag{Name: "cwd", Usage: "the working `DIR` of a new session (default: here)"},
			&urfave.StringSliceFlag{Name: "store", Usage: "with --dsh: look for the session's log in `PATH` too; repeatable (DSH_STORE)"},
		},
		Action: cli.Action(run),
	}
}

func run(c *cli.Call) error {
	if err := onlyTo(c); err != nil {
		return err
	}
	if c.NArg() > 0 {
		return cli.Usage("run takes no operand, and %q is one", c.Args().First())
	}
	to, err := target(c)
	if err != nil {
		return err
	}
	answerer, err := chooseModel(c)
	if err != nil {
		return err
	}
	box, err := state.Inbox(c.Sys)
	if err != nil {
		return err
	}
	if c.IsSet("dsh") {
		return runDsh(c, box, to)
	}
	return runAgent(c, box, to, answerer)
}

// runAgent drives a session of our own.
func runAgent(c *cli.Call, box *inbox.Inbox, to string, model agent.Model) error {
	if err := refuseForeign(c, to); err != nil {
		return err
	}
	root, err := state.Sessions(c.Sys)
	if err != nil {
		return err
	}
	driver, err := box.Drive(c.Ctx(), to)
	if err != nil {
		return err
	}
	defer driver.Close()
	log, err := root.Open(logwriter.Options{ID: to, Cwd: workingDir(c), Now: c.Sys.Now})
	if err != nil {
		return err
	}
	defer log.Close()
	h := newHost(c)
	h.agent, err = agent.New(agent.Options{
		SessionID: to, Log: log, Model: model, Hooks: hooks(c), On: h.on,
		Queue: drive.Queue(box, driver),
	})
	if err != nil {
		return err
	}
	close(h.ready)
	return h.wait()
}

// workingDir is where a new session works: as the shell says, which knows the way
// that the user took.
func workingDir(c *cli.Call) *string {
	dir := c.Sys.Getenv("PWD")
	if c.IsSet("cwd") {
		dir = c.String("cwd")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(c.Sys.Getenv("PWD"), dir)
		}
	}
	if !filepath.IsAbs(dir) {
		return nil
	}
	dir = filepath.Clean(dir)
	return &dir
}

func hooks(c *cli.Call) []agent.Hook {
	var out []agent.Hook
	for _, line := range c.StringSlice("hook") {
		out = append(out, hook.Command(line, ownWords(c)))
	}
	return out
}

// ownWords is where a command that we run may talk to the person: a terminal. What
// it says elsewhere ends up in our own error where it matters.
func ownWords(c *cli.Call) io.Writer {
	if c.Sys.StderrTTY {
		return c.Sys.Stderr
	}
	return nil
}

// host shows what an agent does, and ends it when it is time to.
type host struct {
	c       *cli.Call
	agent   *agent.Agent
	ready   chan struct{} // closed when agent is set
	stopped chan struct{} // closed when the agent has ended
	out     *printer
	failed  error // why the run is to end; the agent's goroutine's until stopped
	blocked error // the last prompt that a listener blocked
}

func newHost(c *cli.Call) *host {
	return &host{
		c: c, ready: make(chan struct{}), stopped: make(chan struct{}),
		out: newPrinter(c.Ctx(), c.Unbuffered()),
	}
}

// wait waits for the agent's end, or ends it when the run is cancelled.
func (h *host) wait() error {
	var err error
	select {
	case <-h.c.Ctx().Done():
		err = context.Cause(h.c.Ctx())
		if disposeErr := h.agent.Dispose(); disposeErr != nil {
			err = disposeErr
		}
	case <-h.stopped:
		err = h.agent.Dispose()
	}
	if outErr := h.out.close(); err == nil {
		err = outErr
	}
	switch {
	case err != nil:
		return err
	case h.failed != nil:
		return h.failed
	}
	return h.blocked
}

// on is called by the agent's goroutine.
func (h *host) on(e agent.Event) {
	<-h.ready
	switch e := e.(type) {
	case agent.TurnStarted:
		h.progress("turn %d: %s", e.Turn, termtext.Line(cut(summary(e.Record.Content), 60)))
	case agent.TextDelta:
		h.out.print(e.Text)
	case agent.StepEnded:
		h.out.endLine()
	case agent.Blocked:
		h.block(e)
	case agent.TurnEnded:
		h.turnEnded(e)
	case agent.Idle:
		if h.c.Bool("once") {
			h.agent.Stop()
		}
	case agent.Stopped:
		close(h.stopped)
	}
}

func (h *host) block(e agent.Blocked) {
	err := blockedError(e.Reason)
	if h.c.Bool("once") {
		h.blocked = err
		return
	}
	h.c.Note("turn %d: %v", e.Turn, err)
}

// blockedError is a prompt that a hook blocked.
func blockedError(reason string) error {
	return &fault.Error{
		Kind: fault.Blocked, Code: fault.PromptBlocked,
		Message: "a hook blocked the message: " + fault.Quote(reason),
	}
}

// turnEnded ends the run after a turn that failed: what is wrong with the model is
// likely to be wrong for the next message too, and that one is better kept.
func (h *host) turnEnded(e agent.TurnEnded) {
	switch {
	case e.Reason == agent.Errored:
		h.failed = e.Err
	case h.out.broken():
		// Nobody reads any more. The answer is in the log.
	default:
		if e.Reason == agent.Aborted {
			h.progress("turn %d: aborted", e.Turn)
		}
		return
	}
	h.agent.Stop()
}

func (h *host) progress(format string, args ...any) {
	if h.c.Sys.StderrTTY {
		h.c.Note(format, args...)
	}
}
