package picker

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui/cells"
)

const (
	// settle is how long the cursor must rest on a session before it is read.
	settle = 40 * time.Millisecond
	// maxKept is how many previews are kept.
	maxKept = 24
)

// preview is the lower half of the screen.
type preview struct {
	id    string // of the session at hand; empty: none
	stop  context.CancelFunc
	known map[string]previewMsg

	top, height int
	rows        []string // of the text, for width
	of          string   // the session whose text rows has
	width       int
	method      cells.Method
}

// show makes the preview that of the session at hand.
func (m *Model) show() tea.Cmd {
	p := &m.preview
	s, ok := m.hand()
	if ok && s.ID == p.id {
		return nil
	}
	if p.stop != nil {
		p.stop()
	}
	p.id, p.top = s.ID, 0
	if _, known := p.known[s.ID]; known || !ok {
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	p.stop = cancel
	return func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(settle):
		}
		made, err := m.o.Previews.Preview(ctx, s)
		if ctx.Err() != nil {
			return nil
		}
		return previewMsg{s.ID, made, err}
	}
}

func (m *Model) previewed(msg previewMsg) {
	p := &m.preview
	if len(p.known) >= maxKept || p.known == nil {
		p.known = make(map[string]previewMsg)
	}
	p.known[msg.id] = msg
	p.of = ""
}

// head says what of the session at hand would be sent: bytes and cap, messages,
// omissions; in short where there is little room.
func (m *Model) head(width int) string {
	known, ok := m.preview.known[m.preview.id]
	switch {
	case m.preview.id == "":
		return "nothing to send"
	case !ok:
		return "reading…"
	case known.err != nil:
		return "cannot be sent"
	}
	st := known.preview.Stats
	used, most := grouped(known.preview.Bytes), grouped(known.preview.Cap)
	if width < 72 {
		return fmt.Sprintf("%s/%s · %d/%d messages", used, most, st.RetainedMessages, st.OriginalMessages)
	}
	parts := []string{fmt.Sprintf("sends %s of %s bytes", used, most)}
	if st.OmittedMessages == 0 {
		parts = append(parts, fmt.Sprintf("all %d %s", st.OriginalMessages, plural(st.OriginalMessages, "message")))
	} else {
		parts = append(parts, fmt.Sprintf("%d of %d messages", st.RetainedMessages, st.OriginalMessages))
	}
	if st.OmittedBytes > 0 {
		parts = append(parts, grouped(st.OmittedBytes)+" bytes omitted")
	}
	return strings.Join(parts, " · ")
}

// text is the preview's rows: the context as it would be sent, every character of
// it, broken into rows where an item of the conversation begins.
func (m *Model) text(width int) []string {
	p := &m.preview
	known, ok := p.known[p.id]
	switch {
	case !ok:
		return nil
	case p.of == p.id && p.width == width && p.method == m.method:
		return p.rows
	}
	p.of, p.width, p.method = p.id, width, m.method
	if known.err != nil {
		text := "! " + known.err.Error()
		if hint := fault.Of(known.err).Hint; hint != "" {
			text += "\n" + hint
		}
		p.rows = cells.Wrap(m.method, termtext.Block(text), width)
		return p.rows
	}
	// Quotes inside a string are escaped, so this never falls into one.
	text := strings.NewReplacer(`{"role":`, "\n"+`{"role":`, `{"sessionId":`, "\n"+`{"sessionId":`).Replace(known.preview.Text)
	p.rows = cells.Wrap(m.method, termtext.Block(text), width)
	return p.rows
}

// visible is the preview in exactly height rows.
func (m *Model) visible(width, height int) []string {
	p := &m.preview
	rows := m.text(width)
	p.height = height
	p.top = max(0, min(p.top, len(rows)-height))
	out := make([]string, height)
	copy(out, rows[p.top:min(len(rows), p.top+height)])
	return out
}

// total is the bytes of all that is chosen, as far as it has been read.
func (m *Model) total() (bytes int, whole bool) {
	whole = true
	for _, s := range m.chosen {
		known, ok := m.preview.known[s.ID]
		whole = whole && ok && known.err == nil
		bytes += known.preview.Bytes
	}
	return bytes, whole
}

// grouped writes a number with its thousands apart: 65,536.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
