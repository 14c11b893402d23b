package suite

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/model"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// A scenario is one thing that is done with an agent.
type scenario struct {
	name string
	what string // for the table's legend
	hook bool   // our prompt hook is configured
	run  func(w *drive.World, s drive.Session) error
}

// errNoWay is a scenario for which the agent's driver has no method.
var errNoWay = errors.New("no way")

// hard is a prompt that is easily changed: several lines, a tag, quotes, a character of
// two UTF-16 units, and what looks like a part of our own frame.
const hard = "first “words”\n\n  - <b>kept</b> & 🙂 as `it` is\n\n## My request:\nis not a frame"

var scenarios = []scenario{
	{name: "turns", what: "three prompts, the first of them hard to keep exactly", run: turns},
	{name: "tools", what: "a turn with a call of the shell between two without", run: tools},
	{name: "typed", what: "the same as turns, typed at the agent's terminal program", run: typed},
	{name: "resume", what: "every process ends, and another goes on", run: resume},
	{name: "fork", what: "a copy of the session goes on, and so does the session", run: fork},
	{name: "rewind", what: "the newest turn is taken back", run: rewind},
	{name: "compaction", what: "the session is summarised and goes on", run: compaction},
	{name: "interruption", what: "a turn is stopped while its answer comes", run: interruption},
	{name: "steering", what: "something is said while a tool's turn runs", run: steering},
	{name: "hook", what: "a prompt mentions a session, and the agent runs our hook", hook: true, run: hook},
	{name: "carried", what: "a session whose own prompt had a snapshot is mentioned", hook: true, run: carried},
	{name: "title", what: "the listing's title is the one that the agent shows", run: title},
}

// prompts asks these one after the other, each held against the log before it.
func prompts(w *drive.World, s drive.Session, texts ...string) error {
	for _, text := range texts {
		if err := w.Ask(s, text); err != nil {
			return err
		}
	}
	return nil
}

// projected is what our programs say of a session now.
func projected(w *drive.World, s drive.Session) (oracle.Projection, error) {
	id, err := s.ID()
	if err != nil {
		return oracle.Projection{}, err
	}
	return w.Project(id)
}

func turns(w *drive.World, s drive.Session) error { return prompts(w, s, hard, "second", "third") }

func typed(w *drive.World, s drive.Session) error {
	p, ok := s.(drive.Person)
	if !ok {
		return errNoWay
	}
	p.AtTerminal()
	return turns(w, s)
}

func tools(w *drive.World, s drive.Session) error {
	if err := prompts(w, s, "first", "run it: "+model.UseTool, "third"); err != nil {
		return err
	}
	requests, _ := w.Model.Since(0)
	for _, r := range requests {
		if oracle.HasToolResult(r.Body, "tool-ran") {
			return nil
		}
	}
	return errors.New("no request has the result of the tool")
}

func resume(w *drive.World, s drive.Session) error {
	if err := prompts(w, s, "first", "second"); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	return prompts(w, s, "third", "fourth")
}

func fork(w *drive.World, s drive.Session) error {
	forker, ok := s.(drive.Forker)
	if !ok {
		return errNoWay
	}
	if err := prompts(w, s, "first", "second"); err != nil {
		return err
	}
	copied, err := forker.Fork()
	if err != nil {
		return err
	}
	defer copied.Close() //nolint:errcheck // the scenario is over
	if err := prompts(w, copied, "in the copy", "in the copy again"); err != nil {
		return err
	}
	if err := distinct(s, copied); err != nil {
		return err
	}
	if err := prompts(w, s, "in the session"); err != nil {
		return fmt.Errorf("the session that was copied: %w", err)
	}
	return nil
}

// distinct is an error where two sessions are one.
func distinct(a, b drive.Session) error {
	one, err := a.ID()
	if err != nil {
		return err
	}
	other, err := b.ID()
	if err != nil {
		return err
	}
	if one == other {
		return fmt.Errorf("the copy is the session itself, %s", one)
	}
	return nil
}

func rewind(w *drive.World, s drive.Session) error {
	rewinder, ok := s.(drive.Rewinder)
	if !ok {
		return errNoWay
	}
	if err := prompts(w, s, "first", "second", "taken back"); err != nil {
		return err
	}
	if err := rewinder.Rewind(); err != nil {
		return err
	}
	if w.Agent.LateRewind {
		if err := s.Prompt("behind the rewind"); err != nil {
			return err
		}
	}
	mark := w.Model.Count()
	if err := prompts(w, s, "fourth", "fifth"); err != nil {
		return err
	}
	items, err := w.RequestFor(mark, "fifth")
	if err != nil {
		return err
	}
	for _, item := range items {
		if item.Text == "taken back" {
			return errors.New("the agent still sends what was taken back: nothing was rewound")
		}
	}
	return nil
}

func compaction(w *drive.World, s drive.Session) error {
	compacter, ok := s.(drive.Compacter)
	if !ok {
		return errNoWay
	}
	// Gemini CLI keeps a conversation as it is that a summary would not make shorter.
	long := strings.Repeat("Much was said that a summary leaves out. ", 200)
	if err := prompts(w, s, "first", long, "third"); err != nil {
		return err
	}
	if err := compacter.Compact(); err != nil {
		return err
	}
	p, err := projected(w, s)
	if err != nil {
		return err
	}
	if len(p.Conversation) == 0 || !p.Conversation[0].Checkpoint {
		return fmt.Errorf("the log has no checkpoint after a compaction:\n%s", oracle.List(p.Conversation))
	}
	return prompts(w, s, "fourth", "fifth")
}

func interruption(w *drive.World, s drive.Session) error {
	interrupter, ok := s.(drive.Interrupter)
	if !ok {
		return errNoWay
	}
	if err := prompts(w, s, "first"); err != nil {
		return err
	}
	if err := interrupter.Begin(drive.Slowly("stopped")); err != nil {
		return err
	}
	if !w.Model.Busy() {
		return errors.New("the turn was over before it could be stopped")
	}
	if err := interrupter.Interrupt(); err != nil {
		return err
	}
	w.Model.Release()
	if err := interrupter.Wait(); err != nil {
		return err
	}
	return prompts(w, s, "third", "fourth")
}

func steering(w *drive.World, s drive.Session) error {
	steerer, ok := s.(drive.Steerer)
	if !ok {
		return errNoWay
	}
	if err := prompts(w, s, "first"); err != nil {
		return err
	}
	if err := steerer.Begin(drive.Slowly("run it: " + model.UseTool)); err != nil {
		return err
	}
	if !w.Model.Busy() {
		return errors.New("the turn was over before anything could be said to it")
	}
	mark := w.Model.Count()
	if err := steerer.Steer("said meanwhile"); err != nil {
		return err
	}
	w.Model.Release()
	if err := steerer.Wait(); err != nil {
		return err
	}
	// Claude Code and others send it with the tool's result; Codex breaks the answer off.
	if requests, _ := w.Model.Since(mark); len(requests) == 0 || !bytes.Contains(requests[0].Body, []byte("said meanwhile")) {
		return errors.New("what was said meanwhile is not in the turn's next request: it did not steer")
	}
	if err := prompts(w, s, "third"); err != nil {
		return err
	}
	p, err := projected(w, s)
	if err != nil {
		return err
	}
	for _, m := range p.Conversation {
		if m.Text == "said meanwhile" {
			return nil
		}
	}
	return fmt.Errorf("what was said meanwhile is not in the log:\n%s", oracle.List(p.Conversation))
}

func title(w *drive.World, s drive.Session) error {
	titler, ok := s.(drive.Titler)
	if !ok {
		return errNoWay
	}
	if p, ok := s.(drive.Person); ok {
		p.AtTerminal()
	}
	if err := prompts(w, s, "words of a title", "second"); err != nil {
		return err
	}
	id, err := s.ID()
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	shown, err := titler.Title() // some make it when they are asked
	if err != nil {
		return err
	}
	listed, err := w.Find(id)
	if err != nil {
		return err
	}
	if listed.Title != shown {
		return fmt.Errorf("the listing has the title %q, the agent shows %q", listed.Title, shown)
	}
	return nil
}
