package suite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// hook has a session mention another: the snapshot arrives in its place, and the log's
// projection has the prompt alone.
func hook(w *drive.World, s drive.Session) error {
	source, err := other(w, s, hard, "second of the other")
	if err != nil {
		return err
	}
	if err := prompts(w, s, "first"); err != nil {
		return err
	}
	return mention(w, s, source)
}

// carried is a session that got a snapshot as text, as by "dsh-ref | agent": another
// that mentions it gets its request alone.
func carried(w *drive.World, s drive.Session) error {
	source, err := other(w, s, "words of the first session")
	if err != nil {
		return err
	}
	text, err := w.Ours("see "+source.Mention, "dsh-ref", "--format", "prompt")
	if err != nil {
		return err
	}
	between, err := other(w, s, text)
	if err != nil {
		return err
	}
	p, err := w.Project(between.SessionID)
	if err != nil {
		return err
	}
	if request := p.Conversation[0].Text; request != "see @"+source.Title {
		return fmt.Errorf("the projection of a prompt with a snapshot is not its request alone: %q", request)
	}
	if strings.Contains(between.Title, "Referenced sessions") {
		return fmt.Errorf("the title is made of a snapshot: %q", between.Title)
	}
	return mention(w, s, between)
}

// other is a second session of the agent in which these have been said. It is an error
// where the log is not right already.
func other(w *drive.World, s drive.Session, texts ...string) (drive.Listed, error) {
	second, err := w.Agent.Start(w)
	if err != nil {
		return drive.Listed{}, err
	}
	defer second.Close() //nolint:errcheck // its log is all that matters
	for _, text := range texts {
		if err := second.Prompt(text); err != nil {
			return drive.Listed{}, err
		}
	}
	id, err := second.ID()
	if err != nil {
		return drive.Listed{}, err
	}
	if err := second.Close(); err != nil {
		return drive.Listed{}, err
	}
	return w.Find(id)
}

// mention asks with a mention of the source, and then without.
func mention(w *drive.World, s drive.Session, source drive.Listed) error {
	want, err := w.Project(source.SessionID)
	if err != nil {
		return err
	}
	prompt := "what of " + source.Mention + "?"
	mark := w.Model.Count()
	if err := w.Ask(s, prompt); err != nil {
		return err
	}
	items, err := w.RequestFor(mark, prompt)
	if err != nil {
		return err
	}
	if err := arrived(w.Agent, items, prompt, want); err != nil {
		return err
	}
	p, err := projected(w, s)
	if err != nil {
		return err
	}
	for _, m := range p.Conversation {
		if strings.Contains(m.Text, "<referenced-sessions>") {
			return fmt.Errorf("the projection has the snapshot:\n%s", oracle.List(p.Conversation))
		}
	}
	if !slices.ContainsFunc(p.Conversation, func(m oracle.Said) bool { return m.Text == prompt }) {
		return fmt.Errorf("the projection does not have the prompt as it was typed:\n%s", oracle.List(p.Conversation))
	}
	return w.Ask(s, "behind the mention")
}

// arrived looks for the snapshot of a session in the request: whole, in its role and on
// its side of the prompt.
func arrived(agent *drive.Agent, items []oracle.Item, prompt string, want oracle.Projection) error {
	isPrompt := func(i oracle.Item) bool { return i.Role == "user" && strings.Contains(i.Text, prompt) }
	isContext := func(i oracle.Item) bool { return strings.Contains(i.Text, "## Referenced sessions\n") }
	at, context := slices.IndexFunc(items, isPrompt), slices.IndexFunc(items, isContext)
	if context < 0 {
		return errors.New("the request has no snapshot")
	}
	item := items[context]
	if item.Role != agent.HookRole {
		return fmt.Errorf("the snapshot stands in a message of %s, not of %s", item.Role, agent.HookRole)
	}
	if before := context < at; context != at && before != agent.HookBefore {
		return fmt.Errorf("the snapshot is item %d and the prompt item %d", context, at)
	}
	text := item.Text
	if agent.HookUnescape != nil {
		text = agent.HookUnescape(text)
	}
	got, err := oracle.Snapshots(text)
	if err != nil {
		return err
	}
	if len(got) != 1 || got[0].SessionID != want.SessionID {
		return fmt.Errorf("the snapshot is not that of %s alone: %v", want.SessionID, got)
	}
	if oracle.List(got[0].Said()) != oracle.List(want.Said()) {
		return fmt.Errorf("the snapshot is not the projection:\nsnapshot\n%s\nprojection\n%s", oracle.List(got[0].Said()), oracle.List(want.Said()))
	}
	return nil
}
